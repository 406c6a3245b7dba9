import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../database/tables.ts'
import type { ThemeDocument } from './schema.ts'

export interface ThemeRow {
  id: string
  organization_id: string
  display_name: string
  document: ThemeDocument
}

/** Finds the newest theme of the organization, or of the nearest one above it that has one. */
export async function findTheme(
  db: Kysely<Tables>,
  tenantId: string,
  organizationId: string,
): Promise<ThemeRow | undefined> {
  const { rows } = await sql<ThemeRow>`
    with recursive above (id, parent, distance) as (
      select id, parent_organization_id, 0 from organizations
      where tenant_id = ${tenantId} and id = ${organizationId}
      union all
      select o.id, o.parent_organization_id, above.distance + 1
      from above join organizations o on o.tenant_id = ${tenantId} and o.id = above.parent
    )
    select r.id, r.organization_id, r.display_name, r.document
    from above join resource_items r on r.tenant_id = ${tenantId} and r.organization_id = above.id
    where r.tags ? 'theme' and r.document is not null
    order by above.distance, r.id desc
    limit 1`.execute(db)
  return rows[0]
}

/**
 * Finds the oldest organization to which the user or one of their groups has a relation, or else the tenant's oldest.
 */
export async function findUserOrganization(
  db: Kysely<Tables>,
  tenantId: string,
  userId: string,
): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    with self (type, id) as (
      select 'user', ${userId}
      union all
      select 'group', resource_id from relations
      where tenant_id = ${tenantId} and subject_type = 'user' and subject_id = ${userId}
        and resource_type = 'group' and relation in ('member', 'manager', 'owner')
    ), own (id) as (
      select r.resource_id::uuid from self join relations r
        on r.tenant_id = ${tenantId} and r.subject_type = self.type and r.subject_id = self.id
      where r.resource_type = 'organization'
    )
    select id from organizations o
    where tenant_id = ${tenantId}
    order by id not in (select id from own), id
    limit 1`.execute(db)
  return rows[0]?.id
}

/** Lists the ids of themes that use the resource as logo or favicon. */
export async function listThemesUsing(
  db: Kysely<Tables>,
  tenantId: string,
  resourceId: string,
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from resource_items
    where tenant_id = ${tenantId} and tags ? 'theme' and document is not null
      and ${resourceId} in (document ->> 'logo', document ->> 'favicon')
    order by id`.execute(db)
  return rows.map(({ id }) => id)
}
