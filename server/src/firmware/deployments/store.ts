import type { Expression, Insertable, Kysely, Selectable, SqlBool, Updateable } from 'kysely'
import { deleteRelationsOf, insertParent } from '../../access/relations/store.ts'
import type { Tables } from '../../database/tables.ts'
import { requireFound } from '../../http/errors.ts'
import type { PageRequest } from '../../http/page.ts'

export type DeploymentRow = Selectable<Tables['deployments']>

/** For jobs, which know a deployment by its id alone. Also locks it, until the transaction ends. */
export const findDeploymentForUpdate = (tx: Kysely<Tables>, id: string): Promise<DeploymentRow | undefined> =>
  tx.selectFrom('deployments').selectAll().where('id', '=', id).forNoKeyUpdate().executeTakeFirst()

/** @throws not_found */
export async function getDeployment(
  db: Kysely<Tables>,
  tenantId: string,
  id: string,
): Promise<DeploymentRow> {
  return requireFound(await selectDeployment(db, tenantId, id).executeTakeFirst(), 'deployment', id)
}

/** Also locks it, until the transaction ends. @throws not_found */
export async function getDeploymentForUpdate(
  tx: Kysely<Tables>,
  tenantId: string,
  id: string,
): Promise<DeploymentRow> {
  const row = await selectDeployment(tx, tenantId, id).forNoKeyUpdate().executeTakeFirst()
  return requireFound(row, 'deployment', id)
}

const selectDeployment = (db: Kysely<Tables>, tenantId: string, id: string) =>
  db.selectFrom('deployments').selectAll().where('tenant_id', '=', tenantId).where('id', '=', id)

/** Answers one row more than the page's limit where more follow. */
export const listDeployments = (
  db: Kysely<Tables>,
  tenantId: string,
  visible: Expression<SqlBool>,
  { limit, after }: PageRequest,
): Promise<DeploymentRow[]> =>
  db
    .selectFrom('deployments')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where(visible)
    .$if(after !== undefined, (q) => q.where('id', '>', after!))
    .orderBy('id')
    .limit(limit + 1)
    .execute()

export async function insertDeployment(
  tx: Kysely<Tables>,
  row: Insertable<Tables['deployments']>,
): Promise<DeploymentRow> {
  const inserted = await tx.insertInto('deployments').values(row).returningAll().executeTakeFirstOrThrow()
  await insertParent(tx, row.tenant_id, inserted.organization_id, 'firmware', inserted.id)
  return inserted
}

export const updateDeployment = (
  tx: Kysely<Tables>,
  { tenant_id, id }: Pick<DeploymentRow, 'tenant_id' | 'id'>,
  changes: Pick<
    Updateable<Tables['deployments']>,
    'status' | 'status_message' | 'wave' | 'started_at' | 'ended_at'
  >,
): Promise<DeploymentRow> =>
  tx
    .updateTable('deployments')
    .set(changes)
    .where('tenant_id', '=', tenant_id)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()

/** With it go its updates and its relations. */
export async function deleteDeployment(tx: Kysely<Tables>, tenantId: string, id: string): Promise<void> {
  await tx.deleteFrom('deployments').where('tenant_id', '=', tenantId).where('id', '=', id).execute()
  await deleteRelationsOf(tx, tenantId, 'firmware', id)
}
