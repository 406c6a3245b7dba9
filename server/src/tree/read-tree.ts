import { type Kysely, sql } from 'kysely'
import { isVisible } from '../access/decisions/is-visible.ts'
import type { Reach } from '../access/decisions/reach.ts'
import { validationError } from '../http/errors.ts'
import { edgeShape } from './edges/schema.ts'
import type { Tables } from '../database/tables.ts'
import type { EdgeRow } from '../database/tables/tree.ts'
import type { Place } from './edges/store.ts'

/** [docs/organizations#tree] */
export interface TreeNode {
  id: string
  displayName: string
  description: string | null
  type: 'NODE' | 'ASSET'
  /** The edge from the node above; null at the start. */
  edge: ReturnType<typeof edgeShape> | null
  children: TreeNode[]
  details: { modelId: string | null }
}

/** Limits of one answer: a larger one would hold up all others while it is written, and deeper JSON could not be written. */
const MAX_NODES = 10_000
const MAX_LEVELS = 2_000

const tooLarge = () =>
  validationError({
    path: 'depth',
    message: `is needed, or a smaller one: an answer holds ${MAX_NODES} nodes and assets in ${MAX_LEVELS} levels at most, and GET /v1/tree/children lists all in pages`,
  })

type Row = Place & { depth: number; display_name: string; description: string | null } & {
  model_id: string | null
  edge_id: string | null
  from_type: EdgeRow['from_type'] | null
  from_id: string | null
}

/**
 * Reads the contents of a node, level by level. Below a node that is not visible nothing is shown.
 * @param start a node that the caller may view
 * @param reaches the reaches of nodes and assets
 * @param depth the number of levels below the start; all levels if absent
 * @throws validation_error if the tree is too large for one answer
 */
export async function readTree(
  db: Kysely<Tables>,
  tenantId: string,
  { reaches, start, depth = MAX_LEVELS + 1 }: { reaches: Reach[]; start: string; depth?: number },
): Promise<TreeNode> {
  // The limit ends the recursion: the query is evaluated only as far as it is read.
  const { rows } = await sql<Row>`
    with recursive inside (type, id, depth, edge_id, from_type, from_id) as (
      select 'node', ${start}::text, 0, null::uuid, null::text, null::text
      union
      select e.to_type, e.to_id, inside.depth + 1, e.id, e.from_type, e.from_id
      from inside
      join tree_edges e on e.tenant_id = ${tenantId} and e.from_type = inside.type and e.from_id = inside.id
      where inside.depth < ${depth} and ${isVisible(reaches, 'e.to_type', 'e.to_id')}
    )
    select inside.*, coalesce(n.display_name, a.display_name, inside.id) as display_name,
      coalesce(n.description, a.description) as description, a.model_id
    from (select * from inside limit ${MAX_NODES + 1}) inside
    left join tree_nodes n on n.tenant_id = ${tenantId} and n.id = case when inside.type = 'node' then inside.id::uuid end
    left join assets a on inside.type = 'asset' and a.tenant_id = ${tenantId} and a.id = inside.id
    order by inside.depth, inside.edge_id`.execute(db)
  if (rows.length > MAX_NODES || rows.at(-1)!.depth > MAX_LEVELS) throw tooLarge()
  return buildTree(rows)
}

/**
 * Builds the tree from the top down. The rows of a level are parents of the next level; a row appears once under each of
 * its parents.
 */
function buildTree(rows: Row[]): TreeNode {
  const byPlace = new Map<string, TreeNode[]>()
  let count = 0
  for (const row of rows) {
    const above =
      row.edge_id === null ? [undefined] : byPlace.get(edgeKey(row.depth - 1, row.from_type!, row.from_id!))!
    const places = above.map((parent) => {
      const node = treeNode(row)
      parent?.children.push(node)
      return node
    })
    count += places.length
    if (count > MAX_NODES) throw tooLarge()
    const key = edgeKey(row.depth, row.type, row.id)
    byPlace.set(key, [...(byPlace.get(key) ?? []), ...places])
  }
  return byPlace.get(edgeKey(0, 'node', rows[0]!.id))![0]!
}

const edgeKey = (depth: number, type: string, id: string) => `${depth} ${type} ${id}`

const treeNode = (row: Row): TreeNode => ({
  id: row.id,
  displayName: row.display_name,
  description: row.description,
  type: row.type === 'node' ? 'NODE' : 'ASSET',
  edge:
    row.edge_id === null
      ? null
      : {
          id: row.edge_id,
          fromType: row.from_type!,
          fromId: row.from_id!,
          toType: row.type,
          toId: row.id,
          relation: 'CONTAINS',
        },
  children: [],
  details: { modelId: row.model_id },
})
