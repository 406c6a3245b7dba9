import type { Gangway } from '@gangway/client'
import {
  keepPreviousData,
  type QueryClient,
  type UseQueryResult,
  useQueries,
  useQueryClient,
} from '@tanstack/react-query'
import { useEffect, useSyncExternalStore } from 'react'
import { useApi } from '../../../api/ApiProvider.tsx'
import { useRequestLimit } from '../../../api/request-limit.ts'
import { useFormat } from '../../../format.ts'
import type { Awaited } from '../../../live/awaited.ts'
import { withTimeout } from '../../devices/timeout.ts'
import type { LiveValue } from '../../explore/live-samples.ts'
import { querySignals, type SignalSamples, splitSignals } from '../../explore/query-signals.ts'
import {
  chooseHistory,
  countRequests,
  groupNeeds,
  type HistoryGroup,
  type Need,
  readingRange,
  shiftSamples,
  spanMs,
} from './history.ts'
import { addValues, indexSamples, readLiveMs } from './live-group.ts'
import { keepFound } from './missing.ts'
import { chooseReloadMs, type ReadingPlan } from './reading-plan.ts'

const TIMEOUT_MS = 35_000

export interface History {
  /** By the id of the signal. */
  samples: ReadonlyMap<string, SignalSamples>
  /** The samples that are drawn next: an answer is in the cache before it is drawn. */
  readSamples: () => ReadonlyMap<string, SignalSamples>
  /** When they were read, in milliseconds since 1970; 0 before. */
  readAtMs: number
  /** Why the last reading failed; the samples of the one before stay. */
  error: Error | null
  /** Whether samples of this time and these signals were not read yet. */
  isLoading: boolean
  isCut: boolean
  reload: () => void
  /** Reads again, unless that is done already. */
  reloadOnce: () => void
}

/** Whether a group is read again and again: single samples up to now get live values instead. */
const isRepeated = (group: HistoryGroup) =>
  group.timeRange.kind === 'last' &&
  (group.isBefore || chooseHistory(group, spanMs(group.timeRange)).resolution.kind !== 'raw')

/**
 * Histories by the key of their group, and the time between two readings. Samples are changed in place as values come.
 *
 * @param awaited the values that come while histories are read
 */
export function useHistory(needs: Need[], plan: ReadingPlan, awaited: Awaited<LiveValue>) {
  const api = useApi()
  const cache = useQueryClient()
  const { zone } = useFormat()
  const groups = groupNeeds(needs)
  const requests = groups.filter(isRepeated).reduce((sum, group) => sum + countRequests(group), 0)
  useEffect(() => plan.add(requests), [plan, requests])
  const reloadMs = chooseReloadMs(useSyncExternalStore(plan.subscribe, plan.count), useRequestLimit())
  const histories = useQueries({
    queries: groups.map((group) => ({
      queryKey: historyKey(group, zone),
      queryFn: async ({ signal }: { signal: AbortSignal }) => {
        const pushed = awaited.begin()
        try {
          const found = await readGroup(api, { group, zone }, withTimeout(signal, TIMEOUT_MS))
          const liveMs = readLiveMs(group.key)
          const isLacking = liveMs !== undefined && addValues(indexSamples(found), pushed.events, liveMs)
          // After this answer is in the cache: a request that runs would not be sent again.
          if (isLacking) setTimeout(() => readOnce(cache, historyKey(group, zone)))
          return found
        } finally {
          pushed.end()
        }
      },
      enabled: group.signals.length > 0,
      placeholderData: keepPreviousData,
      // Samples are added in place, so that the query cache must not copy or compare them.
      structuralSharing: false as const,
      staleTime: group.timeRange.kind === 'last' ? 0 : 60_000,
      gcTime: 30_000,
      refetchInterval: isRepeated(group) ? reloadMs : (false as const),
    })),
    combine: (results) =>
      new Map(
        results.map((result, index) => {
          const group = groups[index]!
          return [group.key, readResult(result, { cache, key: historyKey(group, zone) })]
        }),
      ),
  })
  return { histories: histories as ReadonlyMap<string, History>, reloadMs }
}

const historyKey = (group: HistoryGroup, zone: string) => [
  'board',
  group.key,
  group.signals.map(({ id }) => id),
  zone,
]

async function readGroup(
  api: Gangway,
  { group, zone }: { group: HistoryGroup; zone: string },
  abort: AbortSignal,
): Promise<SignalSamples[]> {
  const query = {
    ...chooseHistory(group, spanMs(group.timeRange)),
    range: readingRange(group, Date.now()),
    zone,
    mayMiss: true,
  }
  const parts = splitSignals(group.signals)
  const found = keepFound(
    await Promise.allSettled(parts.map((signals) => querySignals(api, { ...query, signals }, abort))),
  )
  return group.isBefore ? shiftSamples(found, spanMs(group.timeRange)) : found
}

const readOnce = (cache: QueryClient, queryKey: unknown[]) =>
  void cache.refetchQueries({ queryKey, exact: true }, { cancelRefetch: false })

function readResult(
  {
    data = none,
    dataUpdatedAt,
    error,
    isPending,
    isPlaceholderData,
    refetch,
  }: UseQueryResult<SignalSamples[]>,
  { cache, key }: { cache: QueryClient; key: unknown[] },
): History {
  return {
    samples: indexSamples(data),
    readSamples: () => indexSamples(cache.getQueryData<SignalSamples[]>(key) ?? data),
    readAtMs: dataUpdatedAt,
    error,
    isLoading: isPending || isPlaceholderData,
    isCut: data.some(({ isCut }) => isCut),
    reload: () => void refetch(),
    reloadOnce: () => readOnce(cache, key),
  }
}

const none: SignalSamples[] = []
