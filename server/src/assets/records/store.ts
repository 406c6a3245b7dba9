import type { Expression, Kysely, SqlBool } from 'kysely'
import {
  authorizationContextColumn,
  insertViewers,
  updateViewers,
} from '../../access/relations/authorization-context.ts'
import { deleteRelationsOfObjects, insertParent } from '../../access/relations/store.ts'
import { pageAfter } from '../../database/page.ts'
import type { Tables } from '../../database/tables.ts'
import { ApiError, orNotFound } from '../../http/errors.ts'
import type { PageRequest } from '../../http/page.ts'
import { deleteEdgesOfAssets } from '../../tree/edges/store.ts'
import { contentBindingsColumn } from './content-bindings.ts'
import type { AssetRecordRow, ChangeAsset, CreateAsset } from './schema.ts'

export type AssetRow = NonNullable<Awaited<ReturnType<typeof findAsset>>>

const selectAssets = (db: Kysely<Tables>, tenantId: string) =>
  db
    .selectFrom('assets as a')
    .selectAll('a')
    .select(authorizationContextColumn('asset', 'a.tenant_id', 'a.id').as('authorization_context'))
    .where('a.tenant_id', '=', tenantId)

const findAsset = (db: Kysely<Tables>, tenantId: string, id: string) =>
  selectAssets(db, tenantId).where('a.id', '=', id).executeTakeFirst()

/** @throws not_found */
export async function getAsset(db: Kysely<Tables>, tenantId: string, id: string): Promise<AssetRow> {
  return orNotFound(await findAsset(db, tenantId, id), 'asset', id)
}

/**
 * Also locks the asset against other changes until the transaction ends; rows that refer to it can still be inserted.
 */
export async function getAssetForUpdate(tx: Kysely<Tables>, tenantId: string, id: string): Promise<AssetRow> {
  return orNotFound(
    await selectAssets(tx, tenantId).where('a.id', '=', id).forNoKeyUpdate('a').executeTakeFirst(),
    'asset',
    id,
  )
}

/** Prevents the deletion of the asset until the transaction ends. @throws not_found */
export async function requireAndLockAsset(tx: Kysely<Tables>, tenantId: string, id: string): Promise<void> {
  orNotFound(
    await tx
      .selectFrom('assets')
      .select('id')
      .where('tenant_id', '=', tenantId)
      .where('id', '=', id)
      .forKeyShare()
      .executeTakeFirst(),
    'asset',
    id,
  )
}

const selectRecords = (db: Kysely<Tables>, tenantId: string) =>
  selectAssets(db, tenantId).select(contentBindingsColumn().as('content_bindings'))

/** @throws not_found */
export async function getAssetRecord(db: Kysely<Tables>, tenantId: string, id: string) {
  return orNotFound(await selectRecords(db, tenantId).where('a.id', '=', id).executeTakeFirst(), 'asset', id)
}

/** Lists the assets with these ids, without missing ones. */
export const listAssetRecordsByIds = (
  db: Kysely<Tables>,
  tenantId: string,
  ids: string[],
): Promise<AssetRecordRow[]> =>
  selectRecords(db, tenantId)
    .where('a.id', '=', (eb) => eb.fn.any(eb.val(ids)))
    .orderBy('a.id')
    .execute()

/**
 * @param modelId limits the list to assets of this model
 * @returns one row more than the page's limit if more follow
 */
export const listAssetRecords = (
  db: Kysely<Tables>,
  tenantId: string,
  {
    visible,
    modelId,
    page,
  }: { visible: Expression<SqlBool>; modelId: string | undefined; page: PageRequest },
): Promise<AssetRecordRow[]> =>
  pageAfter(
    selectRecords(db, tenantId)
      .where(visible)
      .$if(modelId !== undefined, (q) => q.where('a.model_id', '=', modelId!)),
    'a.id',
    page,
  )

/**
 * @param tx a transaction; the organization and the model must belong to the tenant
 * @throws conflict if the tenant has an asset with that id; validation_error for unknown viewers
 */
export async function insertAsset(
  tx: Kysely<Tables>,
  tenantId: string,
  body: Omit<CreateAsset, 'contentBindings'>,
): Promise<AssetRecordRow> {
  const row = await tx
    .insertInto('assets')
    .values({
      tenant_id: tenantId,
      id: body.id,
      model_id: body.modelId,
      organization_id: body.organizationId,
      display_name: body.displayName,
      description: body.description ?? null,
    })
    .onConflict((oc) => oc.columns(['tenant_id', 'id']).doNothing())
    .returning(['id', 'tenant_id', 'organization_id'])
    .executeTakeFirst()
  if (!row)
    throw new ApiError(
      'conflict',
      `There is an asset ${body.id} already. Use another id, or PATCH to change it.`,
    )
  await insertParent(tx, 'asset', row)
  const { authorizationContext } = body
  if (authorizationContext)
    await insertViewers(tx, tenantId, { type: 'asset', id: row.id }, authorizationContext)
  return getAssetRecord(tx, tenantId, row.id)
}

/** An undefined field stays unchanged. @param tx a transaction that holds the asset's lock */
export async function updateAsset(
  tx: Kysely<Tables>,
  tenantId: string,
  id: string,
  { displayName, description, authorizationContext }: ChangeAsset,
): Promise<AssetRecordRow> {
  if (displayName !== undefined || description !== undefined)
    await tx
      .updateTable('assets')
      .set({ display_name: displayName, description })
      .where('tenant_id', '=', tenantId)
      .where('id', '=', id)
      .execute()
  if (authorizationContext) await updateViewers(tx, tenantId, { type: 'asset', id }, authorizationContext)
  return getAssetRecord(tx, tenantId, id)
}

/** Deletes assets with their bindings, properties, relations and edges of the tree. */
export async function deleteAssets(tx: Kysely<Tables>, tenantId: string, ids: string[]): Promise<void> {
  await tx
    .deleteFrom('assets')
    .where('tenant_id', '=', tenantId)
    .where('id', '=', (eb) => eb.fn.any(eb.val(ids)))
    .execute()
  await deleteEdgesOfAssets(tx, tenantId, ids)
  await deleteRelationsOfObjects(tx, tenantId, 'asset', ids)
}
