/**
 * Sets an asset's desired properties: merges the patch, checks limits, increments the version and writes the audit log.
 * Bound properties go through `inverseTransform` to the clients in the same transaction. [docs/assets#properties]
 */
import type { Kysely } from 'kysely'
import { recordAudit } from '../../audit/record.ts'
import type { Context } from '../../context.ts'
import type { Tables } from '../../database/tables.ts'
import type { Caller } from '../../http/access.ts'
import { ApiError, validationError } from '../../http/errors.ts'
import { LogicError } from '../../lib/json-logic.ts'
import { runClientChange } from '../../providers/clients/client-changes.ts'
import { nestUnderComponent } from '../../providers/components.ts'
import { mergePatch, type Properties } from '../../providers/twin/merge-patch.ts'
import { checkProperties } from '../../providers/twin/check-properties.ts'
import { checkDesiredSize } from '../../providers/twin/set-desired.ts'
import { type Outgoing, outgoingValues } from '../bindings/outgoing.ts'
import { type Binding, listBindings, type Remote } from '../bindings/store.ts'
import { formatEndpointId, localEndpointKey } from '../endpoints.ts'
import { listModelContents } from '../models/contents.ts'
import { getModel } from '../models/store.ts'
import { getAsset } from '../records/store.ts'
import { type ChangedProperty, listChangedProperties } from './changed-properties.ts'
import { changeClients, type ClientPatch } from './change-clients.ts'
import { deliverAll } from './deliver.ts'
import { combinePatches, patchBetween } from './patch-between.ts'
import { getAssetProperties, lockBoundAssets, updateAssetDesired } from './store.ts'

/** Bindings cannot form a loop, except when two are created at the same moment. */
const MAX_DISTANCE = 16

/**
 * @param patch null removes a property
 * @returns the full desired state with `$version`
 * @throws not_found, validation_error, payload_too_large; the error of a remote provider, after everything has committed
 */
export async function setAssetDesired(
  ctx: Context,
  caller: Caller,
  assetId: string,
  patch: Properties,
): Promise<Properties> {
  checkProperties(patch)
  const { desired, deliveries } = await runClientChange(ctx, async (tx, announce) => {
    await lockBoundAssets(tx, caller.tenantId, assetId)
    const change: Change = { tx, tenantId: caller.tenantId, twins: new Map(), outgoing: [] }
    await changeAssets(change, assetId, patch)
    const twin = change.twins.get(assetId)!
    const undelivered = await changeClients(tx, announce, caller, change.outgoing)
    // Twins of assets are locked after those of clients, in the order of incoming reports, to avoid a deadlock.
    for (const changed of change.twins.values()) await storeTwin(tx, caller, changed)
    return { deliveries: undelivered, desired: { ...twin.desired, $version: twin.version } }
  })
  await deliverAll(ctx, deliveries)
  return desired
}

interface Change {
  tx: Kysely<Tables>
  tenantId: string
  /** The changed twins by asset id. Bindings may lead to an asset twice. */
  twins: Map<string, ChangedTwin>
  /** Patches for clients, from all assets along the bindings. */
  outgoing: ClientPatch[]
}

interface ChangedTwin {
  assetId: string
  number: number
  modelId: string
  desired: Properties
  version: number
  patch: Properties
}

/** Patches by asset id. */
type AssetPatches = Map<string, Properties[]>

/**
 * Changes the asset, then those that it is bound to, and so on: each asset once at each distance, with all patches for it
 * together, since the paths to it may be many more than the assets on them.
 */
async function changeAssets(change: Change, assetId: string, patch: Properties): Promise<void> {
  let patches: AssetPatches = new Map([[assetId, [patch]]])
  for (let distance = 0; patches.size > 0; distance++) {
    if (distance > MAX_DISTANCE)
      throw new ApiError('conflict', `The bindings of ${assetId} go over too many assets, or in a circle.`)
    const next: AssetPatches = new Map()
    for (const [id, ofAsset] of patches) await changeAsset(change, id, combinePatches(ofAsset), next)
    patches = next
  }
}

/** @param next receives the patches for assets that this one is bound to */
async function changeAsset(
  change: Change,
  assetId: string,
  patch: Properties,
  next: AssetPatches,
): Promise<void> {
  const { tx, tenantId, twins } = change
  const twin = twins.get(assetId) ?? (await readTwin(tx, tenantId, assetId))
  twins.set(assetId, twin)
  const contents = await listModelContents(tx, await getModel(tx, tenantId, twin.modelId))
  const after = checkDesiredSize(mergePatch(twin.desired, patch))
  const changed = listChangedProperties(contents, twin.desired, patch, after)
  twin.desired = after
  twin.patch = combinePatches([twin.patch, patch])
  const outgoing = outgoingPatches(await listBindings(tx, tenantId, assetId), changed)
  addOutgoing(outgoing, change.outgoing, next)
}

async function readTwin(tx: Kysely<Tables>, tenantId: string, assetId: string): Promise<ChangedTwin> {
  const { number, model_id: modelId } = await getAsset(tx, tenantId, assetId)
  const { $version, ...desired } = await getAssetProperties(tx, number, 'desired')
  return { assetId, number, modelId, desired, version: ($version as number) + 1, patch: {} }
}

async function storeTwin(tx: Kysely<Tables>, caller: Caller, twin: ChangedTwin): Promise<void> {
  const { assetId, number, desired, version, patch } = twin
  await updateAssetDesired(tx, number, desired, version)
  const after = { patch, $version: version }
  await recordAudit(tx, caller, {
    action: 'set-desired',
    resourceType: 'asset',
    resourceId: assetId,
    after,
  })
}

function addOutgoing(outgoing: Outgoing[], ofClients: ClientPatch[], ofAssets: AssetPatches): void {
  for (const { remote, value } of outgoing) {
    const { instanceType, instanceId, componentId, name } = remote
    if (instanceType === 'client') {
      ofClients.push({ clientId: instanceId, componentId, name, value })
      continue
    }
    const patch = nestUnderComponent(componentId, { [name]: value })
    const patches = ofAssets.get(instanceId)
    if (patches) patches.push(patch)
    else ofAssets.set(instanceId, [patch])
  }
}

function outgoingPatches(bindings: Binding[], changed: ChangedProperty[]): Outgoing[] {
  const bound = new Map(bindings.map((binding) => [localEndpointKey(binding), binding]))
  return changed.flatMap(({ componentId, name, before, after }) => {
    const binding = bound.get(localEndpointKey({ componentId, kind: 'property', name }))
    if (!binding) return []
    if (after === undefined) return binding.remotes.map((remote) => ({ remote, value: null }))
    const earlier = computePrevious(binding, before)
    return computeOutgoing(binding, after).map(({ remote, value }) => ({
      remote,
      value: patchBetween(earlier.get(remote), value),
    }))
  })
}

function computeOutgoing(binding: Binding, value: unknown): Outgoing[] {
  try {
    return outgoingValues(binding, value)
  } catch (error) {
    if (!(error instanceof LogicError)) throw error
    const endpoint = formatEndpointId({ ...binding, instanceId: binding.assetId })
    throw validationError({
      path: binding.name,
      message: `the inverseTransform of ${endpoint} ${error.message}`,
    })
  }
}

/** Computes the previous values of the remotes, so that the patch removes what is missing from the new ones. */
function computePrevious(binding: Binding, value: unknown): Map<Remote, unknown> {
  if (value === undefined) return new Map()
  try {
    return new Map(outgoingValues(binding, value).map((outgoing) => [outgoing.remote, outgoing.value]))
  } catch (error) {
    if (!(error instanceof LogicError)) throw error
    return new Map()
  }
}
