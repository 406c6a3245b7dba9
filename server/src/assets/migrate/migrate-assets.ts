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
import { type Plan, planOf } from './plan.ts'
import type { MigrateAssets } from './schema.ts'
import { listMigrating, refuseMissing, updateIgnoredEndpoints, updateModelOf } from './store.ts'

/**
 * Gives assets another model, all of them or none. Bindings of endpoints that it has not are removed; properties that it
 * has not stay, and are named. [interface, Migrate assets to a model]
 * @throws forbidden; not_found
 */
export async function migrateAssets(ctx: Context, caller: Caller, body: MigrateAssets) {
  const { tenantId } = caller
  const { targetAssetModelId, assetIds, dryRun = false } = body
  await requireManage(ctx, caller, assetIds)
  await requirePermission(ctx, caller, 'view', { type: 'model', id: targetAssetModelId })
  return changingBindings(ctx, tenantId, async (tx, announce) => {
    await keepModels(tx, tenantId)
    const partsOf = partsReader(tx, tenantId)
    const target = await partsOf(targetAssetModelId)
    const plans: Plan[] = []
    for (const asset of await listMigrating(tx, tenantId, assetIds))
      plans.push(planOf(asset, await partsOf(asset.model_id), target))
    if (!dryRun) announce(await applyPlans(tx, caller, plans, targetAssetModelId))
    const answers = new Map(plans.map(({ answer }) => [answer.assetId, answer]))
    return { targetAssetModelId, assets: assetIds.map((id) => answers.get(id)!) }
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
