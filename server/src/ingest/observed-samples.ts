import { isWatched } from '../alarms/watch/memory.ts'
import type { StoredSample } from '../timeseries/storage/stored-sample.ts'
import type { StoreContext } from './batch.ts'
import type { Samples } from './samples.ts'

/**
 * Selects the samples that alarms and push observe: usually none of those of clients, and those of assets that an alarm
 * or a subscription names.
 * @param repeats positions in the batch of samples that were stored before
 */
export function observedSamples(
  { alarms, push }: Pick<StoreContext, 'alarms' | 'push'>,
  measured: Samples[],
  repeats: number[] = [],
): StoredSample[] {
  const known = new Set(repeats)
  const stored: StoredSample[] = []
  let place = 0
  for (const { tenantId, owner, componentId, type, timeMs, names, values } of measured) {
    const { tenantNumber, ownerType, ownerId } = owner
    const isObserved =
      (ownerType === 'asset' && isWatched(alarms.memory, tenantId, ownerId)) || push.isWatched(tenantId)
    for (let index = 0; index < names.length; index++) {
      const value = values[index]
      if (value === null || known.has(place++) || !isObserved) continue
      const name = names[index]!
      // Fields are listed instead of spread for speed, since this runs for every sample.
      stored.push({ tenantId, tenantNumber, ownerType, ownerId, componentId, name, type, timeMs, value })
    }
  }
  return stored
}
