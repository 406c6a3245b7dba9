/** What a connection gets, until it expires. Subscriptions live in memory, with their connection. */
import { createBoundedCache } from '../../lib/bounded-cache.ts'
import { newId } from '../../lib/ids.ts'
import type { SubscriptionBody } from './schema.ts'
import { addWatcher, deleteWatcher } from '../delivery/watchers.ts'
import type { Connection, Push, Subscription, WatchedOwner } from '../state.ts'

/** Series of one subscription whose sampling windows are remembered. */
const MAX_WINDOWS = 10_000

export const subscriptionShape = (subscription: Subscription) => ({
  id: subscription.id,
  connectionId: subscription.connection.id,
  user: subscription.connection.credentials.userId,
  topic: subscription.topic,
  startTimestamp: new Date(subscription.startedAtMs).toISOString(),
  assets: subscription.assets,
  samplingType: subscription.samplingType,
  sampleIntervalSeconds: subscription.sampleIntervalSeconds,
})

interface NewSubscription {
  connection: Connection
  body: SubscriptionBody
  owners: WatchedOwner[]
  /** Gives it its id. */
  replaced?: Subscription
}

export function putSubscription(
  push: Push,
  { connection, body, owners, replaced }: NewSubscription,
): Subscription {
  if (replaced) deleteSubscription(push, replaced)
  const sampleIntervalSeconds = body.sampleIntervalSeconds ?? null
  // Renewing it opens no window of a series again.
  const windows = replaced?.sampleIntervalSeconds === sampleIntervalSeconds ? replaced.windows : undefined
  const subscription: Subscription = {
    id: replaced?.id ?? newId(),
    tenantId: connection.credentials.tenantId,
    connection,
    topic: body.topic,
    samplingType: body.samplingType ?? 'none',
    sampleIntervalSeconds,
    assets: body.assets,
    owners,
    startedAtMs: Date.now(),
    start: undefined,
    windows: windows ?? createBoundedCache(MAX_WINDOWS),
  }
  // Whoever was put last expires last: the map's own order.
  push.subscriptions.set(subscription.id, subscription)
  connection.subscriptions.add(subscription)
  connection.assetCount += body.assets.length
  addWatcher(push.watchers, subscription)
  return subscription
}

export function deleteSubscription(push: Push, subscription: Subscription): void {
  const { id, connection, assets } = subscription
  if (push.subscriptions.get(id) !== subscription) return
  push.subscriptions.delete(id)
  connection.subscriptions.delete(subscription)
  connection.assetCount -= assets.length
  deleteWatcher(push.watchers, subscription)
}
