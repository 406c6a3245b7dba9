import { type Expression, type Kysely, sql, type SqlBool } from 'kysely'
import { deleteObjectRelations, insertParent, insertTenantParent } from '../access/relations/store.ts'
import { pageAfter } from '../database/page.ts'
import type { Contacts, Tables } from '../database/tables.ts'
import { orNotFound } from '../http/errors.ts'
import type { OrganizationRow } from '../database/tables/organizations.ts'
import type { PageRequest } from '../http/page.ts'
import { newId } from '../lib/ids.ts'

interface Fields {
  displayName: string
  description: string | null
  privileges: string[]
  contacts: Contacts
}

const selectOrganization = (db: Kysely<Tables>, tenantId: string, id: string) =>
  db.selectFrom('organizations').selectAll().where('tenant_id', '=', tenantId).where('id', '=', id)

/**
 * @param id a UUID
 * @throws not_found, also for an organization of another tenant
 */
export const getOrganization = async (
  db: Kysely<Tables>,
  tenantId: string,
  id: string,
): Promise<OrganizationRow> =>
  orNotFound(await selectOrganization(db, tenantId, id).executeTakeFirst(), 'organization', id)

/** Also locks the organization until the transaction ends, so that no object can be added to it. */
export const getOrganizationForUpdate = async (
  tx: Kysely<Tables>,
  tenantId: string,
  id: string,
): Promise<OrganizationRow> =>
  orNotFound(await selectOrganization(tx, tenantId, id).forUpdate().executeTakeFirst(), 'organization', id)

/** Returns one row more than the page's limit if more follow. */
export const listOrganizations = (
  db: Kysely<Tables>,
  tenantId: string,
  visible: Expression<SqlBool>,
  page: PageRequest,
): Promise<OrganizationRow[]> =>
  pageAfter(
    db.selectFrom('organizations').selectAll().where('tenant_id', '=', tenantId).where(visible),
    'id',
    page,
  )

/** Inserts an organization. Its parent never changes, which rules out cycles. @param tx a transaction */
export async function insertOrganization(
  tx: Kysely<Tables>,
  tenantId: string,
  parentOrganizationId: string | null,
  fields: Fields,
): Promise<OrganizationRow> {
  const row = await tx
    .insertInto('organizations')
    .values({
      id: newId(),
      tenant_id: tenantId,
      parent_organization_id: parentOrganizationId,
      ...toColumns(fields),
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  const parent = row.parent_organization_id
  if (parent)
    await insertParent(tx, 'organization', { tenant_id: tenantId, organization_id: parent, id: row.id })
  else await insertTenantParent(tx, tenantId, 'organization', row.id)
  return row
}

export const updateOrganization = (
  tx: Kysely<Tables>,
  tenantId: string,
  id: string,
  fields: Fields,
): Promise<OrganizationRow> =>
  tx
    .updateTable('organizations')
    .set(toColumns(fields))
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()

const toColumns = ({ displayName, description, privileges, contacts }: Fields) => ({
  display_name: displayName,
  description,
  privileges,
  contacts: JSON.stringify(contacts),
})

/** Counts the objects of the organization by type. */
export async function listHeld(
  db: Kysely<Tables>,
  tenantId: string,
  id: string,
): Promise<{ type: string; count: number }[]> {
  const { rows } = await sql<{ type: string; count: number }>`
    select resource_type as type, count(*)::int as count from relations
    where tenant_id = ${tenantId} and subject_type = 'organization' and subject_id = ${id} and relation = 'parent'
    group by resource_type order by resource_type`.execute(db)
  return rows
}

/** Also deletes its relations. */
export async function deleteOrganization(tx: Kysely<Tables>, tenantId: string, id: string): Promise<void> {
  await tx.deleteFrom('organizations').where('tenant_id', '=', tenantId).where('id', '=', id).execute()
  await deleteObjectRelations(tx, tenantId, 'organization', id)
}
