import type { Kysely } from 'kysely'
import { requirePermission } from '../../access/require.ts'
import { recordAudits } from '../../audit/record.ts'
import type { Context } from '../../context.ts'
import type { Tables } from '../../database/tables.ts'
import type { Caller } from '../../http/access.ts'
import { changeBindings } from '../bindings/binding-changes.ts'
import { listBound } from '../bindings/delete-remotes.ts'
import { deleteBindings } from '../bindings/store.ts'
import { localEndpointKey } from '../endpoints.ts'
import { findModelParts, type ModelParts } from '../models/model-endpoints.ts'
import { lockModelsShared } from '../models/store.ts'
import { type Plan, planAsset, ignoreRemovedReaders } from './plan.ts'
import { brokenReason, listReaders, updateReaderErrors } from './readers.ts'
import type { MigrateAssets } from './schema.ts'
import { listMigrating, refuseMissing, updateIgnoredEndpoints, updateModels } from './store.ts'

/**
 * Moves assets to another model, all of them or none. Bindings of endpoints that the model does not have are removed.
 * Bindings of other assets to such endpoints stay and are named, and so do properties that it does not have. Open alarms
 * of the old model are cleared. [docs/assets#migration]
 * @throws forbidden; not_found
 */
export async function migrateAssets(ctx: Context, caller: Caller, body: MigrateAssets) {
  const { tenantId } = caller
  const { targetAssetModelId, assetIds, dryRun = false } = body
  await requireManage(ctx, caller, assetIds)
  await requirePermission(ctx, caller, 'view', { type: 'model', id: targetAssetModelId })
  const { answer, changes } = await changeBindings(ctx, tenantId, async (tx, announce) => {
    await lockModelsShared(tx, tenantId)
    const readParts = createPartsReader(tx, tenantId)
    const target = await readParts(targetAssetModelId)
    const migrating = await listMigrating(tx, tenantId, assetIds)
    const readers = await listReaders(tx, tenantId, assetIds)
    const all: Plan[] = []
    for (const asset of migrating)
      all.push(planAsset(asset, readers.get(asset.id) ?? [], await readParts(asset.model_id), target))
    const plans = ignoreRemovedReaders(all)
    // Alarms are locked before bindings, in the order in which ingest locks them, to avoid a deadlock.
    const settled = dryRun
      ? []
      : await settleAlarms(ctx, tx, { tenantId, plans, modelId: targetAssetModelId })
    if (!dryRun) announce(await applyPlans(tx, caller, plans, targetAssetModelId))
    const answers = new Map(plans.map((plan) => [plan.asset.id, plan.answer]))
    const assets = assetIds.map((id) => answers.get(id)!)
    return { answer: { targetAssetModelId, assets }, changes: settled }
  })
  ctx.alarms.afterCommit(changes)
  return answer
}

/** Clears the alarms of the old models, which no longer watch the assets. */
function settleAlarms(
  ctx: Context,
  tx: Kysely<Tables>,
  { tenantId, plans, modelId }: { tenantId: string; plans: Plan[]; modelId: string },
) {
  const moved = plans.map(({ asset }) => asset).filter((asset) => asset.model_id !== modelId)
  return ctx.alarms.settleAssets(tx, tenantId, {
    assetIds: moved.map(({ id }) => id),
    modelIds: [...new Set(moved.map((asset) => asset.model_id))],
    reason: 'asset_migrated',
  })
}

/** Names all missing assets at once, before permissions are checked. */
async function requireManage(ctx: Context, caller: Caller, assetIds: string[]): Promise<void> {
  const found = await ctx.db
    .selectFrom('assets')
    .select('id')
    .where('tenant_id', '=', caller.tenantId)
    .where('id', 'in', assetIds)
    .execute()
  refuseMissing(
    assetIds,
    found.map(({ id }) => id),
  )
  await Promise.all(assetIds.map((id) => requirePermission(ctx, caller, 'manage', { type: 'asset', id })))
}

/** Reads each model once, however many assets have it. */
function createPartsReader(tx: Kysely<Tables>, tenantId: string) {
  const known = new Map<string, ModelParts>()
  return async (modelId: string): Promise<ModelParts> => {
    const parts = known.get(modelId) ?? (await findModelParts(tx, tenantId, modelId))
    known.set(modelId, parts)
    return parts
  }
}

/** @returns the ids of assets whose bindings changed and of the instances that they read from before */
async function applyPlans(
  tx: Kysely<Tables>,
  caller: Caller,
  plans: Plan[],
  modelId: string,
): Promise<string[]> {
  const numbers = plans.map(({ asset }) => asset.number)
  const bound = await listBound(tx, numbers)
  await updateModels(tx, numbers, modelId)
  for (const { asset, removedBindings, ignored } of plans) {
    await deleteBindings(tx, asset.number, removedBindings)
    if (ignored.length < asset.ignored_endpoints.length)
      await updateIgnoredEndpoints(tx, asset.number, ignored)
  }
  await updateReaderErrors(
    tx,
    plans.flatMap(({ asset, broken, repaired }) => [
      ...broken.map((reader) => ({ reader, error: brokenReason(reader, asset.id, modelId) })),
      ...repaired.map((reader) => ({ reader, error: null })),
    ]),
  )
  await recordAudits(
    tx,
    caller,
    plans.map(({ asset, removedBindings, ignored }) => ({
      action: 'migrate',
      resourceType: 'asset',
      resourceId: asset.id,
      before: { modelId: asset.model_id, ignoredEndpoints: asset.ignored_endpoints },
      after: { modelId, ignoredEndpoints: ignored, removedBindings: removedBindings.map(localEndpointKey) },
    })),
  )
  return bound
}
