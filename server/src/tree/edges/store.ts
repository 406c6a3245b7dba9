/**
 * Stores the edges of the tree. Inheritance of relations uses `parent` tuples, which are written and deleted with the
 * edges.
 */
import { type Kysely, sql } from 'kysely'
import { isVisible } from '../../access/decisions/is-visible.ts'
import type { Reach } from '../../access/decisions/reach.ts'
import { insertRelations } from '../../access/relations/store.ts'
import { pageAfter } from '../../database/page.ts'
import type { Tables } from '../../database/tables.ts'
import type { EdgeRow } from '../../database/tables/tree.ts'
import { orNotFound } from '../../http/errors.ts'
import type { PageRequest } from '../../http/page.ts'
import { newId } from '../../lib/ids.ts'

export type Place = { type: EdgeRow['to_type']; id: string }

/** Counts the direct contents of a node or asset. */
export async function countEdgesFrom(db: Kysely<Tables>, tenantId: string, from: Place): Promise<number> {
  const { count } = await db
    .selectFrom('tree_edges')
    .select((eb) => eb.fn.countAll<string>().as('count'))
    .where('tenant_id', '=', tenantId)
    .where('from_type', '=', from.type)
    .where('from_id', '=', from.id)
    .executeTakeFirstOrThrow()
  return Number(count)
}

/**
 * Lists the edges whose ends are both within a reach.
 * @param reaches one for each type
 * @returns one row more than the page's limit if more follow
 */
export const listEdges = (
  db: Kysely<Tables>,
  tenantId: string,
  reaches: Reach[],
  page: PageRequest,
): Promise<EdgeRow[]> =>
  pageAfter(
    db
      .selectFrom('tree_edges as e')
      .selectAll()
      .where('tenant_id', '=', tenantId)
      .where(isVisible(reaches, 'e.from_type', 'e.from_id'))
      .where(isVisible(reaches, 'e.to_type', 'e.to_id')),
    'id',
    page,
  )

/**
 * @param tx a transaction that holds `lockTree`
 * @returns undefined if the edge exists or the node is in another node already
 */
export async function insertEdge(
  tx: Kysely<Tables>,
  tenantId: string,
  from: Place,
  to: Place,
): Promise<EdgeRow | undefined> {
  const ends = { from_type: from.type, from_id: from.id, to_type: to.type, to_id: to.id }
  const row = await tx
    .insertInto('tree_edges')
    .values({ id: newId(), tenant_id: tenantId, ...ends })
    .onConflict((oc) => oc.doNothing())
    .returningAll()
    .executeTakeFirst()
  if (row && from.type === 'node' && to.type !== 'dashboard')
    await insertRelations(tx, tenantId, [
      {
        subjectType: 'node',
        subjectId: from.id,
        resourceType: to.type,
        resourceId: to.id,
        relation: 'parent',
      },
    ])
  return row
}

/** Removes an object from everything that contains it. */
export async function deleteEdgesTo(tx: Kysely<Tables>, tenantId: string, to: Place): Promise<void> {
  await tx
    .deleteFrom('tree_edges')
    .where('tenant_id', '=', tenantId)
    .where('to_type', '=', to.type)
    .where('to_id', '=', to.id)
    .execute()
  await tx
    .deleteFrom('relations')
    .where('tenant_id', '=', tenantId)
    .where('subject_type', '=', 'node')
    .where('resource_type', '=', to.type)
    .where('resource_id', '=', to.id)
    .where('relation', '=', 'parent')
    .execute()
}

/** @throws not_found if the edge leads to another object */
export async function getEdgeTo(
  tx: Kysely<Tables>,
  tenantId: string,
  { edgeId, to }: { edgeId: string; to: Place },
): Promise<EdgeRow> {
  const row = await tx
    .selectFrom('tree_edges')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('id', '=', edgeId)
    .where('to_type', '=', to.type)
    .where('to_id', '=', to.id)
    .executeTakeFirst()
  return orNotFound(row, 'tree edge', edgeId)
}

/** Removes an object from one of the places that contain it. */
export async function deleteEdge(tx: Kysely<Tables>, tenantId: string, edge: EdgeRow): Promise<void> {
  await tx.deleteFrom('tree_edges').where('tenant_id', '=', tenantId).where('id', '=', edge.id).execute()
  await tx
    .deleteFrom('relations')
    .where('tenant_id', '=', tenantId)
    .where('subject_type', '=', edge.from_type)
    .where('subject_id', '=', edge.from_id)
    .where('resource_type', '=', edge.to_type)
    .where('resource_id', '=', edge.to_id)
    .where('relation', '=', 'parent')
    .execute()
}

const DELETED_AT_ONCE = 1000

/**
 * Removes all contents.
 * @param onDeleted receives the edges in batches, so that memory does not hold those of a very large node at once
 */
export async function deleteEdgesFrom(
  tx: Kysely<Tables>,
  tenantId: string,
  { from, onDeleted }: { from: Place; onDeleted: (edges: EdgeRow[]) => Promise<void> },
): Promise<void> {
  const contents = tx
    .selectFrom('tree_edges')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('from_type', '=', from.type)
    .where('from_id', '=', from.id)
    .orderBy('to_type')
    .orderBy('to_id')
    .limit(DELETED_AT_ONCE)
  let last: EdgeRow | undefined
  do {
    // Otherwise each batch would pass the deleted rows of all batches before, which stay in the index until the commit.
    const edges = await contents
      .$if(last !== undefined, (qb) =>
        qb.where((eb) => eb(eb.refTuple('to_type', 'to_id'), '>', eb.tuple(last!.to_type, last!.to_id))),
      )
      .execute()
    const ids = edges.map(({ id }) => id)
    await tx
      .deleteFrom('tree_edges')
      .where('tenant_id', '=', tenantId)
      .where('id', '=', (eb) => eb.fn.any(eb.val(ids)))
      .execute()
    await onDeleted(edges)
    last = edges.length === DELETED_AT_ONCE ? edges.at(-1) : undefined
  } while (last)
  await tx
    .deleteFrom('relations')
    .where('tenant_id', '=', tenantId)
    .where('subject_type', '=', from.type)
    .where('subject_id', '=', from.id)
    .where('relation', '=', 'parent')
    .execute()
}

/** Removes all edges of deleted assets. Their `parent` tuples are deleted with their relations. */
export async function deleteEdgesOfAssets(
  tx: Kysely<Tables>,
  tenantId: string,
  ids: string[],
): Promise<void> {
  const ofTenant = tx.deleteFrom('tree_edges').where('tenant_id', '=', tenantId)
  await ofTenant
    .where('to_type', '=', 'asset')
    .where('to_id', '=', (eb) => eb.fn.any(eb.val(ids)))
    .execute()
  await ofTenant
    .where('from_type', '=', 'asset')
    .where('from_id', '=', (eb) => eb.fn.any(eb.val(ids)))
    .execute()
}

/** Serializes changes of the tenant's tree until the transaction ends: two edges at once could close a cycle. */
export const lockTree = (tx: Kysely<Tables>, tenantId: string) =>
  sql`select pg_advisory_xact_lock(hashtext('gangway tree'), hashtext(${tenantId}))`.execute(tx)

/** Finds a path from one place down to another; undefined if there is none. */
export async function findPathDown(
  db: Kysely<Tables>,
  tenantId: string,
  from: Place,
  to: Place,
): Promise<Place[] | undefined> {
  if (isSame(from, to)) return [from]
  // It searches upwards, since most objects have one parent, and follows each edge once.
  const { rows } = await sql<EdgeRow>`
    with recursive up as (
      select e.* from tree_edges e
      where e.tenant_id = ${tenantId} and e.to_type = ${to.type} and e.to_id = ${to.id}
      union
      select e.* from up
      join tree_edges e on e.tenant_id = up.tenant_id and e.to_type = up.from_type and e.to_id = up.from_id
    )
    select * from up`.execute(db)
  const below = new Map(rows.map((row) => [placeKey({ type: row.from_type, id: row.from_id }), row]))
  const path = [from]
  for (let at = from; !isSame(at, to); path.push(at)) {
    const edge = below.get(placeKey(at))
    if (!edge) return undefined
    at = { type: edge.to_type, id: edge.to_id }
  }
  return path
}

const placeKey = ({ type, id }: Place) => `${type} ${id}`
const isSame = (a: Place, b: Place) => placeKey(a) === placeKey(b)
