import { type Expression, type Kysely, sql, type SqlBool } from 'kysely'
import { deleteObjectRelations, insertParent } from '../../access/relations/store.ts'
import { pageAfter } from '../../database/page.ts'
import type { Tables } from '../../database/tables.ts'
import { ApiError, orNotFound } from '../../http/errors.ts'
import type { ProviderTemplateRow } from '../../database/tables/providers.ts'
import type { PageRequest } from '../../http/page.ts'
import { newId } from '../../lib/ids.ts'
import { findMethodTemplate } from '../methods/templates/store.ts'
import type { CreateTemplate, PutTemplate } from './schema.ts'

export interface Tag {
  name: string
  value: string
}

const selectTemplate = (db: Kysely<Tables>, tenantId: string, id: string) =>
  db.selectFrom('provider_templates').selectAll().where('tenant_id', '=', tenantId).where('id', '=', id)

export const getTemplate = async (
  db: Kysely<Tables>,
  tenantId: string,
  id: string,
): Promise<ProviderTemplateRow> =>
  orNotFound(await selectTemplate(db, tenantId, id).executeTakeFirst(), 'provider template', id)

/** Locks the template until the transaction ends. */
export const getTemplateForUpdate = async (
  tx: Kysely<Tables>,
  tenantId: string,
  id: string,
): Promise<ProviderTemplateRow> =>
  orNotFound(await selectTemplate(tx, tenantId, id).forUpdate().executeTakeFirst(), 'provider template', id)

/** Returns one row more than the page's limit if there are more. */
export const listTemplates = (
  db: Kysely<Tables>,
  tenantId: string,
  { visible, tag, page }: { visible: Expression<SqlBool>; tag: Tag | undefined; page: PageRequest },
): Promise<ProviderTemplateRow[]> =>
  pageAfter(
    db
      .selectFrom('provider_templates')
      .selectAll()
      .where('tenant_id', '=', tenantId)
      .where(visible)
      .$if(tag !== undefined, (q) => q.where(sql<boolean>`tags -> ${tag!.name}::text ? ${tag!.value}::text`)),
    'id',
    page,
  )

/**
 * @param tx a transaction; the organization must belong to the tenant
 * @throws conflict when the tenant has a template with that id
 */
export async function insertTemplate(
  tx: Kysely<Tables>,
  tenantId: string,
  body: CreateTemplate,
): Promise<ProviderTemplateRow> {
  // In access control both kinds of template have the same type, so with the same id they would share relations.
  const isTaken = body.id !== undefined && (await findMethodTemplate(tx, tenantId, body.id)) !== undefined
  if (isTaken) throw new ApiError('conflict', `${body.id} is a method template. Use another id.`)
  const row = await tx
    .insertInto('provider_templates')
    .values({
      tenant_id: tenantId,
      id: body.id ?? newId(),
      display_name: body.displayName,
      description: body.description ?? null,
      enabled: body.enabled ?? true,
      tags: JSON.stringify(body.tags ?? {}),
      options: JSON.stringify(body.options ?? {}),
      organization_id: body.organizationId,
    })
    .onConflict((oc) => oc.doNothing())
    .returningAll()
    .executeTakeFirst()
  if (!row)
    throw new ApiError(
      'conflict',
      `The provider template ${body.id} exists already. Use another id, or PUT to change it.`,
    )
  await insertParent(tx, 'provider_template', row)
  return row
}

export const updateTemplate = (
  tx: Kysely<Tables>,
  tenantId: string,
  id: string,
  body: PutTemplate,
): Promise<ProviderTemplateRow> =>
  tx
    .updateTable('provider_templates')
    .set({
      display_name: body.displayName,
      description: body.description,
      enabled: body.enabled,
      tags: body.tags && JSON.stringify(body.tags),
      options: body.options && JSON.stringify(body.options),
    })
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()

/** Clients provisioned with it do not change. @returns the deleted template @throws not_found */
export async function deleteTemplate(
  tx: Kysely<Tables>,
  tenantId: string,
  id: string,
): Promise<ProviderTemplateRow> {
  const row = await tx
    .deleteFrom('provider_templates')
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst()
  await deleteObjectRelations(tx, tenantId, 'provider_template', id)
  return orNotFound(row, 'provider template', id)
}
