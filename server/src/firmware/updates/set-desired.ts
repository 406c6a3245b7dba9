/** Desired properties of a client that an update concerns, wherever its twin is kept. */
import type { Kysely } from 'kysely'
import { findLocatedClientByNumber, type LocatedClient } from '../../assets/bindings/located-client.ts'
import { type Delivery, deliverAll, insertDelivery } from '../../assets/properties/deliver.ts'
import { patchBetween } from '../../assets/properties/patch-between.ts'
import type { Actor } from '../../audit/record.ts'
import type { Context } from '../../context.ts'
import type { Tables } from '../../database/tables.ts'
import { changingClient } from '../../providers/clients/client-changes.ts'
import { getClientForUpdate } from '../../providers/clients/store.ts'
import { kindOf } from '../../providers/kinds/kind-of.ts'
import type { Twin } from '../../providers/kinds/kind.ts'
import type { Properties } from '../../providers/twin/merge-patch.ts'
import { refuseUnusable } from '../../providers/twin/refuse-unusable.ts'
import { changeDesired } from '../../providers/twin/set-desired.ts'
import { getDesired, getReported } from '../../providers/twin/store.ts'

/** What a change of the client may do. */
export interface ClientChange {
  tx: Kysely<Tables>
  twin: Twin
  /** These properties become these values, whatever they were; undefined takes one away. */
  set(values: Properties): Promise<void>
}

/**
 * Runs a transaction that holds the client's lock; a client that somebody else keeps is told once it has committed.
 * Its twin is asked for before, so that no lock waits for a network.
 * @returns nothing where the client is gone
 * @throws what asking a provider elsewhere throws
 */
export async function changingDesired(
  ctx: Context,
  actor: Actor,
  clientNumber: number,
  change: (client: ClientChange) => Promise<void>,
): Promise<void> {
  const client = await findLocatedClientByNumber(ctx.db, clientNumber)
  if (!client) return
  const ref = { tenantId: client.tenant_id, providerId: client.provider_id, clientId: client.id }
  const remoteTwin = await kindOf(client.provider_type).remote?.getTwin(ctx, ref, ROOT_COMPONENT)
  const deliveries = await changingClient(ctx, async (tx, announce) => {
    const row = await getClientForUpdate(tx, ref)
    const delivered: Delivery[] = []
    const twin = remoteTwin ?? (await ownTwin(tx, clientNumber))
    const set = async (values: Properties) => {
      const patch = makePatch(twin.desired, values)
      if (Object.keys(patch).length === 0) return
      if (remoteTwin) delivered.push(await deliver(tx, client, patch))
      else await changeDesired(tx, announce, { actor, client: row, change: { patch } })
    }
    await change({ tx, twin, set })
    return delivered
  })
  // It is stored, and sent again until it is there.
  await deliverAll(ctx, deliveries).catch((error: Error) =>
    ctx.log.warn({ client: client.id, reason: error.message }, 'a firmware update is not delivered yet'),
  )
}

const ROOT_COMPONENT = ''

async function ownTwin(tx: Kysely<Tables>, clientNumber: number): Promise<Twin> {
  return {
    desired: await getDesired(tx, clientNumber),
    reported: await getReported(tx, clientNumber),
  }
}

/** A merge would leave what an object had before among what it is to be. */
const makePatch = (desired: Properties, values: Properties): Properties =>
  Object.fromEntries(
    Object.entries(values)
      .filter(([name, value]) => value !== undefined || Object.hasOwn(desired, name))
      .map(([name, value]) => [name, patchBetween(desired[name], value)]),
  )

function deliver(tx: Kysely<Tables>, client: LocatedClient, patch: Properties): Promise<Delivery> {
  refuseUnusable(patch)
  return insertDelivery(tx, { client, componentId: ROOT_COMPONENT }, patch)
}
