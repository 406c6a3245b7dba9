/** A subscription selects what its connection receives, until it expires. Subscriptions are held in memory only. */
import { createBoundedCache } from '../../lib/bounded-cache.ts'
import { newId } from '../../lib/ids.ts'
import type { SubscriptionBody } from './schema.ts'
import { addWatcher, deleteWatcher } from '../delivery/watchers.ts'
import type { Connection, Push, Subscription, WatchedOwner } from '../state.ts'

/** The number of series of one subscription whose sampling windows are cached. */
const MAX_WINDOWS = 10_000

export const subscriptionShape = (subscription: Subscription) => ({
  id: subscription.id,
  connectionId: subscription.connection.id,
  user: subscription.connection.credentials.userId,
  topic: subscription.topic,
  startTimestamp: new Date(subscription.startedAtMs).toISOString(),
  assets: subscription.assets,
  timeseriesName: subscription.timeseriesName,
  batched: subscription.batched,
  samplingType: subscription.samplingType,
  sampleIntervalSeconds: subscription.sampleIntervalSeconds,
})

/** What a subscription counts for the limit of its user. */
export const countEntries = ({
  assets,
  timeseriesName,
}: Pick<SubscriptionBody, 'assets' | 'timeseriesName'>): number =>
  assets.length + (timeseriesName?.length ?? 0)

interface NewSubscription {
  connection: Connection
  body: SubscriptionBody
  owners: WatchedOwner[]
  /** The subscription to replace; the new one keeps its id. */
  replaced?: Subscription
}

export function putSubscription(
  push: Push,
  { connection, body, owners, replaced }: NewSubscription,
): Subscription {
  if (replaced) deleteSubscription(push, replaced)
  const sampleIntervalSeconds = body.sampleIntervalSeconds ?? null
  // Renewing a subscription does not restart its sampling windows.
  const windows = replaced?.sampleIntervalSeconds === sampleIntervalSeconds ? replaced.windows : undefined
  const subscription: Subscription = {
    id: replaced?.id ?? newId(),
    tenantId: connection.credentials.tenantId,
    connection,
    topic: body.topic,
    samplingType: body.samplingType ?? 'none',
    sampleIntervalSeconds,
    assets: body.assets,
    timeseriesName: body.timeseriesName ?? null,
    names: body.timeseriesName ? new Set(body.timeseriesName) : undefined,
    batched: body.batched ?? false,
    owners,
    startedAtMs: Date.now(),
    start: undefined,
    windows: windows ?? createBoundedCache(MAX_WINDOWS),
  }
  // The map keeps the order of insertion, so that the subscription that was put last expires last.
  push.subscriptions.set(subscription.id, subscription)
  connection.subscriptions.add(subscription)
  connection.entryCount += countEntries(subscription)
  addWatcher(push.watchers, subscription)
  return subscription
}

export function deleteSubscription(push: Push, subscription: Subscription): void {
  const { id, connection } = subscription
  if (push.subscriptions.get(id) !== subscription) return
  push.subscriptions.delete(id)
  connection.subscriptions.delete(subscription)
  connection.entryCount -= countEntries(subscription)
  deleteWatcher(push.watchers, subscription)
}
