import type { Kysely } from 'kysely'
import type { Tables } from '../../database/tables.ts'
import { LogicError } from '../../lib/json-logic.ts'
import { pickComponentProperties } from '../../providers/components.ts'
import { ownValue } from '../../providers/twin/merge-patch.ts'
import { type Outgoing, outgoingValues } from '../bindings/outgoing.ts'
import type { Binding } from '../bindings/store.ts'
import type { ClientPatch } from './change-clients.ts'
import { getAssetProperties } from './store.ts'

/** Computes the patches that bring an asset's desired properties to one client through these bindings. */
export async function listDesiredPatches(
  tx: Kysely<Tables>,
  assetNumber: number,
  bindings: Binding[],
  clientId: string,
): Promise<ClientPatch[]> {
  const desired = await getAssetProperties(tx, assetNumber, 'desired')
  return bindings
    .filter(({ kind }) => kind === 'property')
    .flatMap((binding) =>
      computeOutgoing(binding, ownValue(pickComponentProperties(desired, binding.componentId), binding.name)),
    )
    .filter(({ remote }) => remote.instanceType === 'client' && remote.instanceId === clientId)
    .map(({ remote: { componentId, name }, value }) => ({ clientId, componentId, name, value }))
}

function computeOutgoing(binding: Binding, value: unknown): Outgoing[] {
  if (value === undefined) return []
  try {
    return outgoingValues(binding, value)
  } catch (error) {
    // The previous client did not get such a value either.
    if (error instanceof LogicError) return []
    throw error
  }
}
