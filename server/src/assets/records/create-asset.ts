import { requirePermission, requirePrivilegeIn } from '../../access/require.ts'
import { recordAudit } from '../../audit/record.ts'
import type { Context } from '../../context.ts'
import type { Caller } from '../../http/access.ts'
import { validationError } from '../../http/errors.ts'
import { keepModels } from '../models/store.ts'
import { assetShape, type CreateAsset, type NewContentBinding } from './schema.ts'
import { insertAsset } from './store.ts'

/**
 * "Needs the asset_management privilege and view permission on the model". [interface, Create asset]
 * @throws forbidden; not_found for the organization and the model; validation_error; conflict where the id is taken
 */
export async function createAsset(ctx: Context, caller: Caller, body: CreateAsset) {
  const { tenantId } = caller
  await requirePrivilegeIn(ctx, caller, 'asset_management', body.organizationId)
  await requirePermission(ctx, caller, 'view', { type: 'model', id: body.modelId })
  refuseContentBindings(body.contentBindings)
  return ctx.db.transaction().execute(async (tx) => {
    await keepModels(tx, tenantId)
    const after = assetShape(await insertAsset(tx, tenantId, body))
    await recordAudit(tx, caller, { action: 'create', resourceType: 'asset', resourceId: after.id, after })
    return after
  })
}

/** The hook where `contentBindings` of a new asset would be bound. */
function refuseContentBindings(bindings: NewContentBinding[] = []): void {
  if (bindings.length > 0)
    throw validationError({ path: 'contentBindings', message: 'bind the asset after creating it' })
}
