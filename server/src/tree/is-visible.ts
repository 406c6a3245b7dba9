import { type Expression, sql, type SqlBool } from 'kysely'
import type { Reach } from '../access/reach.ts'
import { visibleParent } from '../access/visible-to.ts'

/**
 * That the thing in these columns is within the reach of its type. Things of the tree are of several types, so it is
 * asked of the tuple by which each belongs to its organization.
 * @param reaches one a type; a thing of another type is not visible
 */
export function isVisible(reaches: Reach[], type: string, id: string): Expression<SqlBool> {
  const ofType = reaches.map(
    (reach) => sql`(place.resource_type = ${reach.type} and ${visibleParent(reach, 'place')})`,
  )
  return sql<SqlBool>`exists (
    select from relations place
    where place.tenant_id = ${reaches[0]!.tenantId} and place.resource_type = ${sql.ref(type)}
      and place.resource_id = ${sql.ref(id)} and place.relation = 'parent' and place.subject_type = 'organization'
      and (${sql.join(ofType, sql` or `)})
  )`
}
