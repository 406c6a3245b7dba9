import { type Expression, sql, type SqlBool } from 'kysely'
import type { Reach } from './reach.ts'
import { visibleParent } from './visible-to.ts'

/**
 * SQL condition: the object in these columns is within the reach of its type. For lists with objects of several types;
 * it checks the tuple by which an object belongs to its organization or to the tenant. `offset 0` keeps PostgreSQL from
 * joining: with old statistics, such as after an import, it would compare each object with every tuple of the tenant.
 * @param reaches one for each type, all of one tenant; an object of another type is not visible
 */
export function isVisible(reaches: Reach[], type: string, id: string): Expression<SqlBool> {
  if (reaches.length === 0) return sql<SqlBool>`false`
  const ofType = reaches.map(
    (reach) => sql`(place.resource_type = ${reach.type} and ${visibleParent(reach, 'place')})`,
  )
  return sql<SqlBool>`exists (
    select from relations place
    where place.tenant_id = ${reaches[0]!.tenantId} and place.resource_type = ${sql.ref(type)}
      and place.resource_id = ${sql.ref(id)} and place.relation = 'parent'
      and place.subject_type in ('organization', 'tenant')
      and (${sql.join(ofType, sql` or `)})
    offset 0
  )`
}
