/** Gives data to the watch that they belong to. */
import type { PushedData } from './events.ts'
import { giveEvents, type Live } from './live.ts'
import { applySubscriptionEvent } from './synchronize.ts'

export function deliver(live: Live, data: PushedData): void {
  const watch = live.watchesById.get(data.subscriptionId)
  if (!watch) return hold(live, data)
  if (data.topic !== 'subscription') return giveEvents(watch, data)
  applySubscriptionEvent(live, watch, data)
}

/** Data may arrive before the answer that names their subscription. Those of a stopped one are left out. */
function hold({ pendingSubscriptions, heldById }: Live, data: PushedData): void {
  if (pendingSubscriptions === 0) return
  const held = heldById.get(data.subscriptionId)
  if (held) held.push(data)
  else heldById.set(data.subscriptionId, [data])
}
