import type { Expression, Kysely, SqlBool } from 'kysely'
import { deleteObjectRelations, insertTenantParent } from '../../access/relations/store.ts'
import { pageAfter } from '../../database/page.ts'
import type { Tables } from '../../database/tables.ts'
import { orNotFound } from '../../http/errors.ts'
import type { GroupRow } from '../../database/tables/users.ts'
import type { PageRequest } from '../../http/page.ts'
import { newId } from '../../lib/ids.ts'

const selectGroup = (db: Kysely<Tables>, tenantId: string, id: string) =>
  db.selectFrom('groups').selectAll().where('tenant_id', '=', tenantId).where('id', '=', id)

/** @throws not_found */
export const getGroup = async (db: Kysely<Tables>, tenantId: string, id: string): Promise<GroupRow> =>
  orNotFound(await selectGroup(db, tenantId, id).executeTakeFirst(), 'group', id)

/** Also locks the group until the transaction ends. */
export const getGroupForUpdate = async (
  tx: Kysely<Tables>,
  tenantId: string,
  id: string,
): Promise<GroupRow> =>
  orNotFound(await selectGroup(tx, tenantId, id).forUpdate().executeTakeFirst(), 'group', id)

/** Returns one row more than the page's limit if more follow. */
export const listGroups = (
  db: Kysely<Tables>,
  tenantId: string,
  visible: Expression<SqlBool>,
  page: PageRequest,
): Promise<GroupRow[]> =>
  pageAfter(db.selectFrom('groups').selectAll().where('tenant_id', '=', tenantId).where(visible), 'id', page)

/** @param tx a transaction */
export async function insertGroup(
  tx: Kysely<Tables>,
  tenantId: string,
  group: { displayName: string; description?: string | null },
): Promise<GroupRow> {
  const { displayName: display_name, description = null } = group
  const row = await tx
    .insertInto('groups')
    .values({ id: newId(), tenant_id: tenantId, display_name, description })
    .returningAll()
    .executeTakeFirstOrThrow()
  await insertTenantParent(tx, tenantId, 'group', row.id)
  return row
}

export const updateGroup = (
  tx: Kysely<Tables>,
  tenantId: string,
  group: { id: string; displayName: string; description: string | null },
): Promise<GroupRow> =>
  tx
    .updateTable('groups')
    .set({ display_name: group.displayName, description: group.description })
    .where('tenant_id', '=', tenantId)
    .where('id', '=', group.id)
    .returningAll()
    .executeTakeFirstOrThrow()

/** Deletes the group with its relations, so that its members lose everything that it gave them. */
export async function deleteGroup(tx: Kysely<Tables>, tenantId: string, id: string): Promise<void> {
  await tx.deleteFrom('groups').where('tenant_id', '=', tenantId).where('id', '=', id).execute()
  await deleteObjectRelations(tx, tenantId, 'group', id)
}
