/**
 * A new subscription first gets the last known values: the newest value of each series, or the open alarms. Updates that
 * arrive meanwhile wait and are sent afterwards, so that none is missed and no older one follows a newer one.
 * [docs/push#last-known-values]
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Runtime } from '../../runtime.ts'
import { endConnection, isBehind, REFUSED } from '../connections/connection.ts'
import { deliverWaiting, sendUpdates } from '../delivery/deliver.ts'
import type { Update } from '../delivery/update.ts'
import { lastValues } from './last-values.ts'
import { openAlarms } from './open-alarms.ts'
import type { Fresh, InitialState, Push, Subscription } from '../state.ts'

/** Updates that were committed before the last values were read are pushed within this time, by any node. */
const SETTLED_MS = 5000
const LOOK_AGAIN_MS = 10

/**
 * Makes updates wait until `bringUpToDate` has sent the last values.
 * @param before the initial state of the subscription that this one replaces
 */
export function beginStart(subscription: Subscription, before: InitialState | undefined): void {
  const pending = selectUpdates(subscription, before?.pending ?? [])
  subscription.start = {
    pending,
    pendingBytes: pending.reduce((bytes, { json }) => bytes + json.length, 0),
    sent: new Map(before?.sent),
  }
}

/** Selects the updates of the assets and signals that a subscription names; the one that it replaces may name others. */
function selectUpdates({ owners, names }: Subscription, updates: Update[]): Update[] {
  const ids = new Set(owners.map(({ ownerId }) => ownerId))
  const isNamed = (name: string | undefined) => names === undefined || (name !== undefined && names.has(name))
  return updates.filter(({ ownerId, name }) => ids.has(ownerId) && isNamed(name))
}

export async function bringUpToDate(
  ctx: Pick<Runtime, 'db' | 'log'> & { push: Push },
  subscription: Subscription,
  fresh: Fresh,
): Promise<void> {
  const { push } = ctx
  const { connection, tenantId } = subscription
  const start = subscription.start!
  const isOver = () => push.subscriptions.get(subscription.id) !== subscription
  try {
    // Alarms of other nodes come by a channel.
    if (subscription.topic === 'telemetry') await push.relay?.watch(subscription)
    const updatesInPages =
      subscription.topic === 'alarm'
        ? openAlarms(ctx.db, tenantId, fresh.owners)
        : lastValues(ctx.db, subscription, fresh)
    for (;;) {
      const { value: updates, done } = await push.readInTurn(() => updatesInPages.next())
      if (done) break
      while (!isOver() && isBehind(push, connection)) await sleep(LOOK_AGAIN_MS)
      if (isOver()) return
      for (const update of updates)
        start.sent.set(update.key, { position: update.position, value: update.value })
      sendUpdates(push, subscription, updates)
    }
  } catch (error) {
    ctx.log.warn({ err: error }, 'last values could not be read')
    // Clients open a new connection then, but do not subscribe again after the end of a subscription.
    if (!isOver())
      endConnection(push, connection, REFUSED, 'The last values could not be read. Open a new connection.')
  }
  const pending = start.pending ?? []
  start.pending = undefined
  if (isOver()) return
  deliverWaiting(push, subscription, pending)
  setTimeout(() => start.sent.clear(), SETTLED_MS).unref()
}
