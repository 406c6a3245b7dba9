import type { TelemetryEvent } from '@gangway/client'
import { useEffect, useRef, useState } from 'react'
import { useLiveStore } from './LiveProvider.tsx'
import { seriesKey } from './series-key.ts'
import { watchValues } from './watch-values.ts'

export interface LatestValues {
  /** By `seriesKey`, in the order of their names. */
  values: ReadonlyMap<string, TelemetryEvent>
  /** Whether the server sends values; until then nothing is known. */
  isStarted: boolean
  /** Why the server refuses to send them, or has stopped. */
  error: Error | null
  /** Subscribes again after the server has refused the subscription. */
  retry: () => void
}

/**
 * Subscribes to the newest values of all series of some assets or provider clients. After a break the server sends the
 * last known values again, so the values are the same as after a reload of the page.
 */
export function useLatestValues(assets: string[]): LatestValues {
  const live = useLiveStore()
  const [values, setValues] = useState<ReadonlyMap<string, TelemetryEvent>>(new Map())
  const [isStarted, setStarted] = useState(false)
  const [error, setError] = useState<Error | null>(null)
  const [attempts, setAttempts] = useState(0)
  const waiting = useRef<TelemetryEvent[]>([])
  const key = JSON.stringify(assets)

  useEffect(() => {
    let frame = 0
    const show = () => {
      frame = 0
      const events = waiting.current.splice(0)
      setValues((present) => withEvents(present, events))
    }
    const onEvent = (event: TelemetryEvent) => {
      waiting.current.push(event)
      // However many values come, the page is drawn once a frame.
      if (frame === 0) frame = requestAnimationFrame(show)
    }
    const request = { assets: JSON.parse(key) as string[] }
    const subscription = watchValues(live, request, onEvent, { onEnd: setError })
    subscription.started.then(
      () => setStarted(true),
      () => {},
    )
    return () => {
      cancelAnimationFrame(frame)
      waiting.current = []
      subscription.stop()
      setValues(new Map())
      setStarted(false)
      setError(null)
    }
  }, [live, key, attempts])
  return { values, isStarted, error, retry: () => setAttempts((count) => count + 1) }
}

/** A value may come late; the one that was measured last stays. */
function withEvents(present: ReadonlyMap<string, TelemetryEvent>, events: TelemetryEvent[]) {
  const next = new Map(present)
  for (const event of events) {
    const before = next.get(seriesKey(event))
    if (before === undefined || before.time <= event.time) next.set(seriesKey(event), event)
  }
  const isNew = next.size > present.size
  const byName = (a: [string, TelemetryEvent], b: [string, TelemetryEvent]) =>
    a[1].timeseriesName.localeCompare(b[1].timeseriesName)
  return isNew ? new Map([...next].toSorted(byName)) : next
}
