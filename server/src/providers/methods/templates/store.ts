/** In access control a method template is an object of type `provider_template`. [docs/twins#method-templates] */
import type { Expression, Kysely, SqlBool } from 'kysely'
import { deleteObjectRelations, insertParent } from '../../../access/relations/store.ts'
import { pageAfter } from '../../../database/page.ts'
import type { Tables } from '../../../database/tables.ts'
import { orNotFound } from '../../../http/errors.ts'
import type { MethodTemplateRow } from '../../../database/tables/methods.ts'
import type { PageRequest } from '../../../http/page.ts'
import { newId } from '../../../lib/ids.ts'
import type { CreateMethodTemplate, PutMethodTemplate } from './schema.ts'

const selectTemplate = (db: Kysely<Tables>, tenantId: string, id: string) =>
  db.selectFrom('method_templates').selectAll().where('tenant_id', '=', tenantId).where('id', '=', id)

export const findMethodTemplate = (db: Kysely<Tables>, tenantId: string, id: string) =>
  selectTemplate(db, tenantId, id).executeTakeFirst()

/** @throws not_found */
export const getMethodTemplate = async (
  db: Kysely<Tables>,
  tenantId: string,
  id: string,
): Promise<MethodTemplateRow> => orNotFound(await findMethodTemplate(db, tenantId, id), 'method template', id)

/** Locks the template until the transaction ends. @throws not_found */
export const getMethodTemplateForUpdate = async (
  tx: Kysely<Tables>,
  tenantId: string,
  id: string,
): Promise<MethodTemplateRow> =>
  orNotFound(await selectTemplate(tx, tenantId, id).forUpdate().executeTakeFirst(), 'method template', id)

/** Returns one row more than the page's limit if there are more. */
export const listMethodTemplates = (
  db: Kysely<Tables>,
  tenantId: string,
  visible: Expression<SqlBool>,
  page: PageRequest,
): Promise<MethodTemplateRow[]> =>
  pageAfter(
    db.selectFrom('method_templates').selectAll().where('tenant_id', '=', tenantId).where(visible),
    'id',
    page,
  )

const toJson = (payload: object | null | undefined) => (payload ? JSON.stringify(payload) : payload)

/** @param tx a transaction; the organization must belong to the tenant */
export async function insertMethodTemplate(
  tx: Kysely<Tables>,
  tenantId: string,
  body: CreateMethodTemplate,
): Promise<MethodTemplateRow> {
  const row = await tx
    .insertInto('method_templates')
    .values({
      id: newId(),
      tenant_id: tenantId,
      organization_id: body.organizationId,
      display_name: body.displayName,
      description: body.description ?? null,
      method: body.method,
      component_id: body.componentId ?? null,
      payload: toJson(body.payload) ?? null,
      timeout_seconds: body.timeoutSeconds ?? null,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  await insertParent(tx, 'provider_template', row)
  return row
}

export const updateMethodTemplate = (
  tx: Kysely<Tables>,
  tenantId: string,
  id: string,
  body: PutMethodTemplate,
): Promise<MethodTemplateRow> =>
  tx
    .updateTable('method_templates')
    .set({
      display_name: body.displayName,
      description: body.description,
      method: body.method,
      component_id: body.componentId,
      payload: toJson(body.payload),
      timeout_seconds: body.timeoutSeconds,
    })
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()

export async function deleteMethodTemplate(tx: Kysely<Tables>, tenantId: string, id: string): Promise<void> {
  await tx.deleteFrom('method_templates').where('tenant_id', '=', tenantId).where('id', '=', id).execute()
  await deleteObjectRelations(tx, tenantId, 'provider_template', id)
}
