/**
 * Bind asset, in this order, in one transaction: ignored endpoints leave, explicit bindings are set, then binding
 * descriptions and autobind take what is left. [docs/assets#bind]
 */
import type { Kysely } from 'kysely'
import { recordAudit } from '../../audit/record.ts'
import type { Context } from '../../context.ts'
import type { Tables } from '../../database/tables.ts'
import type { Caller } from '../../http/access.ts'
import { endpointIdOf, localEndpointKey } from '../endpoints.ts'
import { endpointOf, findModelParts, type ModelEndpoints } from '../models/model-endpoints.ts'
import { type AssetRow, getAsset, getAssetForUpdate } from '../records/store.ts'
import { takeOverReported } from '../twins/take-over-reported.ts'
import { autobind } from './autobind.ts'
import { bindDescriptions } from './bind-descriptions.ts'
import { bindExplicitly, ignoreEndpoints } from './bind-explicitly.ts'
import { type AnnounceBindings, changingBindings } from './binding-changes.ts'
import { findInstancesForUpdate } from './instances.ts'
import { refuseLoops } from './refuse-loops.ts'
import { requireManageWhereWritten, requireViewOfInstances } from './require-remotes.ts'
import { type BindRequest, bindingShape } from './schema.ts'
import { type Binding, deleteBindings, insertBindings, listBindings } from './store.ts'
import { type BindWork, startWork } from './bind-draft.ts'

/** @throws not_found, forbidden, validation_error that names the place in the request */
export const bindAsset = (ctx: Context, caller: Caller, assetId: string, body: BindRequest) =>
  changingBindings(ctx, caller.tenantId, (tx, announce) =>
    bindWithin(tx, announce, { caller, assetId, body }),
  )

/** Inside a transaction of `changingBindings`. */
export async function bindWithin(
  tx: Kysely<Tables>,
  announce: AnnounceBindings,
  { caller, assetId, body }: { caller: Caller; assetId: string; body: BindRequest },
) {
  const { tenantId } = caller
  const instances = await findInstancesForUpdate(tx, tenantId, assetId, body)
  const work = await startWork(tx, caller, await getAssetForUpdate(tx, tenantId, assetId), instances)
  await requireViewOfInstances(work)
  ignoreEndpoints(work, body)
  await bindExplicitly(work, body.endpointBindings ?? [])
  await bindDescriptions(work, body.bindingDescriptions ?? [])
  await autobind(work, body.autobindRemoteInstanceIds ?? [])
  await requireManageWhereWritten(work)
  return saveWork(work, announce)
}

/** What an asset is bound to. @throws not_found */
export async function getBindingSet({ db }: Pick<Context, 'db'>, tenantId: string, assetId: string) {
  const asset = await getAsset(db, tenantId, assetId)
  const { endpoints } = await findModelParts(db, tenantId, asset.model_id)
  return bindingSetOf(asset, endpoints, await listBindings(db, tenantId, assetId))
}

async function saveWork(work: BindWork, announce: AnnounceBindings) {
  const { tx, asset, caller, before } = work
  const ignored = [...work.ignored].toSorted()
  const changed = new Set([...work.removed, ...work.drafts.keys()])
  const gone = [...before].filter(([key]) => changed.has(key)).map(([, binding]) => binding)
  await tx
    .updateTable('assets')
    .set({ ignored_endpoints: ignored })
    .where('tenant_id', '=', caller.tenantId)
    .where('id', '=', asset.id)
    .execute()
  await deleteBindings(tx, asset.number, gone)
  await insertBindings(tx, caller.tenantId, asset.number, [...work.drafts.values()])
  await refuseLoops(work)
  const after = await listBindings(tx, caller.tenantId, asset.id)
  const made = after.filter((binding) => changed.has(localEndpointKey(binding)))
  await takeOverReported(tx, caller.tenantId, made, work.endpoints)
  announce([asset.id, ...instanceIdsOf(gone), ...instanceIdsOf(after)])
  await recordAudit(tx, caller, {
    action: 'bind',
    resourceType: 'asset',
    resourceId: asset.id,
    before: changesOf(asset.ignored_endpoints, gone),
    after: changesOf(ignored, made),
  })
  return bindingSetOf({ ...asset, ignored_endpoints: ignored }, work.endpoints, after)
}

const instanceIdsOf = (bindings: Binding[]) =>
  bindings.flatMap(({ remotes }) => remotes.map(({ instanceId }) => instanceId))

/** An asset can have many bindings: the log has those that changed. */
const changesOf = (ignoredEndpoints: string[], bindings: Binding[]) => ({
  ignoredEndpoints,
  bindings: bindings.map(bindingShape),
})

function bindingSetOf(asset: AssetRow, endpoints: ModelEndpoints, bindings: Binding[]) {
  const taken = new Set([...asset.ignored_endpoints, ...bindings.map(localEndpointKey)])
  const free = [...endpoints].filter(([key]) => !taken.has(key)).map(([, content]) => content)
  return {
    assetId: asset.id,
    bindings: bindings.map(bindingShape),
    ignoreEndpointIds: asset.ignored_endpoints.map((key) => `${asset.id}/${key}`),
    unboundEndpointIds: free.map((content) => endpointIdOf({ ...endpointOf(content), instanceId: asset.id })),
  }
}
