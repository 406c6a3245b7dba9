/**
 * A new subscription first gets what is known last: the newest value of each series, or the alarms that are open. What
 * arrives meanwhile waits and comes after; so nothing is missed, and nothing older follows something newer. [docs/push#last-known-values]
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Runtime } from '../../runtime.ts'
import { isBehind } from '../connections/connection.ts'
import { deliver, sendUpdate } from '../delivery/deliver.ts'
import { endSubscription } from './end-subscription.ts'
import { lastValues } from './last-values.ts'
import { openAlarms } from './open-alarms.ts'
import type { InitialState, Push, Subscription, WatchedOwner } from '../state.ts'

/** What was committed before the last values were read is pushed within this time, by whichever process. */
const SETTLED_MS = 5000
const LOOK_AGAIN_MS = 10

/**
 * From now on updates wait, until `bringUpToDate`.
 * @param before of the subscription that this one replaces
 */
export function beginStart(subscription: Subscription, before: InitialState | undefined): void {
  subscription.start = {
    pending: before?.pending ?? [],
    pendingBytes: before?.pending ? before.pendingBytes : 0,
    sent: new Map(before?.sent),
  }
}

/** @param owners whose last values it has not yet got */
export async function bringUpToDate(
  ctx: Pick<Runtime, 'db' | 'log'> & { push: Push },
  subscription: Subscription,
  owners: WatchedOwner[],
): Promise<void> {
  const { push } = ctx
  const { connection, tenantId } = subscription
  const start = subscription.start!
  const isOver = () => push.subscriptions.get(subscription.id) !== subscription
  try {
    await push.relay?.watch(tenantId)
    const pages = subscription.topic === 'alarm' ? openAlarms : lastValues
    const updatesInPages = pages(ctx.db, tenantId, owners)
    for (;;) {
      const { value: updates, done } = await push.readInTurn(() => updatesInPages.next())
      if (done) break
      while (!isOver() && isBehind(push, connection)) await sleep(LOOK_AGAIN_MS)
      if (isOver()) return
      for (const update of updates) {
        start.sent.set(update.key, { position: update.position, value: update.value })
        sendUpdate(push, subscription, update)
      }
    }
  } catch (error) {
    ctx.log.warn({ err: error }, 'last values were not found')
    if (!isOver()) endSubscription(push, subscription, 'The last values could not be read. Subscribe again.')
  }
  const pending = start.pending ?? []
  start.pending = undefined
  if (isOver()) return
  for (const update of pending) deliver(push, subscription, update)
  setTimeout(() => start.sent.clear(), SETTLED_MS).unref()
}
