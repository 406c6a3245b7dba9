import { type Kysely, sql } from 'kysely'
import { pageAfter } from '../../database/page.ts'
import { contains } from '../../database/search.ts'
import type { Tables } from '../../database/tables.ts'
import { orNotFound } from '../../http/errors.ts'
import { isUuid, type PageRequest } from '../../http/page.ts'
import type { UpdateQuery } from './query.ts'
import { openStates } from './states.ts'

export type UpdateRow = NonNullable<Awaited<ReturnType<typeof findLatestUpdate>>>

const selectUpdates = (db: Kysely<Tables>) =>
  db
    .selectFrom('firmware_updates as u')
    .innerJoin('provider_clients as c', 'c.number', 'u.client_number')
    .selectAll('u')
    .select(['c.id as client_id', 'c.display_name as client_name', 'c.provider_id'])

const selectClientUpdates = (db: Kysely<Tables>, tenantId: string, clientId: string) =>
  selectUpdates(db).where('c.tenant_id', '=', tenantId).where('c.id', '=', clientId)

/** Finds the running update, else the newest one; of one deployment, or of all. */
export const findLatestUpdate = (
  db: Kysely<Tables>,
  tenantId: string,
  clientId: string,
  deploymentId?: string,
) =>
  selectClientUpdates(db, tenantId, clientId)
    .$if(deploymentId !== undefined, (q) => q.where('u.deployment_id', '=', deploymentId!))
    .orderBy((eb) => eb('u.state', '=', 'Running'), 'desc')
    .orderBy('u.deployment_id', 'desc')
    .orderBy('u.kind')
    .limit(1)
    .executeTakeFirst()

/** @throws not_found */
export async function getLatestUpdate(
  db: Kysely<Tables>,
  tenantId: string,
  clientId: string,
): Promise<UpdateRow> {
  return orNotFound(
    await findLatestUpdate(db, tenantId, clientId),
    'firmware update of the provider client',
    clientId,
  )
}

/** Finds the running update, else the next one in the queue; of one deployment, or of all. */
export const findActiveUpdate = (
  db: Kysely<Tables>,
  tenantId: string,
  clientId: string,
  deploymentId: string | undefined,
): Promise<UpdateRow | undefined> =>
  selectClientUpdates(db, tenantId, clientId)
    .where('u.state', 'in', openStates)
    .$if(deploymentId !== undefined, (q) => q.where('u.deployment_id', '=', deploymentId!))
    .orderBy((eb) => eb('u.state', '=', 'Running'), 'desc')
    .orderBy('u.deployment_id')
    .limit(1)
    .executeTakeFirst()

/** @throws not_found */
export async function getUpdate(db: Kysely<Tables>, tenantId: string, id: string): Promise<UpdateRow> {
  return orNotFound(
    await selectUpdates(db).where('u.tenant_id', '=', tenantId).where('u.id', '=', id).executeTakeFirst(),
    'firmware update',
    id,
  )
}

/** Returns one row more than the page's limit if there are more. */
export const listUpdates = (
  db: Kysely<Tables>,
  { tenantId, deploymentId, query }: { tenantId: string; deploymentId: string; query: UpdateQuery },
  page: PageRequest,
): Promise<UpdateRow[]> =>
  pageAfter(
    selectUpdates(db)
      .where('u.tenant_id', '=', tenantId)
      .where('u.deployment_id', '=', deploymentId)
      .where(contains(query.search, ['c.id', 'c.display_name']))
      .$if(query.status !== undefined, (q) => q.where('u.state', '=', query.status!))
      .$if(query.failing !== undefined, (q) =>
        q.where('u.state', query.failing ? 'in' : 'not in', ['Failed', 'Rejected']),
      )
      .$if(query.kind !== undefined, (q) => q.where('u.kind', '=', query.kind!))
      .$if(query.wave !== undefined, (q) => q.where('u.wave', '=', query.wave!))
      .$if(query.updateId !== undefined, (q) => q.where('u.id', '=', query.updateId!)),
    'u.id',
    page,
  )

/** Newest first; the rollback of a deployment is newer than its update. */
export const listClientUpdates = (
  db: Kysely<Tables>,
  { tenantId, clientId }: { tenantId: string; clientId: string },
  { limit, after }: PageRequest,
) =>
  selectClientUpdates(db, tenantId, clientId)
    .innerJoin('deployments as d', 'd.id', 'u.deployment_id')
    .leftJoin('deployments as installs', (join) =>
      join.on(
        'installs.id',
        '=',
        sql`case u.kind when 'update' then u.deployment_id else u.back_to_deployment_id end`,
      ),
    )
    .select([
      'd.display_name as deployment_name',
      sql<string | null>`installs.plan ->> 'releaseName'`.as('release_name'),
    ])
    .$if(after !== undefined, (q) => q.where(isOlder(after!)))
    .orderBy('u.deployment_id', 'desc')
    .orderBy('u.kind')
    .limit(limit + 1)
    .execute()

/** The cursor of an update in the list of its client. */
export const placeOfUpdate = ({ deployment_id, kind }: Pick<UpdateRow, 'deployment_id' | 'kind'>) =>
  `${deployment_id}/${kind}`

export const isPlaceOfUpdate = (key: string): boolean => {
  const [deploymentId, kind, ...rest] = key.split('/')
  return isUuid(deploymentId!) && (kind === 'update' || kind === 'rollback') && rest.length === 0
}

function isOlder(place: string) {
  const [deploymentId, kind] = place.split('/')
  return sql<boolean>`(u.deployment_id < ${deploymentId} or u.deployment_id = ${deploymentId} and u.kind > ${kind})`
}

/** @returns false if the update does not exist or has not ended */
export async function deleteEndedUpdate(tx: Kysely<Tables>, tenantId: string, id: string): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('firmware_updates')
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .where('state', 'not in', openStates)
    .executeTakeFirst()
  return numDeletedRows === 1n
}
