/**
 * Binds an asset in one transaction, in this order: remove the bindings of ignored endpoints, set explicit bindings,
 * then apply binding descriptions and autobind to the remaining endpoints. [docs/assets#bind]
 */
import type { Kysely } from 'kysely'
import { recordAudit } from '../../audit/record.ts'
import type { Context } from '../../context.ts'
import type { Tables } from '../../database/tables.ts'
import type { Caller } from '../../http/access.ts'
import { formatEndpointId, localEndpointKey } from '../endpoints.ts'
import { toLocalEndpoint, findModelParts, type ModelEndpoints } from '../models/model-endpoints.ts'
import { type AssetRow, getAsset, getAssetForUpdate } from '../records/store.ts'
import { copyReported } from '../twins/copy-reported.ts'
import { autobind } from './autobind.ts'
import { bindDescriptions } from './bind-descriptions.ts'
import { bindExplicitly, ignoreEndpoints } from './bind-explicitly.ts'
import { type AnnounceBindings, changeBindings } from './binding-changes.ts'
import { findInstancesForUpdate } from './instances.ts'
import { refuseLoops } from './refuse-loops.ts'
import { requireManageWhereWritten, requireViewOfInstances } from './require-remotes.ts'
import { type BindRequest, bindingShape } from './schema.ts'
import { type Binding, deleteBindings, insertBindings, listBindings } from './store.ts'
import { type BindDraft, startDraft } from './bind-draft.ts'

/** @throws not_found, forbidden, validation_error with the path in the request */
export const bindAsset = (ctx: Context, caller: Caller, assetId: string, body: BindRequest) =>
  changeBindings(ctx, caller.tenantId, (tx, announce) => bindWithin(tx, announce, { caller, assetId, body }))

/** Must run in a transaction of `changeBindings`. */
export async function bindWithin(
  tx: Kysely<Tables>,
  announce: AnnounceBindings,
  { caller, assetId, body }: { caller: Caller; assetId: string; body: BindRequest },
) {
  const { tenantId } = caller
  const instances = await findInstancesForUpdate(tx, tenantId, assetId, body)
  const draft = await startDraft(tx, caller, await getAssetForUpdate(tx, tenantId, assetId), instances)
  await requireViewOfInstances(draft)
  ignoreEndpoints(draft, body)
  await bindExplicitly(draft, body.endpointBindings ?? [])
  await bindDescriptions(draft, body.bindingDescriptions ?? [])
  await autobind(draft, body.autobindRemoteInstanceIds ?? [])
  await requireManageWhereWritten(draft)
  return saveDraft(draft, announce)
}

/** Returns the bindings of an asset, its ignored and its unbound endpoints. @throws not_found */
export async function getBindingSet({ db }: Pick<Context, 'db'>, tenantId: string, assetId: string) {
  const asset = await getAsset(db, tenantId, assetId)
  const { endpoints } = await findModelParts(db, tenantId, asset.model_id)
  return bindingSetShape(asset, endpoints, await listBindings(db, tenantId, assetId))
}

async function saveDraft(draft: BindDraft, announce: AnnounceBindings) {
  const { tx, asset, caller, before } = draft
  const ignored = [...draft.ignored].toSorted()
  const changed = new Set([...draft.removed, ...draft.bindings.keys()])
  const gone = [...before].filter(([key]) => changed.has(key)).map(([, binding]) => binding)
  await tx
    .updateTable('assets')
    .set({ ignored_endpoints: ignored })
    .where('tenant_id', '=', caller.tenantId)
    .where('id', '=', asset.id)
    .execute()
  await deleteBindings(tx, asset.number, gone)
  await insertBindings(tx, caller.tenantId, asset.number, [...draft.bindings.values()])
  await refuseLoops(draft)
  const after = await listBindings(tx, caller.tenantId, asset.id)
  const made = after.filter((binding) => changed.has(localEndpointKey(binding)))
  await copyReported(tx, caller.tenantId, made, draft.endpoints)
  announce([asset.id, ...listInstanceIds(gone), ...listInstanceIds(after)])
  await recordAudit(tx, caller, {
    action: 'bind',
    resourceType: 'asset',
    resourceId: asset.id,
    before: auditShape(asset.ignored_endpoints, gone),
    after: auditShape(ignored, made),
  })
  return bindingSetShape({ ...asset, ignored_endpoints: ignored }, draft.endpoints, after)
}

const listInstanceIds = (bindings: Binding[]) =>
  bindings.flatMap(({ remotes }) => remotes.map(({ instanceId }) => instanceId))

/** The audit log records only the changed bindings, since an asset can have many. */
const auditShape = (ignoredEndpoints: string[], bindings: Binding[]) => ({
  ignoredEndpoints,
  bindings: bindings.map(bindingShape),
})

function bindingSetShape(asset: AssetRow, endpoints: ModelEndpoints, bindings: Binding[]) {
  const taken = new Set([...asset.ignored_endpoints, ...bindings.map(localEndpointKey)])
  const free = [...endpoints].filter(([key]) => !taken.has(key)).map(([, content]) => content)
  return {
    assetId: asset.id,
    bindings: bindings.map(bindingShape),
    ignoreEndpointIds: asset.ignored_endpoints.map((key) => `${asset.id}/${key}`),
    unboundEndpointIds: free.map((content) =>
      formatEndpointId({ ...toLocalEndpoint(content), instanceId: asset.id }),
    ),
  }
}
