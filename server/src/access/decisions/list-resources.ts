import { type Kysely, sql } from 'kysely'
import { pageAfter } from '../../database/page.ts'
import type { Tables } from '../../database/tables.ts'
import type { PageRequest } from '../../http/page.ts'
import type { Reach } from './reach.ts'
import { visibleParent } from './visible-to.ts'

/**
 * Lists the objects within all reaches, in the order of ids. All reaches have the same tenant and type.
 * @returns one id more than the page's limit if more follow
 */
export async function listResources(
  db: Kysely<Tables>,
  reaches: [Reach, ...Reach[]],
  page: PageRequest,
): Promise<string[]> {
  const rows = await pageAfter(
    objectsWithin(db, reaches).select('parent.resource_id as id'),
    'parent.resource_id',
    page,
  )
  return rows.map((row) => row.id)
}

/** Lists those of the objects that are within the reach. */
export async function listWithin(db: Kysely<Tables>, reach: Reach, ids: string[]): Promise<string[]> {
  const rows = await objectsWithin(db, [reach])
    .where('parent.resource_id', '=', (eb) => eb.fn.any(eb.val(ids)))
    .select('parent.resource_id as id')
    .execute()
  return rows.map((row) => row.id)
}

/** Lists the objects within one reach and outside the other: their number, and the first of them. */
export async function listOutside(db: Kysely<Tables>, reach: Reach, other: Reach, limit: number) {
  const rows = await objectsWithin(db, [reach])
    .where((eb) => eb.not(visibleParent(other, 'parent')))
    .select(['parent.resource_id as id', sql<string>`count(*) over ()`.as('total')])
    .orderBy('parent.resource_id')
    .limit(limit)
    .execute()
  return { ids: rows.map((row) => row.id), total: Number(rows[0]?.total ?? 0) }
}

/** Every object has one tuple that assigns it to an organization or to the tenant; nodes may contain it in addition. */
const objectsWithin = (db: Kysely<Tables>, reaches: [Reach, ...Reach[]]) =>
  db
    .selectFrom('relations as parent')
    .where('parent.tenant_id', '=', reaches[0].tenantId)
    .where('parent.resource_type', '=', reaches[0].type)
    // A literal, so that the partial index on parents applies.
    .where('parent.relation', '=', sql.lit('parent'))
    .where('parent.subject_type', 'in', ['organization', 'tenant'])
    .where((eb) => eb.and(reaches.map((reach) => visibleParent(reach, 'parent'))))
