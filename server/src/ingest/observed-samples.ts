import { isWatched } from '../alarms/watch/memory.ts'
import type { StoredSample } from '../timeseries/storage/stored-sample.ts'
import type { StoreContext } from './batch.ts'
import type { Samples } from './samples.ts'

/**
 * Selects the samples that alarms and push observe: usually none of those of clients, and those of assets that an alarm
 * or a subscription names.
 * @param repeats samples that were stored before
 */
export function observedSamples(
  { alarms, push }: Pick<StoreContext, 'alarms' | 'push'>,
  measured: Samples[],
  repeats: ReadonlySet<Samples> = new Set(),
): StoredSample[] {
  const stored: StoredSample[] = []
  for (const samples of measured) {
    if (repeats.has(samples)) continue
    const { tenantId, owner, componentId, type, timeMs, names, values, receivedAtMs, traceparent } = samples
    const { tenantNumber, ownerType, ownerId } = owner
    const isObserved =
      (ownerType === 'asset' && isWatched(alarms.memory, tenantId, ownerId)) || push.isWatched(tenantId)
    if (!isObserved) continue
    for (let index = 0; index < names.length; index++) {
      const value = values[index]
      if (value === null) continue
      const name = names[index]!
      // Fields are listed instead of spread for speed, since this runs for every sample.
      const sample: StoredSample = {
        tenantId,
        tenantNumber,
        ownerType,
        ownerId,
        componentId,
        name,
        type,
        timeMs,
        value,
      }
      if (receivedAtMs !== undefined) sample.receivedAtMs = receivedAtMs
      if (traceparent !== undefined) sample.traceparent = traceparent
      stored.push(sample)
    }
  }
  return stored
}
