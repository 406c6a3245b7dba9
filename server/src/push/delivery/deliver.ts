/** Delivers committed samples and alarm changes to the connections that watch them. */
import type { AlarmChange } from '../../alarms/statuses/alarm-change.ts'
import type { StoredSample } from '../../timeseries/storage/stored-sample.ts'
import { endConnection, OVERLOADED, sendData } from '../connections/connection.ts'
import { isOutdated, type Update, alarmUpdate, sampleUpdate } from './update.ts'
import type { Push, Subscription, TenantWatchers } from '../state.ts'

export function deliverSamples(push: Push, samples: StoredSample[]): void {
  if (push.watchers.size === 0) return
  let tenantId: string | undefined
  let ofTenant: TenantWatchers | undefined
  for (const sample of samples) {
    // Samples of one tenant mostly follow each other.
    if (sample.tenantId !== tenantId) ofTenant = push.watchers.get((tenantId = sample.tenantId))
    const watching = ofTenant?.telemetry[sample.ownerType].get(sample.ownerId)
    if (!watching) continue
    const update = sampleUpdate(sample, sample)
    for (const subscription of watching) deliver(push, subscription, update)
  }
}

export function deliverAlarms(push: Push, changes: AlarmChange[]): void {
  for (const { tenantId, status } of changes) {
    const watching = push.watchers.get(tenantId)?.alarm.get(status.entityId)
    if (!watching) continue
    const update = alarmUpdate(status)
    for (const subscription of watching) deliver(push, subscription, update)
  }
}

export function deliver(push: Push, subscription: Subscription, update: Update): void {
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
    return
  }
  if (start && isOutdated(update, start.sent.get(update.key))) return
  if (subscription.samplingType === 'first' && !startWindow(subscription, update)) return
  sendUpdate(push, subscription, update)
}

export function sendUpdate(push: Push, { id, topic, connection }: Subscription, { json }: Update): void {
  sendData(push, connection, `{"topic":"${topic}","subscriptionId":"${id}",${json}`)
}

/** The first value of a series opens a window; values that arrive within it are left out. [docs/push#sampling] */
function startWindow({ windows, sampleIntervalSeconds }: Subscription, { key }: Update): boolean {
  const nowMs = performance.now()
  const endMs = windows.get(key)
  if (endMs !== undefined && nowMs < endMs) return false
  windows.set(key, nowMs + sampleIntervalSeconds! * 1000)
  return true
}
