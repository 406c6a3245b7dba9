import { type Expression, type Kysely, sql, type SqlBool } from 'kysely'
import { deleteObjectRelations, insertParent } from '../../access/relations/store.ts'
import { pageAfter } from '../../database/page.ts'
import type { Tables } from '../../database/tables.ts'
import { orNotFound } from '../../http/errors.ts'
import type { PageRequest } from '../../http/page.ts'
import { newId } from '../../lib/ids.ts'

export type NodeRow = Awaited<ReturnType<typeof getNode>>

/** Selects nodes with the node that contains them, which is at most one; null inside an asset. */
const selectNodes = (db: Kysely<Tables>, tenantId: string) =>
  db
    .selectFrom('tree_nodes as n')
    .leftJoin('tree_edges as e', (join) =>
      join
        .onRef('e.tenant_id', '=', 'n.tenant_id')
        .on('e.to_type', '=', 'node')
        .on('e.to_id', '=', sql<string>`n.id::text`)
        .on('e.from_type', '=', 'node'),
    )
    .select(['n.id', 'n.display_name', 'n.description', 'n.organization_id', 'e.from_id as parent_node_id'])
    .where('n.tenant_id', '=', tenantId)

/** @throws not_found */
export async function getNode(db: Kysely<Tables>, tenantId: string, id: string) {
  return orNotFound(await selectNodes(db, tenantId).where('n.id', '=', id).executeTakeFirst(), 'node', id)
}

/** Returns one row more than the page's limit if more follow. */
export const listNodes = (
  db: Kysely<Tables>,
  tenantId: string,
  visible: Expression<SqlBool>,
  page: PageRequest,
): Promise<NodeRow[]> => pageAfter(selectNodes(db, tenantId).where(visible), 'n.id', page)

/**
 * Inserts a node at the top of the tree. @param tx a transaction; the organization must belong to the tenant @returns
 * its id
 */
export async function insertNode(
  tx: Kysely<Tables>,
  tenantId: string,
  node: { displayName: string; description?: string | null; organizationId: string },
): Promise<string> {
  const row = await tx
    .insertInto('tree_nodes')
    .values({
      id: newId(),
      tenant_id: tenantId,
      organization_id: node.organizationId,
      display_name: node.displayName,
      description: node.description ?? null,
    })
    .returning(['id', 'tenant_id', 'organization_id'])
    .executeTakeFirstOrThrow()
  await insertParent(tx, 'node', row)
  return row.id
}

export const updateNode = (
  tx: Kysely<Tables>,
  tenantId: string,
  node: { id: string; displayName: string; description: string | null },
) =>
  tx
    .updateTable('tree_nodes')
    .set({ display_name: node.displayName, description: node.description })
    .where('tenant_id', '=', tenantId)
    .where('id', '=', node.id)
    .execute()

export async function deleteNode(tx: Kysely<Tables>, tenantId: string, id: string): Promise<void> {
  await tx.deleteFrom('tree_nodes').where('tenant_id', '=', tenantId).where('id', '=', id).execute()
  await deleteObjectRelations(tx, tenantId, 'node', id)
}
