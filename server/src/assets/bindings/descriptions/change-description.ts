import { requirePermission, requirePrivilegeIn } from '../../../access/require.ts'
import { audited } from '../../../audit/audited.ts'
import type { Context } from '../../../context.ts'
import type { Caller } from '../../../http/access.ts'
import { ApiError } from '../../../http/errors.ts'
import { newId } from '../../../lib/ids.ts'
import { findModelParts } from '../../models/model-endpoints.ts'
import { lockModels } from '../../models/store.ts'
import { checkDescribedBindings } from './check-bindings.ts'
import { type CreateDescription, descriptionShape, type PutDescription } from './schema.ts'
import { getDescriptionForUpdate, insertDescription, updateDescription } from './store.ts'

const resourceType = 'binding_description'

/** @throws validation_error, forbidden, not_found for the organization or model, conflict where the id is taken */
export async function createDescription(ctx: Context, caller: Caller, body: CreateDescription) {
  const { tenantId } = caller
  await requirePrivilegeIn(ctx, caller, 'asset_management', body.organizationId)
  await requirePermission(ctx, caller, 'view', { type: 'model', id: body.modelId })
  return audited(ctx.db, { actor: caller, action: 'create', resourceType }, async (tx) => {
    // The lock keeps the model unchanged until the description refers to it.
    await lockModels(tx, tenantId)
    const { endpoints } = await findModelParts(tx, tenantId, body.modelId)
    const bindings = checkDescribedBindings(body.bindings, endpoints)
    const row = await insertDescription(tx, tenantId, {
      ...body,
      id: body.id ?? newId(),
      description: body.description ?? null,
      bindings,
      isGenerated: false,
    })
    if (!row)
      throw new ApiError(
        'conflict',
        `There is a binding description ${body.id} already. Use another id, or PUT to change it.`,
      )
    return { after: descriptionShape(row) }
  })
}

/** Existing bindings made from the description do not change. @throws validation_error, not_found */
export const putDescription = (ctx: Context, caller: Caller, id: string, body: PutDescription) =>
  audited(ctx.db, { actor: caller, action: 'update', resourceType }, async (tx) => {
    const { tenantId } = caller
    const before = descriptionShape(await getDescriptionForUpdate(tx, tenantId, id))
    const { endpoints } = await findModelParts(tx, tenantId, before.modelId)
    const bindings = body.bindings ? checkDescribedBindings(body.bindings, endpoints) : before.bindings
    const after = descriptionShape(await updateDescription(tx, tenantId, { ...before, ...body, bindings }))
    return { resourceId: id, before, after }
  })
