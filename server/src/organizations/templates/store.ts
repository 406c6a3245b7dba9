import type { Kysely } from 'kysely'
import { pageAfter } from '../../database/page.ts'
import type { Contacts, Tables } from '../../database/tables.ts'
import { orNotFound } from '../../http/errors.ts'
import type { OrganizationTemplateRow } from '../../database/tables/organizations.ts'
import type { PageRequest } from '../../http/page.ts'
import { newId } from '../../lib/ids.ts'

interface Fields {
  displayName: string
  description: string | null
  privileges: string[] | null
  contacts: Contacts
}

const selectTemplate = (db: Kysely<Tables>, tenantId: string, id: string) =>
  db.selectFrom('organization_templates').selectAll().where('tenant_id', '=', tenantId).where('id', '=', id)

/** @throws not_found */
export const getTemplate = async (
  db: Kysely<Tables>,
  tenantId: string,
  id: string,
): Promise<OrganizationTemplateRow> =>
  orNotFound(await selectTemplate(db, tenantId, id).executeTakeFirst(), 'organization template', id)

/** Also locks the template until the transaction ends. */
export const getTemplateForUpdate = async (
  tx: Kysely<Tables>,
  tenantId: string,
  id: string,
): Promise<OrganizationTemplateRow> =>
  orNotFound(
    await selectTemplate(tx, tenantId, id).forUpdate().executeTakeFirst(),
    'organization template',
    id,
  )

/** Returns one row more than the page's limit if more follow. */
export const listTemplates = (
  db: Kysely<Tables>,
  tenantId: string,
  page: PageRequest,
): Promise<OrganizationTemplateRow[]> =>
  pageAfter(db.selectFrom('organization_templates').selectAll().where('tenant_id', '=', tenantId), 'id', page)

export const insertTemplate = (
  db: Kysely<Tables>,
  tenantId: string,
  fields: Fields,
): Promise<OrganizationTemplateRow> =>
  db
    .insertInto('organization_templates')
    .values({ id: newId(), tenant_id: tenantId, ...toColumns(fields) })
    .returningAll()
    .executeTakeFirstOrThrow()

export const updateTemplate = (
  db: Kysely<Tables>,
  tenantId: string,
  id: string,
  fields: Fields,
): Promise<OrganizationTemplateRow> =>
  db
    .updateTable('organization_templates')
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

/** Existing organizations keep their values. @returns the deleted row @throws not_found */
export const deleteTemplate = async (
  db: Kysely<Tables>,
  tenantId: string,
  id: string,
): Promise<OrganizationTemplateRow> =>
  orNotFound(
    await db
      .deleteFrom('organization_templates')
      .where('tenant_id', '=', tenantId)
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirst(),
    'organization template',
    id,
  )
