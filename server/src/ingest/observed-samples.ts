import { isWatched } from '../alarms/watch/memory.ts'
import type { Context } from '../context.ts'
import type { StoredSample } from '../timeseries/storage/stored-sample.ts'
import type { Samples } from './samples.ts'

type Observers = Pick<Context, 'alarms' | 'push'>

export interface Observed {
  /** The samples that somebody observed when the commit was prepared. */
  samples: StoredSample[]
  /**
   * Call it after the commit. The result includes samples of tenants that were first watched during the commit, because
   * such a subscriber may have read the last values before it.
   */
  readCommitted(): StoredSample[]
}

/**
 * Selects the samples that alarms and push observe: usually none of those of clients, and those of assets that an alarm
 * or a subscription names.
 * @param repeats samples that were stored before
 */
export function observeSamples(
  observers: Observers,
  measured: Samples[],
  repeats: ReadonlySet<Samples> = new Set(),
): Observed {
  const { push } = observers
  const samples = selectSamples(observers, measured, repeats)
  const unwatched = new Set<string>()
  for (const { tenantId } of measured) if (!push.isWatched(tenantId)) unwatched.add(tenantId)
  const isMoreWatched = () => [...unwatched].some((tenantId) => push.isWatched(tenantId))
  return {
    samples,
    readCommitted: () => (isMoreWatched() ? selectSamples(observers, measured, repeats) : samples),
  }
}

function selectSamples(
  { alarms, push }: Observers,
  measured: Samples[],
  repeats: ReadonlySet<Samples>,
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
