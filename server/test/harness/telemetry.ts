/** Samples in a test's database, stored the way ingest stores them. */
import type { TestDatabase } from './database.ts'
import { insertRelations } from '../../src/access/relations/store.ts'
import { newId } from '../../src/lib/ids.ts'
import { appendRows } from '../../src/timeseries/storage/append.ts'
import { ensureSeries } from '../../src/timeseries/storage/ensure-series.ts'
import { raiseLastHours } from '../../src/timeseries/storage/last-hours.ts'
import { createRowTables, ensurePartitions } from '../../src/timeseries/storage/row-tables.ts'
import type { SampleRow } from '../../src/timeseries/storage/sample-row.ts'
import {
  createSeriesRegistry,
  findStream,
  slotKey,
  type Stream,
} from '../../src/timeseries/storage/series-registry.ts'
import type { Owner, SeriesType } from '../../src/timeseries/storage/series-key.ts'

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

/** Tests choose smaller ids themselves. */
let messages = 1_000_000n

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

/** Samples of one time, type and message become one row. @returns the rows, and those of them that were stored */
export async function storeSamples(
  database: Pick<TestDatabase, 'pool' | 'db'>,
  owner: Owner,
  samples: TestSample[],
) {
  const rows = await prepareSamples(database, owner, samples)
  return { rows, stored: await storeRows(database, rows) }
}

/** Makes the series of samples. @returns the rows that are to be stored */
export async function prepareSamples(
  { db }: Db,
  owner: Owner,
  samples: TestSample[],
): Promise<PreparedRow[]> {
  const needed = samples.map(({ name, componentId = '', type = 'telemetry', value }) => ({
    owner,
    type,
    componentId,
    names: [name],
    values: [value],
  }))
  const registry = createSeriesRegistry()
  await ensureSeries(db, registry, needed)
  const rows = new Map<string, PreparedRow>()
  for (const { name, componentId = '', type = 'telemetry', value, ...sample } of samples) {
    const stream = findStream(registry, owner, type)!
    const timeMs = typeof sample.time === 'number' ? sample.time : Date.parse(sample.time)
    const messageId = BigInt(sample.messageId ?? ++messages)
    const key = `${stream.number} ${timeMs} ${messageId}`
    const { tenantNumber } = owner
    const row = rows.get(key) ?? {
      tenantNumber,
      stream,
      streamNumber: stream.number,
      timeMs,
      messageId,
      slots: [],
      values: [],
    }
    rows.set(key, row)
    const slot = stream.slots.get(slotKey(componentId, name))!
    if (row.slots.includes(slot)) continue
    row.slots.push(slot)
    row.values.push(value)
  }
  return [...rows.values()]
}

type PreparedRow = SampleRow & { stream: Stream }

/** @returns the rows that were not there yet */
export async function storeRows(
  { pool, db }: Pick<TestDatabase, 'pool' | 'db'>,
  rows: PreparedRow[],
): Promise<Set<PreparedRow>> {
  const tables = createRowTables()
  // One after the other, since only some days of a batch get a partition at once.
  for (const row of rows) await ensurePartitions(pool, tables, [row])
  await raiseLastHours(db, rows)
  return db.transaction().execute((tx) => appendRows(tx, tables, rows))
}
