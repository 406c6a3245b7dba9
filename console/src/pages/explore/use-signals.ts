import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useMemo, useRef, useState } from 'react'
import { useApi } from '../../api/ApiProvider.tsx'
import { spreadRequests, useRequestLimit } from '../../api/request-limit.ts'
import { type Range, span } from '../../charts/time/range.ts'
import { createThrottle } from '../../charts/throttle.ts'
import { createAwaited } from '../../live/awaited.ts'
import { useLiveStore } from '../../live/LiveProvider.tsx'
import { watchValues } from '../../live/watch-values.ts'
import { withTimeout } from '../devices/timeout.ts'
import { applyValue, type LiveValue } from './live-samples.ts'
import { querySignals, splitSignals, type SignalQuery, type SignalSamples } from './query-signals.ts'
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
  const lengthMs = span(range)
  const key = [
    'explore',
    query.signals.map(({ id }) => id),
    isLive ? lengthMs : range,
    query.resolution,
    query.zone,
  ]
  const cache = useQueryClient()
  const [awaited] = useState(createAwaited<LiveValue>)
  const onLack = useRef(() => {})
  const result = useQuery({
    queryKey: key,
    queryFn: async ({ signal }) => {
      const pushed = awaited.begin()
      try {
        const abort = withTimeout(signal, TIMEOUT_MS)
        const read = await querySignals(api, { ...query, range: isLive ? endNow(range) : range }, abort)
        // After this answer is in the cache: a request that runs would not be sent again.
        if (applyAll(read, pushed.events, lengthMs)) setTimeout(() => onLack.current())
        return read
      } finally {
        pushed.end()
      }
    },
    enabled: query.signals.length > 0,
    placeholderData: keepPreviousData,
    // Samples are added in place, so that the query cache must not copy or compare them.
    structuralSharing: false,
    staleTime: isLive ? 0 : 10_000,
    gcTime: 30_000,
  })
  const { refetch } = result
  const latest = useRef({ key, data: result.data, lengthMs })
  latest.current = { key, data: result.data, lengthMs }
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
      () => void refetch({ cancelRefetch: false }),
      () => reloadMs.current,
    )
    onLack.current = reloading.call
    const subscription = watchValues(
      live,
      request,
      (event, isFirst) => {
        awaited.record({ event, isFirst })
        const { data, ...shown } = latest.current
        // An answer is in the cache before it is drawn. Until it is there, the one of before is shown.
        const present = cache.getQueryData<SignalSamples[]>(shown.key) ?? data
        const isLacking = applyAll(present ?? [], [{ event, isFirst }], shown.lengthMs)
        if (isLacking && !awaited.isWaiting()) reloading.call()
        for (const listener of listeners.current) listener()
      },
      { onGap: () => void refetch() },
    )
    return () => {
      onLack.current = () => {}
      reloading.cancel()
      subscription.stop()
    }
  }, [live, cache, awaited, watched, isLive, refetch])

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

/** @returns whether the samples have to be read again */
function applyAll(read: SignalSamples[], values: LiveValue[], lengthMs: number): boolean {
  let isLacking = false
  for (const value of values) {
    const found = read.find(({ signal }) => signal.id === formatSignal(value.event))
    if (found !== undefined && applyValue(found, value, lengthMs)) isLacking = true
  }
  return isLacking
}
