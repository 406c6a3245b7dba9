import type { Kysely } from 'kysely'
import { requirePermission } from '../../access/require.ts'
import { recordAudits } from '../../audit/record.ts'
import type { Context } from '../../context.ts'
import type { Tables } from '../../database/tables.ts'
import type { Caller } from '../../http/access.ts'
import { changingBindings } from '../bindings/binding-changes.ts'
import { listBound } from '../bindings/delete-remotes.ts'
import { deleteBindings } from '../bindings/store.ts'
import { localEndpointKey } from '../endpoints.ts'
import { findModelParts, type ModelParts } from '../models/model-endpoints.ts'
import { keepModels } from '../models/store.ts'
import { type Plan, planOf, withoutGone } from './plan.ts'
import { brokenReason, listReaders, updateReaderErrors } from './readers.ts'
import type { MigrateAssets } from './schema.ts'
import { listMigrating, refuseMissing, updateIgnoredEndpoints, updateModelOf } from './store.ts'

/**
 * Gives assets another model, all of them or none. Bindings of endpoints that it has not are removed; what other assets
 * read from such endpoints, and properties that it has not, stay and are named. Open alarms of the old model are cleared.
 * [docs/assets#migration]
 * @throws forbidden; not_found
 */
export async function migrateAssets(ctx: Context, caller: Caller, body: MigrateAssets) {
  const { tenantId } = caller
  const { targetAssetModelId, assetIds, dryRun = false } = body
  await requireManage(ctx, caller, assetIds)
  await requirePermission(ctx, caller, 'view', { type: 'model', id: targetAssetModelId })
  const { answer, changes } = await changingBindings(ctx, tenantId, async (tx, announce) => {
    await keepModels(tx, tenantId)
    const partsOf = partsReader(tx, tenantId)
    const target = await partsOf(targetAssetModelId)
    const migrating = await listMigrating(tx, tenantId, assetIds)
    const readers = await listReaders(tx, tenantId, assetIds)
    const all: Plan[] = []
    for (const asset of migrating)
      all.push(planOf(asset, readers.get(asset.id) ?? [], await partsOf(asset.model_id), target))
    const plans = withoutGone(all)
    // Before any binding, as samples on their way do: so that nobody waits in a circle.
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

/** Alarms of the old models do not watch them any more. */
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

/** Before any check, what is not there is named as a whole. */
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

/** Each model is read once, however many assets have it. */
function partsReader(tx: Kysely<Tables>, tenantId: string) {
  const known = new Map<string, ModelParts>()
  return async (modelId: string): Promise<ModelParts> => {
    const parts = known.get(modelId) ?? (await findModelParts(tx, tenantId, modelId))
    known.set(modelId, parts)
    return parts
  }
}

/** @returns whose bindings changed, and what those read from before */
async function applyPlans(
  tx: Kysely<Tables>,
  caller: Caller,
  plans: Plan[],
  modelId: string,
): Promise<string[]> {
  const numbers = plans.map(({ asset }) => asset.number)
  const bound = await listBound(tx, numbers)
  await updateModelOf(tx, numbers, modelId)
  for (const { asset, goneBindings, ignored } of plans) {
    await deleteBindings(tx, asset.number, goneBindings)
    if (ignored.length < asset.ignored_endpoints.length)
      await updateIgnoredEndpoints(tx, asset.number, ignored)
  }
  await updateReaderErrors(
    tx,
    plans.flatMap(({ asset, broken, mended }) => [
      ...broken.map((reader) => ({ reader, error: brokenReason(reader, asset.id, modelId) })),
      ...mended.map((reader) => ({ reader, error: null })),
    ]),
  )
  await recordAudits(
    tx,
    caller,
    plans.map(({ asset, goneBindings, ignored }) => ({
      action: 'migrate',
      resourceType: 'asset',
      resourceId: asset.id,
      before: { modelId: asset.model_id, ignoredEndpoints: asset.ignored_endpoints },
      after: { modelId, ignoredEndpoints: ignored, removedBindings: goneBindings.map(localEndpointKey) },
    })),
  )
  return bound
}
