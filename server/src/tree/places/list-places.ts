import { type Kysely, sql } from 'kysely'
import { isVisible } from '../../access/decisions/is-visible.ts'
import type { Tables } from '../../database/tables.ts'
import type { EdgeRow } from '../../database/tables/tree.ts'
import type { PageRequest } from '../../http/page.ts'
import type { Reaches } from './list-children.ts'
import type { Place } from '../edges/store.ts'

/** [docs/organizations#tree] */
export interface FoundPlace {
  edgeId: string
  /** The objects from the top to the direct parent. */
  path: { type: 'NODE' | 'ASSET'; id: string; displayName: string }[]
}

const MAX_LEVELS = 2_000

type Row = Pick<EdgeRow, 'id' | 'from_type' | 'from_id' | 'to_type' | 'to_id'> & { display_name: string }

/**
 * Finds the places of an object, each with one path from the top, as far as the caller may view it.
 * @returns one place more than the page's limit if more follow
 */
export async function listPlaces(
  db: Kysely<Tables>,
  tenantId: string,
  { reaches, thing, page }: { reaches: Reaches; thing: Place; page: PageRequest },
): Promise<FoundPlace[]> {
  const visible = isVisible(Object.values(reaches), 'e.from_type', 'e.from_id')
  const { rows } = await sql<Row>`
    with recursive up (id, from_type, from_id, to_type, to_id) as (
      select e.id, e.from_type, e.from_id, e.to_type, e.to_id from tree_edges e
      where e.tenant_id = ${tenantId} and e.to_type = ${thing.type} and e.to_id = ${thing.id} and ${visible}
      union
      select e.id, e.from_type, e.from_id, e.to_type, e.to_id from up
      join tree_edges e on e.tenant_id = ${tenantId} and e.to_type = up.from_type and e.to_id = up.from_id
      where ${visible}
    )
    select up.*, coalesce(n.display_name, a.display_name, up.from_id) as display_name
    from up
    left join tree_nodes n
      on n.tenant_id = ${tenantId} and n.id = case when up.from_type = 'node' then up.from_id::uuid end
    left join assets a on up.from_type = 'asset' and a.tenant_id = ${tenantId} and a.id = up.from_id
    order by up.id`.execute(db)
  const above = new Map<string, Row>()
  for (const row of rows.toReversed()) above.set(placeKey(row.to_type, row.to_id), row)
  return rows
    .filter((row) => row.to_type === thing.type && row.to_id === thing.id)
    .filter(({ id }) => page.after === undefined || id > page.after)
    .slice(0, page.limit + 1)
    .map((row) => ({ edgeId: row.id, path: climb(row, above) }))
}

/** Follows the oldest of several edges upwards. */
function climb(edge: Row, above: ReadonlyMap<string, Row>): FoundPlace['path'] {
  const path: FoundPlace['path'] = []
  let at: Row | undefined = edge
  while (at !== undefined && path.length < MAX_LEVELS) {
    const { from_type: type, from_id: id, display_name: displayName } = at
    path.push({ type: type === 'node' ? 'NODE' : 'ASSET', id, displayName })
    at = above.get(placeKey(type, id))
  }
  return path.toReversed()
}

const placeKey = (type: string, id: string) => `${type} ${id}`
