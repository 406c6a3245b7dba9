/**
 * The condition by which a list holds what somebody may see, for a room's own query:
 *
 *     const reach = await findReach(ctx.pool, caller.tenantId, { type: 'user', id: caller.userId }, 'asset')
 *     db.selectFrom('assets').where(visibleTo(reach, { id: 'assets.id', organization: 'assets.organization_id' }))
 */
import { type Expression, sql, type SqlBool } from 'kysely'
import type { Reach } from './reach.ts'
import type { ResourceType } from '../schema.ts'

interface Columns {
  id: string
  /** Left out where the type belongs to the tenant: users and groups. */
  organization?: string
}

/** Their ids are supplied by clients and are text; all others are generated. [docs/api#ids] */
const suppliedIds: ResourceType[] = [
  'asset',
  'model',
  'binding_description',
  'provider',
  'provider_client',
  'provider_template',
]

/** @param columns of the room's table, which is limited to the tenant besides */
export const visibleTo = (reach: Reach, columns: Columns): Expression<SqlBool> =>
  within(reach, columns, suppliedIds.includes(reach.type) ? 'text[]' : 'uuid[]', 'uuid[]')

/** The same over the tuple (organization, O, type, id, `parent`) that stands for each object. */
export const visibleParent = (reach: Reach, alias: string): Expression<SqlBool> =>
  within(reach, { id: `${alias}.resource_id`, organization: `${alias}.subject_id` }, 'text[]', 'text[]')

/**
 * Values are bound, so that PostgreSQL plans with them: few organizations and objects are looked up, many are met along
 * the way through the order of the page.
 */
function within(
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
