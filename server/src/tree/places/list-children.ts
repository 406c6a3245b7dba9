import { type Expression, type Kysely, sql, type SqlBool } from 'kysely'
import { isVisible } from '../../access/decisions/is-visible.ts'
import type { Reach } from '../../access/decisions/reach.ts'
import { visibleTo } from '../../access/decisions/visible-to.ts'
import { contains } from '../../database/search.ts'
import type { Tables } from '../../database/tables.ts'
import type { PageRequest } from '../../http/page.ts'

export interface Container {
  type: 'node' | 'asset'
  id: string
}

/** Permissions on nodes and assets. Dashboards are not part of the path to an object. */
export interface Reaches {
  node: Reach
  asset: Reach
}

export interface ChildRow {
  type: 'node' | 'asset'
  id: string
  edge_id: string | null
  display_name: string
  description: string | null
  model_id: string | null
  sort_name: string
  has_children: boolean
}

interface Request {
  reaches: Reaches
  /** Undefined for the top of the tree. */
  parent: Container | undefined
  search: string | undefined
  page: PageRequest
}

type SortKey = [rank: number, name: string, id: string]

/** Maximum number of characters of a name by which entries are sorted; a cursor contains them. */
const SORTED_CHARACTERS = 80

/** A cursor of the list consists of the sort key of the last entry. */
export const childKey = ({ type, sort_name: name, id }: ChildRow): string =>
  JSON.stringify([type === 'node' ? 0 : 1, name, id] satisfies SortKey)

export function isChildKey(key: string): boolean {
  try {
    const [rank, name, id, ...rest] = JSON.parse(key) as unknown[]
    return (
      (rank === 0 || rank === 1) && typeof name === 'string' && typeof id === 'string' && rest.length === 0
    )
  } catch {
    return false
  }
}

/**
 * Lists what a place contains directly: nodes first, then assets, each by name.
 * @returns one row more than the page's limit if more follow
 */
export async function listChildren(db: Kysely<Tables>, tenantId: string, request: Request) {
  const { reaches, parent, search, page } = request
  const listed = parent === undefined ? selectTop(tenantId, reaches) : selectInside(tenantId, reaches, parent)
  const { rows } = await sql<ChildRow>`
    select shown.*, exists (
      select from tree_edges c
      where c.tenant_id = ${tenantId} and c.from_type = shown.type and c.from_id = shown.id
        and ${isVisible(Object.values(reaches), 'c.to_type', 'c.to_id')}
    ) as has_children
    from (
      select * from (
        select listed.*, left(lower(display_name), ${sql.lit(SORTED_CHARACTERS)}) as sort_name,
          case type when 'node' then 0 else 1 end as rank
        from (${listed}) listed
        where ${contains(search, ['display_name', 'searched_id'])}
      ) sorted
      where ${follows(page.after)}
      order by rank, sort_name, id
      limit ${page.limit + 1}
    ) shown
    order by rank, sort_name, id`.execute(db)
  return rows
}

function follows(after: string | undefined): Expression<SqlBool> {
  if (after === undefined) return sql<SqlBool>`true`
  const [rank, name, id] = JSON.parse(after) as SortKey
  return sql<SqlBool>`(rank, sort_name, id) > (${rank}::int, ${name}::text, ${id}::text)`
}

/** The search ignores ids of nodes, which are generated. */
const selectInside = (tenantId: string, reaches: Reaches, { type, id }: Container) => sql`
  select e.to_type as type, e.to_id as id, e.id as edge_id, a.id as searched_id, a.model_id,
    coalesce(n.display_name, a.display_name, e.to_id) as display_name,
    coalesce(n.description, a.description) as description
  from tree_edges e
  left join tree_nodes n
    on n.tenant_id = ${tenantId} and n.id = case when e.to_type = 'node' then e.to_id::uuid end
  left join assets a on e.to_type = 'asset' and a.tenant_id = ${tenantId} and a.id = e.to_id
  where e.tenant_id = ${tenantId} and e.from_type = ${type} and e.from_id = ${id}
    and ${isVisible(Object.values(reaches), 'e.to_type', 'e.to_id')}`

/**
 * Nodes without a parent that the caller may view: they are the top of the caller's tree. `offset 0` keeps PostgreSQL from
 * joining, which takes minutes with old statistics, such as after an import.
 */
const selectTop = (tenantId: string, reaches: Reaches) => sql`
  select 'node' as type, n.id::text as id, null::uuid as edge_id, null as searched_id, null as model_id,
    n.display_name, n.description
  from tree_nodes n
  where n.tenant_id = ${tenantId}
    and ${visibleTo(reaches.node, { id: 'n.id', organization: 'n.organization_id' })}
    and not exists (
      select from tree_edges e
      where e.tenant_id = ${tenantId} and e.to_type = 'node' and e.to_id = n.id::text
        and ${isVisible(Object.values(reaches), 'e.from_type', 'e.from_id')}
      offset 0
    )`
