import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useRef } from 'react'
import type { TelemetryEvent } from '@gangway/client'
import { useApi } from '../../api/ApiProvider.tsx'
import { spreadRequests, useRequestLimit } from '../../api/request-limit.ts'
import { addSample, dropUnshown, findState } from '../../charts/samples/samples.ts'
import { type Range, span } from '../../charts/time/range.ts'
import { createThrottle } from '../../charts/throttle.ts'
import { useLiveStore } from '../../live/LiveProvider.tsx'
import { withTimeout } from '../devices/timeout.ts'
import { querySignals, splitSignals, type SignalQuery, type SignalSamples } from './query-signals.ts'
import { writeState } from './read-samples.ts'
import { formatSignal, type Signal } from './signal.ts'

/** Least interval between two readings that values cause. */
const RELOAD_MS = 5000
const FUTURE_MS = 60_000
const TIMEOUT_MS = 35_000

export interface Signals {
  data: SignalSamples[] | undefined
  error: Error | null
  isLoading: boolean
  isFetching: boolean
  reload: () => void
  subscribe: (onChange: () => void) => () => void
}

/** Samples of signals in a range. If live, each new sample is added when it arrives. */
export function useSignals(query: SignalQuery, { isLive }: { isLive: boolean }): Signals {
  const api = useApi()
  const listeners = useRef(new Set<() => void>())
  const { range } = query
  const key = [query.signals.map(({ id }) => id), isLive ? span(range) : range, query.resolution, query.zone]
  const result = useQuery({
    queryKey: ['explore', ...key],
    queryFn: ({ signal }) =>
      querySignals(api, { ...query, range: isLive ? endNow(range) : range }, withTimeout(signal, TIMEOUT_MS)),
    enabled: query.signals.length > 0,
    placeholderData: keepPreviousData,
    // Samples are added in place, so that the query cache must not copy or compare them.
    structuralSharing: false,
    staleTime: isLive ? 0 : 10_000,
    gcTime: 30_000,
  })
  const { refetch } = result
  const latest = useRef({ data: result.data, lengthMs: span(range) })
  latest.current = { data: result.data, lengthMs: span(range) }
  const watched = JSON.stringify({
    assets: [...new Set(query.signals.map(({ ownerId }) => ownerId))],
    timeseriesName: [...new Set(query.signals.map(({ name }) => name))],
  })
  const live = useLiveStore()
  const limit = useRequestLimit()
  const reloadMs = useRef(RELOAD_MS)
  reloadMs.current = chooseReloadMs(query.signals, limit)

  useEffect(() => {
    const request = JSON.parse(watched) as { assets: string[]; timeseriesName: string[] }
    if (!isLive || request.assets.length === 0) return
    const reloading = createThrottle(
      () => void refetch(),
      () => reloadMs.current,
    )
    const onEvent = (event: TelemetryEvent) => {
      live.recordValue(Date.parse(event.time))
      const { data, lengthMs } = latest.current
      const found = data?.find(({ signal }) => signal.id === formatSignal(event))
      if (found?.bucketMs !== undefined) reloading.call()
      else if (found && !addEvent(found, event, lengthMs)) reloading.call()
      else for (const listener of listeners.current) listener()
    }
    const subscription = live
      .connect()
      .subscribe({ topic: 'telemetry', ...request }, onEvent, { onGap: () => void refetch() })
    return () => {
      reloading.cancel()
      subscription.stop()
    }
  }, [live, watched, isLive, refetch])

  return {
    data: query.signals.length > 0 ? result.data : undefined,
    error: result.error,
    isLoading: result.isPending && query.signals.length > 0,
    isFetching: result.isFetching,
    reload: () => void refetch(),
    subscribe: useMemo(
      () => (onChange: () => void) => {
        listeners.current.add(onChange)
        return () => listeners.current.delete(onChange)
      },
      [],
    ),
  }
}

/**
 * Time between two readings of signals whose values come all the time.
 * @param limit requests of the account in an hour
 */
export const chooseReloadMs = (signals: Signal[], limit: number): number =>
  Math.max(RELOAD_MS, spreadRequests(splitSignals(signals).length, limit))

/** Range that ends shortly after the present, since the clocks of devices are not exact. */
const endNow = (range: Range): Range => ({ from: Date.now() - span(range), to: Date.now() + FUTURE_MS })

/**
 * @param lengthMs the time that is shown, before which samples are dropped
 * @returns false if values have changed between numbers and states, so that they have to be read again
 */
function addEvent({ samples }: SignalSamples, { time, value }: TelemetryEvent, lengthMs: number): boolean {
  if (value === null) return true
  const at = Date.parse(time)
  const isNumber = typeof value === 'number'
  if (samples.length > 0 && isNumber !== (samples.states === null)) return false
  if (!isNumber) addSample(samples, at, findState(samples, writeState(value)))
  else if (samples.states === null) addSample(samples, at, value)
  else return false
  dropUnshown(samples, lengthMs)
  return true
}
