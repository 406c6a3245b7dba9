import type { Expression, Kysely, SqlBool } from 'kysely'
import { deleteObjectRelations, insertParent } from '../../access/relations/store.ts'
import { pageAfter } from '../../database/page.ts'
import type { Tables } from '../../database/tables.ts'
import { orNotFound } from '../../http/errors.ts'
import type { DeploymentTemplateRow } from '../../database/tables/firmware.ts'
import type { PageRequest } from '../../http/page.ts'
import { newId } from '../../lib/ids.ts'
import type { CreateDeploymentTemplate } from './schema.ts'

const selectTemplates = (db: Kysely<Tables>, tenantId: string) =>
  db.selectFrom('deployment_templates').selectAll().where('tenant_id', '=', tenantId)

/** @throws not_found */
export async function getDeploymentTemplate(
  db: Kysely<Tables>,
  tenantId: string,
  id: string,
): Promise<DeploymentTemplateRow> {
  return orNotFound(
    await selectTemplates(db, tenantId).where('id', '=', id).executeTakeFirst(),
    'deployment template',
    id,
  )
}

/** Returns one row more than the page's limit if there are more. */
export const listDeploymentTemplates = (
  db: Kysely<Tables>,
  tenantId: string,
  visible: Expression<SqlBool>,
  page: PageRequest,
): Promise<DeploymentTemplateRow[]> => pageAfter(selectTemplates(db, tenantId).where(visible), 'id', page)

export async function insertDeploymentTemplate(
  tx: Kysely<Tables>,
  tenantId: string,
  body: CreateDeploymentTemplate,
): Promise<DeploymentTemplateRow> {
  const row = await tx
    .insertInto('deployment_templates')
    .values({
      id: newId(),
      tenant_id: tenantId,
      organization_id: body.organizationId,
      display_name: body.displayName,
      description: body.description ?? null,
      version: body.version ?? null,
      steps: JSON.stringify(body.steps),
      status: JSON.stringify(body.status),
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  await insertParent(tx, 'firmware', row)
  return row
}

/** @returns the deleted template @throws not_found */
export async function deleteDeploymentTemplate(
  tx: Kysely<Tables>,
  tenantId: string,
  id: string,
): Promise<DeploymentTemplateRow> {
  const row = orNotFound(
    await tx
      .deleteFrom('deployment_templates')
      .where('tenant_id', '=', tenantId)
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirst(),
    'deployment template',
    id,
  )
  await deleteObjectRelations(tx, tenantId, 'firmware', id)
  return row
}
