/**
 * Sends bound properties of assets to clients as one merged patch for each client: clients of the broker are changed
 * here, clients of remote providers get a delivery.
 */
import type { Kysely } from 'kysely'
import type { Tables } from '../../database/tables.ts'
import type { Caller } from '../../http/access.ts'
import { ApiError } from '../../http/errors.ts'
import type { Announce } from '../../providers/clients/client-changes.ts'
import { getClientForUpdate } from '../../providers/clients/store.ts'
import { nestUnderComponent } from '../../providers/components.ts'
import { getProviderKind } from '../../providers/kinds/get-provider-kind.ts'
import type { Properties } from '../../providers/twin/merge-patch.ts'
import { checkProperties } from '../../providers/twin/check-properties.ts'
import { changeDesired, type DesiredChange } from '../../providers/twin/set-desired.ts'
import { findLocatedClient } from '../bindings/located-client.ts'
import { type Delivery, insertDelivery } from './deliver.ts'
import { combinePatches } from './patch-between.ts'

export interface ClientPatch {
  clientId: string
  componentId: string
  name: string
  value: unknown
}

/** @returns the deliveries to send when the transaction has committed */
export async function changeClients(
  tx: Kysely<Tables>,
  announce: Announce,
  caller: Caller,
  patches: ClientPatch[],
): Promise<Delivery[]> {
  const deliveries: Delivery[] = []
  // The clients are locked in one order, to avoid a deadlock.
  for (const [clientId, ofClient] of groupByClient(patches)) {
    const client = await findLocatedClient(tx, caller.tenantId, clientId)
    if (!client)
      throw new ApiError('conflict', `The provider client ${clientId} no longer exists. Change the bindings.`)
    const ref = { tenantId: caller.tenantId, providerId: client.provider_id, clientId }
    const row = await getClientForUpdate(tx, ref)
    if (getProviderKind(client.provider_type).remote)
      for (const [componentId, patch] of combineByModule(ofClient)) {
        checkProperties(patch)
        deliveries.push(await insertDelivery(tx, { client, componentId }, patch))
      }
    else await changeDesired(tx, announce, { actor: caller, client: row, change: combineChange(ofClient) })
  }
  return deliveries
}

/** @returns the patches by client id, ordered by it */
function groupByClient(patches: ClientPatch[]): [clientId: string, patches: ClientPatch[]][] {
  const groups = new Map<string, ClientPatch[]>()
  for (const patch of patches) {
    const group = groups.get(patch.clientId)
    if (group) group.push(patch)
    else groups.set(patch.clientId, [patch])
  }
  return [...groups].toSorted(([one], [other]) => (one < other ? -1 : 1))
}

/** Combines the patches of each module of a hub, since each module has its own twin. */
function combineByModule(patches: ClientPatch[]): [componentId: string, patch: Properties][] {
  const twins = new Map<string, Properties[]>()
  for (const { componentId, name, value } of patches) {
    const patch = { [name]: value }
    const ofModule = twins.get(componentId)
    if (ofModule) ofModule.push(patch)
    else twins.set(componentId, [patch])
  }
  return [...twins].map(([componentId, ofModule]) => [componentId, combinePatches(ofModule)])
}

/** Combines all patches of a client without modules, where a component is an object in the client's twin. */
const combineChange = (patches: ClientPatch[]): DesiredChange => ({
  patch: combinePatches(
    patches.map(({ componentId, name, value }) => nestUnderComponent(componentId, { [name]: value })),
  ),
  componentIds: new Set(patches.map(({ componentId }) => componentId).filter((id) => id !== '')),
})
