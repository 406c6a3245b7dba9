import type { Expression, Insertable, Kysely, SqlBool, Updateable } from 'kysely'
import { deleteRelationsOf, insertParent } from '../../access/relations.ts'
import { pageAfter } from '../../database/page.ts'
import type { Tables } from '../../database/tables.ts'
import type { DeploymentRow } from '../../database/tables/firmware.ts'
import { notFound } from '../../http/errors.ts'
import type { PageRequest } from '../../http/page.ts'

/** For jobs, which know a deployment by its id alone. */
export const findDeployment = (db: Kysely<Tables>, id: string): Promise<DeploymentRow | undefined> =>
  db.selectFrom('deployments').selectAll().where('id', '=', id).executeTakeFirst()

/** Also locks it, until the transaction ends. */
export const findDeploymentForUpdate = (tx: Kysely<Tables>, id: string): Promise<DeploymentRow | undefined> =>
  tx.selectFrom('deployments').selectAll().where('id', '=', id).forNoKeyUpdate().executeTakeFirst()

/** @throws not_found */
export async function getDeployment(
  db: Kysely<Tables>,
  tenantId: string,
  id: string,
): Promise<DeploymentRow> {
  return ofTenant(await findDeployment(db, id), tenantId, id)
}

/** Also locks it, until the transaction ends. @throws not_found */
export async function getDeploymentForUpdate(
  tx: Kysely<Tables>,
  tenantId: string,
  id: string,
): Promise<DeploymentRow> {
  return ofTenant(await findDeploymentForUpdate(tx, id), tenantId, id)
}

function ofTenant(row: DeploymentRow | undefined, tenantId: string, id: string): DeploymentRow {
  if (row?.tenant_id !== tenantId) throw notFound('deployment', id)
  return row
}

/** Answers one row more than the page's limit where more follow. */
export const listDeployments = (
  db: Kysely<Tables>,
  tenantId: string,
  visible: Expression<SqlBool>,
  page: PageRequest,
): Promise<DeploymentRow[]> =>
  pageAfter(
    db.selectFrom('deployments').selectAll().where('tenant_id', '=', tenantId).where(visible),
    'id',
    page,
  )

export async function insertDeployment(
  tx: Kysely<Tables>,
  row: Insertable<Tables['deployments']>,
): Promise<DeploymentRow> {
  const inserted = await tx.insertInto('deployments').values(row).returningAll().executeTakeFirstOrThrow()
  await insertParent(tx, 'firmware', inserted)
  return inserted
}

export const updateDeployment = (
  tx: Kysely<Tables>,
  id: string,
  changes: Pick<
    Updateable<Tables['deployments']>,
    'status' | 'status_message' | 'wave' | 'started_at' | 'ended_at'
  >,
): Promise<DeploymentRow> =>
  tx.updateTable('deployments').set(changes).where('id', '=', id).returningAll().executeTakeFirstOrThrow()

/** With it go its updates and its relations. */
export async function deleteDeployment(tx: Kysely<Tables>, tenantId: string, id: string): Promise<void> {
  await tx.deleteFrom('deployments').where('tenant_id', '=', tenantId).where('id', '=', id).execute()
  await deleteRelationsOf(tx, tenantId, 'firmware', id)
}
