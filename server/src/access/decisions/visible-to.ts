/**
 * SQL condition that limits a list to visible objects, for a room's own query:
 *
 *     const reach = await findReach(ctx.pool, { tenantId, subject: { type: 'user', id: userId }, type: 'asset' })
 *     db.selectFrom('assets').where(visibleTo(reach, { id: 'assets.id', organization: 'assets.organization_id' }))
 */
import { type Expression, sql, type SqlBool } from 'kysely'
import type { Reach } from './reach.ts'
import type { ResourceType } from '../schema.ts'

interface Columns {
  id: string
  /** Absent for types that belong to the tenant: users and groups. */
  organization?: string
}

/** Types whose ids are supplied by clients, which are text; all other ids are generated. [docs/api#ids] */
const suppliedIds: ResourceType[] = [
  'asset',
  'model',
  'binding_description',
  'provider',
  'provider_client',
  'provider_template',
]

/** @param columns the columns of the room's table; the query has to filter by tenant itself */
export const visibleTo = (reach: Reach, columns: Columns): Expression<SqlBool> =>
  within(reach, columns, suppliedIds.includes(reach.type) ? 'text[]' : 'uuid[]', 'uuid[]')

/** The same decision about an object that was read already. */
export function createVisibilityCheck(
  reach: Reach,
): (object: { id: string; organizationId: string }) => boolean {
  const { everything, only } = reach
  const [ids, organizationIds] = [new Set(reach.ids), new Set(reach.organizationIds)]
  const limits = only && new Set(only)
  return ({ id, organizationId }) =>
    (everything || organizationIds.has(organizationId) || ids.has(id)) && (!limits || limits.has(id))
}

/** The same condition over the tuple (organization, O, type, id, `parent`) of each object. */
export const visibleParent = (reach: Reach, alias: string): Expression<SqlBool> =>
  within(reach, { id: `${alias}.resource_id`, organization: `${alias}.subject_id` }, 'text[]', 'text[]')

/**
 * The values are bound parameters, so that PostgreSQL plans with them: a few organizations and objects are looked up,
 * many are filtered while it scans in the order of the page.
 */
function within(
  { only, ...reach }: Reach,
  columns: Columns,
  ids: string,
  organizationIds: string,
): Expression<SqlBool> {
  if (only === undefined) return withinPlaces(reach, columns, ids, organizationIds)
  const named = sql<SqlBool>`${sql.ref(columns.id)} = any(${only}::${sql.raw(ids)})`
  return sql<SqlBool>`(${named} and ${withinPlaces(reach, columns, ids, organizationIds)})`
}

function withinPlaces(
  reach: Reach,
  { id, organization }: Columns,
  ids: string,
  organizationIds: string,
): Expression<SqlBool> {
  if (reach.everything) return sql<SqlBool>`true`
  const single = sql<SqlBool>`${sql.ref(id)} = any(${reach.ids}::${sql.raw(ids)})`
  if (!organization || reach.organizationIds.length === 0) return single
  const belonging = sql`${sql.ref(organization)} = any(${reach.organizationIds}::${sql.raw(organizationIds)})`
  return sql<SqlBool>`(${belonging} or ${single})`
}
