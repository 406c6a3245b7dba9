import type { Kysely } from 'kysely'
import { pageAfter } from '../../database/page.ts'
import type { Tables } from '../../database/tables.ts'
import { orNotFound } from '../../http/errors.ts'
import type { PageRequest } from '../../http/page.ts'
import { openStates } from './states.ts'

export type UpdateRow = NonNullable<Awaited<ReturnType<typeof findLatestUpdate>>>

const selectUpdates = (db: Kysely<Tables>) =>
  db
    .selectFrom('firmware_updates as u')
    .innerJoin('provider_clients as c', 'c.number', 'u.client_number')
    .selectAll('u')
    .select(['c.id as client_id', 'c.provider_id'])

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
  tenantId: string,
  deploymentId: string,
  page: PageRequest,
): Promise<UpdateRow[]> =>
  pageAfter(
    selectUpdates(db).where('u.tenant_id', '=', tenantId).where('u.deployment_id', '=', deploymentId),
    'u.id',
    page,
  )

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
