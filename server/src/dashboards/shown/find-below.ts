import { sql } from 'kysely'
import { isVisible } from '../../access/decisions/is-visible.ts'
import { findReaches } from '../../access/decisions/reach.ts'
import type { Runtime } from '../../runtime.ts'
import { MAX_ASSETS_OF_VARIABLE } from './shown.ts'

/** Levels of the tree below a place; the console follows as many. [docs/dashboards#tokens] */
const MAX_LEVELS = 5
/** Nodes and assets below a place that are read to find them. */
const MAX_READ = 1_000

interface Place {
  type: 'node' | 'asset'
  id: string
}

/**
 * Finds the nodes and the first nodes and assets below each of them, level by level, as far as the user may view them.
 */
export async function findBelow(
  { db, pool }: Pick<Runtime, 'db' | 'pool'>,
  { tenantId, userId }: { tenantId: string; userId: string },
  nodeIds: string[],
): Promise<Place[]> {
  if (nodeIds.length === 0) return []
  const view = { tenantId, subject: { type: 'user', id: userId }, permission: 'view' } as const
  const reaches = await findReaches(pool, [
    { ...view, type: 'node' },
    { ...view, type: 'asset' },
  ])
  const { rows } = await sql<Place>`
    select type, id
    from (
      select below.type, below.id,
        row_number() over (partition by top.id, below.type order by min(below.number)) as number
      from unnest(${[...new Set(nodeIds)]}::text[]) as top (id)
      cross join lateral (
        with recursive inside (type, id, level) as (
          select 'node', top.id, 0
          union
          select e.to_type, e.to_id, inside.level + 1
          from inside
          cross join lateral (
            select to_type, to_id from tree_edges
            where tenant_id = ${tenantId} and from_type = inside.type and from_id = inside.id
              and to_type <> 'dashboard'
            order by to_type, to_id
            limit ${MAX_READ}
          ) e
          where inside.level < ${MAX_LEVELS}
        )
        -- The limit ends the recursion.
        select type, id, row_number() over () as number from inside limit ${MAX_READ}
      ) below
      where ${isVisible(reaches, 'below.type', 'below.id')}
      group by top.id, below.type, below.id
    ) numbered
    where type = 'node' or number <= ${MAX_ASSETS_OF_VARIABLE}`.execute(db)
  return rows
}
