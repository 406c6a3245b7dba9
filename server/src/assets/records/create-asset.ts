import { requirePermission, requirePrivilegeIn } from '../../access/require.ts'
import { recordAudit } from '../../audit/record.ts'
import type { Context } from '../../context.ts'
import type { Caller } from '../../http/access.ts'
import { validationError } from '../../http/errors.ts'
import { bindWithin } from '../bindings/bind.ts'
import { changeBindings } from '../bindings/binding-changes.ts'
import { endpointHint, formatEndpointId, parseEndpointId } from '../endpoints.ts'
import { lockModelsShared } from '../models/store.ts'
import { assetShape, type CreateAsset, type NewContentBinding } from './schema.ts'
import { getAssetRecord, insertAsset } from './store.ts'

/**
 * Creating needs `asset_management` in the organization and `view` on the model. [docs/assets#records]
 * @throws forbidden; not_found for the organization and the model; validation_error; conflict if the id is taken
 */
export async function createAsset(ctx: Context, caller: Caller, body: CreateAsset) {
  const { tenantId } = caller
  await requirePrivilegeIn(ctx, caller, 'asset_management', body.organizationId)
  await requirePermission(ctx, caller, 'view', { type: 'model', id: body.modelId })
  return changeBindings(ctx, tenantId, async (tx, announce) => {
    await lockModelsShared(tx, tenantId)
    const { id } = await insertAsset(tx, tenantId, body)
    const endpointBindings = (body.contentBindings ?? []).map(readEndpointBinding)
    if (endpointBindings.length > 0)
      await bindWithin(tx, announce, { caller, assetId: id, body: { endpointBindings } })
    const after = assetShape(await getAssetRecord(tx, tenantId, id))
    await recordAudit(tx, caller, { action: 'create', resourceType: 'asset', resourceId: id, after })
    return after
  })
}

/** Binds the asset's endpoint to the instance's endpoint of the same name. */
function readEndpointBinding(binding: NewContentBinding, index: number) {
  const localEndpointId = binding.endpointId ?? binding.endpoint
  const local = localEndpointId === undefined ? undefined : parseEndpointId(localEndpointId)
  if (!local)
    throw validationError({
      path: `contentBindings.${index}.endpointId`,
      message: `must be an endpoint of the asset: ${endpointHint}`,
    })
  const endpointId = formatEndpointId({ ...local, instanceId: binding.instanceId })
  return { localEndpointId: localEndpointId!, remoteEndpointIds: [{ name: 'value', endpointId }] }
}
