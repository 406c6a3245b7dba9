/** Changes the desired properties of a client for an update, in a local or remote twin. */
import type { Kysely } from 'kysely'
import { findLocatedClientByNumber, type LocatedClient } from '../../assets/bindings/located-client.ts'
import { type Delivery, deliverAll, insertDelivery } from '../../assets/properties/deliver.ts'
import { patchBetween } from '../../assets/properties/patch-between.ts'
import type { Actor } from '../../audit/record.ts'
import type { Context } from '../../context.ts'
import type { Tables } from '../../database/tables.ts'
import { runClientChange } from '../../providers/clients/client-changes.ts'
import { getClientForUpdate } from '../../providers/clients/store.ts'
import { getProviderKind } from '../../providers/kinds/get-provider-kind.ts'
import type { Twin } from '../../providers/kinds/provider-kind.ts'
import type { Properties } from '../../providers/twin/merge-patch.ts'
import { checkProperties } from '../../providers/twin/check-properties.ts'
import { changeDesired } from '../../providers/twin/set-desired.ts'
import { getDesired, getReported } from '../../providers/twin/store.ts'

/** The transaction and twin that a change works with. */
export interface ClientChange {
  tx: Kysely<Tables>
  twin: Twin
  /** Replaces these properties by the values; undefined removes a property. */
  set(values: Properties): Promise<void>
}

/**
 * Runs a transaction that locks the client; a remote provider is called after the commit. A remote twin is read before
 * the transaction, so that no lock is held during a network request. Does nothing if the client was deleted.
 * @throws errors of a remote provider
 */
export async function runDesiredChange(
  ctx: Context,
  actor: Actor,
  clientNumber: number,
  change: (client: ClientChange) => Promise<void>,
): Promise<void> {
  const client = await findLocatedClientByNumber(ctx.db, clientNumber)
  if (!client) return
  const ref = { tenantId: client.tenant_id, providerId: client.provider_id, clientId: client.id }
  const remoteTwin = await getProviderKind(client.provider_type).remote?.getTwin(ctx, ref, ROOT_COMPONENT)
  const deliveries = await runClientChange(ctx, async (tx, announce) => {
    const row = await getClientForUpdate(tx, ref)
    const delivered: Delivery[] = []
    const twin = remoteTwin ?? (await readLocalTwin(tx, clientNumber))
    const set = async (values: Properties) => {
      const patch = makePatch(twin.desired, values)
      if (Object.keys(patch).length === 0) return
      if (remoteTwin) delivered.push(await queueDelivery(tx, client, patch))
      else await changeDesired(tx, announce, { actor, client: row, change: { patch } })
    }
    await change({ tx, twin, set })
    return delivered
  })
  // The delivery is stored and retried until it succeeds.
  await deliverAll(ctx, deliveries).catch((error: Error) =>
    ctx.log.warn({ client: client.id, reason: error.message }, 'cannot deliver a firmware update yet'),
  )
}

const ROOT_COMPONENT = ''

async function readLocalTwin(tx: Kysely<Tables>, clientNumber: number): Promise<Twin> {
  return {
    desired: await getDesired(tx, clientNumber),
    reported: await getReported(tx, clientNumber),
  }
}

/** Makes a patch that replaces objects: merging the values would keep old keys of an object. */
const makePatch = (desired: Properties, values: Properties): Properties =>
  Object.fromEntries(
    Object.entries(values)
      .filter(([name, value]) => value !== undefined || Object.hasOwn(desired, name))
      .map(([name, value]) => [name, patchBetween(desired[name], value)]),
  )

function queueDelivery(tx: Kysely<Tables>, client: LocatedClient, patch: Properties): Promise<Delivery> {
  checkProperties(patch)
  return insertDelivery(tx, { client, componentId: ROOT_COMPONENT }, patch)
}
