import { audited } from '../../audit/audited.ts'
import type { Context } from '../../context.ts'
import type { Caller } from '../../http/access.ts'
import { assetShape, type ChangeAsset } from './schema.ts'
import { getAssetForUpdate, getAssetRecord, updateAsset } from './store.ts'

/** @throws not_found; validation_error for viewers that are not organizations of the tenant */
export const changeAsset = (ctx: Pick<Context, 'db'>, caller: Caller, id: string, body: ChangeAsset) =>
  audited(ctx.db, { actor: caller, action: 'update', resourceType: 'asset' }, async (tx) => {
    const { tenantId } = caller
    await getAssetForUpdate(tx, tenantId, id)
    const before = assetShape(await getAssetRecord(tx, tenantId, id))
    const after = assetShape(await updateAsset(tx, tenantId, id, body))
    return { resourceId: id, before, after }
  })
