/** Delivers committed samples and alarm changes to the connections that watch them. */
import type { AlarmChange } from '../../alarms/statuses/alarm-change.ts'
import type { StoredSample } from '../../timeseries/storage/stored-sample.ts'
import { endConnection, OVERLOADED, sendData } from '../connections/connection.ts'
import { isOutdated, type Update, alarmUpdate, sampleUpdate } from './update.ts'
import type { Push, Subscription, TenantWatchers } from '../state.ts'

/** The bytes of JSON after which the next message of a batched subscription begins. */
const BATCH_BYTES = 256 * 1024

export function deliverSamples(push: Push, samples: StoredSample[]): void {
  if (push.watchers.size === 0) return
  const batches: Batches = new Map()
  let tenantId: string | undefined
  let ofTenant: TenantWatchers | undefined
  for (const sample of samples) {
    // Samples of one tenant mostly follow each other.
    if (sample.tenantId !== tenantId) ofTenant = push.watchers.get((tenantId = sample.tenantId))
    const watching = ofTenant?.telemetry[sample.ownerType].get(sample.ownerId)
    if (!watching) continue
    let update: Update | undefined
    for (const subscription of watching)
      if (subscription.names?.has(sample.name) ?? true)
        deliver(push, batches, subscription, (update ??= liveUpdate(sample)))
  }
  sendBatches(push, batches)
}

/** A sample without a time of arrival was stored at once. */
const liveUpdate = (sample: StoredSample): Update =>
  sampleUpdate(sample, sample.receivedAtMs === undefined ? { ...sample, receivedAtMs: Date.now() } : sample)

export function deliverAlarms(push: Push, changes: AlarmChange[]): void {
  const batches: Batches = new Map()
  for (const { tenantId, status } of changes) {
    const watching = push.watchers.get(tenantId)?.alarm.get(status.entityId)
    if (!watching) continue
    const update = alarmUpdate(status)
    for (const subscription of watching) deliver(push, batches, subscription, update)
  }
  sendBatches(push, batches)
}

/** Delivers the updates that arrived while the last values were read. */
export function deliverWaiting(push: Push, subscription: Subscription, updates: Update[]): void {
  const batches: Batches = new Map()
  for (const update of updates) deliver(push, batches, subscription, update)
  sendBatches(push, batches)
}

/** What batched subscriptions receive at the end of a delivery. */
type Batches = Map<Subscription, Update[]>

function deliver(push: Push, batches: Batches, subscription: Subscription, update: Update): void {
  if (!isWanted(push, subscription, update)) return
  const batch = batches.get(subscription)
  if (batch) batch.push(update)
  else if (subscription.batched) batches.set(subscription, [update])
  else sendUpdates(push, subscription, [update])
}

const sendBatches = (push: Push, batches: Batches) =>
  batches.forEach((updates, subscription) => sendUpdates(push, subscription, updates))

/** Whether an update is to be sent now. One that arrives before the last values are sent is kept until then. */
function isWanted(push: Push, subscription: Subscription, update: Update): boolean {
  const { start } = subscription
  if (start?.pending) {
    start.pending.push(update)
    start.pendingBytes += update.json.length
    if (start.pendingBytes > push.limits.maxPendingBytes)
      endConnection(
        push,
        subscription.connection,
        OVERLOADED,
        'More updates arrived than the connection can buffer at its start.',
      )
    return false
  }
  if (start && isOutdated(update, start.sent.get(update.key))) return false
  return subscription.samplingType !== 'first' || startWindow(subscription, update)
}

/** Sends each update as a message of its own, or a batched subscription as few messages. [docs/push#batches] */
export function sendUpdates(push: Push, subscription: Subscription, updates: Update[]): void {
  const { id, topic, connection, batched } = subscription
  const head = `{"topic":"${topic}","subscriptionId":"${id}",`
  if (!batched) for (const { json } of updates) sendData(push, connection, head + json)
  else
    for (const items of divideByBytes(updates))
      sendData(push, connection, `${head}"items":[${items.map(({ json }) => `{${json}`).join()}]}`)
}

/** @returns the updates in their order, in parts of 256 KiB; a larger one is a part of its own */
function divideByBytes(updates: Update[]): Update[][] {
  const parts: Update[][] = []
  let bytes = BATCH_BYTES
  for (const update of updates) {
    bytes += update.json.length
    if (bytes > BATCH_BYTES) {
      parts.push([])
      bytes = update.json.length
    }
    parts.at(-1)!.push(update)
  }
  return parts
}

/** The first value of a series opens a window; values that arrive within it are left out. [docs/push#sampling] */
function startWindow({ windows, sampleIntervalSeconds }: Subscription, { key }: Update): boolean {
  const nowMs = performance.now()
  const endMs = windows.get(key)
  if (endMs !== undefined && nowMs < endMs) return false
  windows.set(key, nowMs + sampleIntervalSeconds! * 1000)
  return true
}
