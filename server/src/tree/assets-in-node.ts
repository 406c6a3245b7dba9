import { sql } from 'kysely'

/** A subquery of the ids of the assets that stand in a node, directly or below one of its nodes or assets. */
export const assetsInNode = (tenantId: string, nodeId: string) => sql<string>`(
  with recursive inside (type, id) as (
    select 'node', ${nodeId}::text
    union
    select e.to_type, e.to_id from inside
    join tree_edges e on e.tenant_id = ${tenantId} and e.from_type = inside.type and e.from_id = inside.id
  )
  select id from inside where type = 'asset')`
