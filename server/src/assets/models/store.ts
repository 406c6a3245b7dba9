import { type Expression, type Kysely, sql, type SqlBool } from 'kysely'
import { deleteObjectRelations, insertParent } from '../../access/relations/store.ts'
import { pageAfter } from '../../database/page.ts'
import type { Tables } from '../../database/tables.ts'
import { ApiError, orNotFound } from '../../http/errors.ts'
import type { ModelRow } from '../../database/tables/assets.ts'
import type { PageRequest } from '../../http/page.ts'

/** Serializes changes of models in a tenant, so that referenced models do not change after they were checked. */
export const lockModels = (tx: Kysely<Tables>, tenantId: string) =>
  sql`select pg_advisory_xact_lock(hashtext('gangway models'), hashtext(${tenantId}))`.execute(tx)

/** Prevents changes of the tenant's models until the transaction ends, so that whatever it inserts fits the model. */
export const lockModelsShared = (tx: Kysely<Tables>, tenantId: string) =>
  sql`select pg_advisory_xact_lock_shared(hashtext('gangway models'), hashtext(${tenantId}))`.execute(tx)

/** @throws not_found */
export async function getModel(db: Kysely<Tables>, tenantId: string, id: string): Promise<ModelRow> {
  return orNotFound(
    await db
      .selectFrom('models')
      .selectAll()
      .where('tenant_id', '=', tenantId)
      .where('id', '=', id)
      .executeTakeFirst(),
    'model',
    id,
  )
}

/** Definitions can have 1 MiB each, so a page ends when they reach this size. */
const MAX_PAGE_BYTES = 8 * 1024 * 1024

/** Returns the number of rows of the page, and one more row if more follow. */
export async function listModels(
  db: Kysely<Tables>,
  tenantId: string,
  visible: Expression<SqlBool>,
  page: PageRequest,
): Promise<{ rows: ModelRow[]; limit: number }> {
  const sizes = await pageAfter(
    db
      .selectFrom('models')
      .select(['id', 'definition_bytes'])
      .where('tenant_id', '=', tenantId)
      .where(visible),
    'id',
    page,
  )
  let bytes = 0
  const end = sizes.findIndex((row, i) => (bytes += row.definition_bytes) > MAX_PAGE_BYTES && i > 0)
  const fitting = end < 0 ? page.limit : Math.min(end, page.limit)
  const ids = sizes.slice(0, fitting + 1).map((row) => row.id)
  const rows = await listModelsByIds(db, tenantId, ids)
  return { rows, limit: fitting }
}

/** Lists the models in the order of their ids, without missing ones. */
export const listModelsByIds = (db: Kysely<Tables>, tenantId: string, ids: string[]): Promise<ModelRow[]> =>
  db
    .selectFrom('models')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('id', '=', sql<string>`any(${ids}::text[])`)
    .orderBy('id')
    .execute()

/** Lists the given models and all that they reference, directly or indirectly, with their sizes. */
export async function listUsedModels(
  db: Kysely<Tables>,
  tenantId: string,
  ids: string[],
): Promise<{ id: string; definition_bytes: number }[]> {
  const { rows } = await sql<{ id: string; definition_bytes: number }>`
    with recursive used (id) as (
      select unnest(${ids}::text[])
      union
      select reference.used_model_id
      from used join model_references reference
        on reference.tenant_id = ${tenantId} and reference.model_id = used.id
    )
    select id, definition_bytes from models join used using (id) where tenant_id = ${tenantId}`.execute(db)
  return rows
}

export interface Model {
  id: string
  displayName: string
  description: string | null
  definition: object
}

const toColumns = ({ displayName, description, definition }: Model) => {
  const text = JSON.stringify(definition)
  return {
    display_name: displayName,
    description,
    definition: text,
    definition_bytes: Buffer.byteLength(text),
  }
}

/**
 * @param tx a transaction; the organization must belong to the tenant
 * @param usedIds the models that it references
 * @throws conflict if the tenant has a model with that id
 */
export async function insertModel(
  tx: Kysely<Tables>,
  tenantId: string,
  model: Model & { organizationId: string },
  usedIds: string[],
): Promise<ModelRow> {
  const row = await tx
    .insertInto('models')
    .values({
      tenant_id: tenantId,
      id: model.id,
      organization_id: model.organizationId,
      ...toColumns(model),
    })
    .onConflict((oc) => oc.doNothing())
    .returningAll()
    .executeTakeFirst()
  if (!row)
    throw new ApiError('conflict', `There is a model ${model.id} already. A new version has another DTMI.`)
  await insertParent(tx, 'model', row)
  await insertReferences(tx, tenantId, row.id, usedIds)
  return row
}

export async function updateModel(
  tx: Kysely<Tables>,
  tenantId: string,
  model: Model,
  usedIds: string[],
): Promise<ModelRow> {
  const row = await tx
    .updateTable('models')
    .set(toColumns(model))
    .where('tenant_id', '=', tenantId)
    .where('id', '=', model.id)
    .returningAll()
    .executeTakeFirstOrThrow()
  await tx
    .deleteFrom('model_references')
    .where('tenant_id', '=', tenantId)
    .where('model_id', '=', model.id)
    .execute()
  await insertReferences(tx, tenantId, model.id, usedIds)
  return row
}

async function insertReferences(tx: Kysely<Tables>, tenantId: string, modelId: string, usedIds: string[]) {
  await sql`insert into model_references (tenant_id, model_id, used_model_id)
    select ${tenantId}, ${modelId}, unnest(${usedIds}::text[])`.execute(tx)
}

export async function deleteModel(tx: Kysely<Tables>, tenantId: string, id: string): Promise<void> {
  await tx.deleteFrom('models').where('tenant_id', '=', tenantId).where('id', '=', id).execute()
  await deleteObjectRelations(tx, tenantId, 'model', id)
}
