/** What a connection gets, until it expires. Subscriptions live in memory, with their connection. */
import { createBoundedCache, type BoundedCache } from '../lib/memo.ts'
import { newId } from '../lib/ids.ts'
import type { Connection } from './connection.ts'
import type { Push } from './push.ts'
import type { SubscriptionBody } from './schema.ts'
import type { Start } from './start-of-subscription.ts'
import { addWatcher, deleteWatcher, type WatchedOwner } from './watchers.ts'

/** Series of one subscription whose sampling windows are remembered. */
const MAX_WINDOWS = 10_000

export interface Subscription {
  id: string
  tenantId: string
  connection: Connection
  topic: SubscriptionBody['topic']
  samplingType: 'none' | 'first'
  sampleIntervalSeconds: number | null
  assets: string[]
  owners: WatchedOwner[]
  startedAtMs: number
  /** How it is brought up to date; what arrives meanwhile waits. */
  start: Start | undefined
  /** By series, until when its sampling window lasts. */
  windows: BoundedCache<string, number>
}

/** @param replaced keeps its id, and with it its start where that is not over */
export function putSubscription(
  push: Push,
  connection: Connection,
  { body, owners, replaced }: { body: SubscriptionBody; owners: WatchedOwner[]; replaced?: Subscription },
): Subscription {
  if (replaced) dropSubscription(push, replaced)
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

export function dropSubscription(push: Push, subscription: Subscription): void {
  const { id, connection, assets } = subscription
  if (push.subscriptions.get(id) !== subscription) return
  push.subscriptions.delete(id)
  connection.subscriptions.delete(subscription)
  connection.assetCount -= assets.length
  deleteWatcher(push.watchers, subscription)
}
