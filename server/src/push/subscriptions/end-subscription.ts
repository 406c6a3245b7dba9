/** Ends and expires subscriptions, and notifies their clients. */
import { sendData } from '../connections/connection.ts'
import { deleteSubscription } from './subscription.ts'
import type { Push, Subscription } from '../state.ts'

/** Deletes the subscription and notifies its client. */
export function endSubscription(push: Push, subscription: Subscription, reason: string): void {
  const { id, connection } = subscription
  deleteSubscription(push, subscription)
  sendData(push, connection, subscriptionEvent(id, { event: 'ended', reason }))
}

/** [docs/push#subscriptions] */
export function expireSubscriptions(push: Push): void {
  const until = Date.now() - push.limits.subscriptionMs
  for (const subscription of push.subscriptions.values()) {
    if (subscription.startedAtMs > until) return
    deleteSubscription(push, subscription)
    sendData(push, subscription.connection, subscriptionEvent(subscription.id, { event: 'expired' }))
  }
}

const subscriptionEvent = (subscriptionId: string, event: object) =>
  JSON.stringify({ topic: 'subscription', subscriptionId, ...event })
