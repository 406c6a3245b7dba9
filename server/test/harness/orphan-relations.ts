/** Finds relations that have outlived one of their two objects. */
import { type Kysely, sql } from 'kysely'
import { type ResourceType, resourceTypes } from '../../src/access/schema.ts'
import type { Tables } from '../../src/database/tables.ts'

/** Types whose table is not named after them, unlike `dashboards`. */
const otherTables: Partial<Record<ResourceType, (keyof Tables)[]>> = {
  // These always exist.
  environment: [],
  tenant: [],
  node: ['tree_nodes'],
  provider_template: ['provider_templates', 'method_templates'],
  firmware: ['firmware_releases', 'deployment_templates', 'deployments'],
}
const tablesOfType = resourceTypes.map((type): [ResourceType, string[]] => [
  type,
  otherTables[type] ?? [`${type}s`],
])

/** @returns each as `user:… viewer dashboard:…` */
export async function findOrphanRelations(db: Kysely<Tables>, tenantId: string): Promise<string[]> {
  const objects = tablesOfType.flatMap(([type, tables]) =>
    tables.map((table) => sql`select ${type}::text, tenant_id, id::text from ${sql.table(table)}`),
  )
  const types = tablesOfType.flatMap(([type, tables]) => (tables.length > 0 ? type : []))
  const isGone = (end: 'subject' | 'resource') => {
    const [type, id] = [sql.ref(`r.${end}_type`), sql.ref(`r.${end}_id`)]
    return sql`${type} = any(${types}) and not exists (
      select from objects o where o.type = ${type} and o.tenant_id = r.tenant_id and o.id = ${id})`
  }
  const { rows } = await sql<{ text: string }>`
    with objects (type, tenant_id, id) as (${sql.join(objects, sql` union all `)})
    select format('%s:%s %s %s:%s', subject_type, subject_id, relation, resource_type, resource_id) as text
    from relations r where tenant_id = ${tenantId} and ((${isGone('subject')}) or (${isGone('resource')})) order by 1`.execute(
    db,
  )
  return rows.map(({ text }) => text)
}
