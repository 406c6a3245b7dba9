import { type Expression, type Insertable, type Kysely, sql, type SqlBool, type Updateable } from 'kysely'
import { deleteObjectRelations, insertParent } from '../../access/relations/store.ts'
import { pageAfter } from '../../database/page.ts'
import { contains } from '../../database/search.ts'
import type { Tables } from '../../database/tables.ts'
import type { DeploymentRow } from '../../database/tables/firmware.ts'
import { orNotFound } from '../../http/errors.ts'
import type { PageRequest } from '../../http/page.ts'
import type { DeploymentQuery } from './schema.ts'

/** For jobs, which know only the id of a deployment. Locks it until the transaction ends. */
export const findDeploymentForUpdate = (tx: Kysely<Tables>, id: string): Promise<DeploymentRow | undefined> =>
  tx.selectFrom('deployments').selectAll().where('id', '=', id).forNoKeyUpdate().executeTakeFirst()

/** @throws not_found */
export async function getDeployment(
  db: Kysely<Tables>,
  tenantId: string,
  id: string,
): Promise<DeploymentRow> {
  return orNotFound(await selectDeployment(db, tenantId, id).executeTakeFirst(), 'deployment', id)
}

/** Locks the deployment until the transaction ends. @throws not_found */
export async function getDeploymentForUpdate(
  tx: Kysely<Tables>,
  tenantId: string,
  id: string,
): Promise<DeploymentRow> {
  const row = await selectDeployment(tx, tenantId, id).forNoKeyUpdate().executeTakeFirst()
  return orNotFound(row, 'deployment', id)
}

const selectDeployment = (db: Kysely<Tables>, tenantId: string, id: string) =>
  db.selectFrom('deployments').selectAll().where('tenant_id', '=', tenantId).where('id', '=', id)

/** Newest first. Returns one row more than the page's limit if there are more. */
export const listDeployments = (
  db: Kysely<Tables>,
  tenantId: string,
  filter: { visible: Expression<SqlBool>; query: DeploymentQuery },
  page: PageRequest,
): Promise<DeploymentRow[]> => {
  const { visible, query } = filter
  return pageAfter(
    db
      .selectFrom('deployments')
      .selectAll()
      .where('tenant_id', '=', tenantId)
      .where(visible)
      .where(contains(query.search, ['deployments.display_name']))
      .$if(query.status !== undefined, (q) => q.where('status', '=', query.status!))
      .$if(query.ended !== undefined, (q) => q.where('ended_at', query.ended ? 'is not' : 'is', null))
      .$if(query.releaseId !== undefined, (q) => q.where('release_id', '=', query.releaseId!))
      .$if(query.failing !== undefined, (q) => q.where(isFailing, '=', query.failing!)),
    'id',
    page,
    'desc',
  )
}

const isFailing = sql<boolean>`exists (
  select from firmware_updates u
  where u.deployment_id = deployments.id and u.kind = 'update' and u.state in ('Failed', 'Rejected'))`

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

/** Also deletes its updates and its relations. */
export async function deleteDeployment(tx: Kysely<Tables>, tenantId: string, id: string): Promise<void> {
  await tx.deleteFrom('deployments').where('tenant_id', '=', tenantId).where('id', '=', id).execute()
  await deleteObjectRelations(tx, tenantId, 'firmware', id)
}
