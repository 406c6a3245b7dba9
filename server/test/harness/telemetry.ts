/** Samples in a test's database, stored the way ingest stores them. */
import type { TestDatabase } from './database.ts'
import { insertRelations } from '../../src/access/relations/store.ts'
import { newId } from '../../src/lib/ids.ts'
import { appendSamples } from '../../src/timeseries/storage/append.ts'
import { createPartitions, ensurePartitions } from '../../src/timeseries/storage/ensure-partitions.ts'
import { emptySampleBatch } from '../../src/timeseries/storage/sample-batch.ts'
import { createSeriesRegistry, seriesNumber } from '../../src/timeseries/storage/series-registry.ts'
import type { Owner, SeriesType } from '../../src/timeseries/storage/series-key.ts'
import { ensureSeries } from '../../src/timeseries/storage/series.ts'

export interface TestSample {
  name: string
  /** ISO 8601, or milliseconds since 1970. */
  time: string | number
  value: unknown
  /** Default: a new one for each sample. */
  messageId?: bigint | string
  componentId?: string
  type?: SeriesType
}

let messages = 0n

type Db = Pick<TestDatabase, 'db'>

/** The id of the tenant's owner. */
export const tenantOwner = (tenantId: string) => `owner of ${tenantId}`

/** @returns its number */
export async function insertTenant({ db }: Db, id: string): Promise<number> {
  const { number } = await db
    .insertInto('tenants')
    .values({ id, display_name: id, privileges: [] })
    .returning('number')
    .executeTakeFirstOrThrow()
  const resource = { resourceType: 'tenant', resourceId: id } as const
  await insertRelations(db, id, [
    { subjectType: 'user', subjectId: tenantOwner(id), ...resource, relation: 'owner' },
  ])
  return number
}

/** A provider client, with the tenant, organization and provider that it needs. */
export async function insertClient({ db }: Db, tenantId: string, clientId: string): Promise<Owner> {
  const tenant = await db.selectFrom('tenants').select('number').where('id', '=', tenantId).executeTakeFirst()
  const tenantNumber = tenant?.number ?? (await insertTenant({ db }, tenantId))
  const organization = { id: newId(), tenant_id: tenantId, display_name: tenantId, privileges: [] }
  await db.insertInto('organizations').values(organization).execute()
  const common = { tenant_id: tenantId, organization_id: organization.id, display_name: 'x' }
  await db
    .insertInto('providers')
    .values({ ...common, id: 'import', type: 'import' })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  await db
    .insertInto('provider_clients')
    .values({ ...common, id: clientId, provider_id: 'import', on_broker: false })
    .execute()
  await insertRelations(db, tenantId, [
    parent('tenant', tenantId, 'organization', organization.id),
    parent('organization', organization.id, 'provider_client', clientId),
  ])
  return { tenantNumber, ownerType: 'client', ownerId: clientId }
}

const parent = (
  subjectType: 'tenant' | 'organization',
  subjectId: string,
  resourceType: 'organization' | 'provider_client',
  resourceId: string,
) => ({ subjectType, subjectId, resourceType, resourceId, relation: 'parent' as const })

export async function storeSamples(
  { pool, db }: Pick<TestDatabase, 'pool' | 'db'>,
  owner: Owner,
  samples: TestSample[],
) {
  const keys = samples.map(({ name, componentId = '', type = 'telemetry' }) => ({
    ...owner,
    name,
    componentId,
    type,
  }))
  const registry = createSeriesRegistry()
  await ensureSeries(db, registry, keys)
  const batch = emptySampleBatch()
  samples.forEach((sample, index) => {
    batch.tenantNumber.push(owner.tenantNumber)
    batch.seriesNumber.push(seriesNumber(registry, keys[index]!)!)
    batch.time.push(typeof sample.time === 'number' ? sample.time : Date.parse(sample.time))
    batch.messageId.push(sample.messageId ?? ++messages)
    batch.value.push(sample.value)
  })
  await ensurePartitions(pool, createPartitions(), batch)
  return db.transaction().execute((tx) => appendSamples(tx, batch))
}
