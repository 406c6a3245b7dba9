import type { SubscriptionRequest, TelemetryEvent } from '@gangway/client'
import type { LiveStore } from './LiveProvider.tsx'
import { seriesKey } from './series-key.ts'

interface Options {
  onGap?: () => void
  onEnd?: (error: Error) => void
}

/**
 * Subscribes to values, and records their arrival for the age in the top bar.
 *
 * @param onValue receives whether a value is the first of its series since the connection is live: this one is the last
 * known value, which may be old
 */
export function watchValues(
  live: LiveStore,
  request: Omit<SubscriptionRequest<'telemetry'>, 'topic'>,
  onValue: (event: TelemetryEvent, isFirst: boolean) => void,
  options?: Options,
) {
  const seen = createFirstSeen(live.countBreaks)
  return live.connect().subscribe(
    { topic: 'telemetry', ...request },
    (event) => {
      const isFirst = seen.isFirst(event)
      live.recordValue(chooseArrival(event, isFirst, Date.now()))
      onValue(event, isFirst)
    },
    options,
  )
}

/** After a break of the connection, the last known values come again. */
function createFirstSeen(countBreaks: () => number) {
  const keys = new Set<string>()
  let breaks = countBreaks()
  return {
    isFirst: (event: TelemetryEvent) => {
      if (breaks !== countBreaks()) keys.clear()
      breaks = countBreaks()
      const key = seriesKey(event)
      const isFirst = !keys.has(key)
      keys.add(key)
      return isFirst
    },
  }
}

/**
 * When a value came, for its age. A live value came now, whatever the clock of its device says; a last known value
 * came at its own time, but not in the future.
 */
export const chooseArrival = (
  { time }: Pick<TelemetryEvent, 'time'>,
  isFirst: boolean,
  nowMs: number,
): number => (isFirst ? Math.min(nowMs, Date.parse(time)) : nowMs)
