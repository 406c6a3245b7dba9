import { keepPreviousData, type UseQueryResult, useQueries } from '@tanstack/react-query'
import { useEffect, useSyncExternalStore } from 'react'
import { useApi } from '../../../api/ApiProvider.tsx'
import { useRequestLimit } from '../../../api/request-limit.ts'
import { useFormat } from '../../../format.ts'
import { withTimeout } from '../../devices/timeout.ts'
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
import { keepFound } from './missing.ts'
import { chooseReloadMs, type ReadingPlan } from './reading-plan.ts'

const TIMEOUT_MS = 35_000

export interface History {
  /** By the id of the signal. */
  samples: ReadonlyMap<string, SignalSamples>
  /** When they were read, in milliseconds since 1970; 0 before. */
  readAtMs: number
  /** Why the last reading failed; the samples of the one before stay. */
  error: Error | null
  /** Whether samples of this time and these signals were not read yet. */
  isLoading: boolean
  isCut: boolean
  reload: () => void
}

/** Whether a group is read again and again: single samples up to now get live values instead. */
const isRepeated = (group: HistoryGroup) =>
  group.timeRange.kind === 'last' &&
  (group.isBefore || chooseHistory(group, spanMs(group.timeRange)).resolution.kind !== 'raw')

/** Histories by the key of their group, and the time between two readings. Samples are changed in place as values come. */
export function useHistory(needs: Need[], plan: ReadingPlan) {
  const api = useApi()
  const { zone } = useFormat()
  const groups = groupNeeds(needs)
  const requests = groups.filter(isRepeated).reduce((sum, group) => sum + countRequests(group), 0)
  useEffect(() => plan.add(requests), [plan, requests])
  const reloadMs = chooseReloadMs(useSyncExternalStore(plan.subscribe, plan.count), useRequestLimit())
  const histories = useQueries({
    queries: groups.map((group) => ({
      queryKey: ['board', group.key, group.signals.map(({ id }) => id), zone],
      queryFn: async ({ signal }: { signal: AbortSignal }) => {
        const query = {
          ...chooseHistory(group, spanMs(group.timeRange)),
          range: readingRange(group, Date.now()),
          zone,
          mayMiss: true,
        }
        const abort = withTimeout(signal, TIMEOUT_MS)
        const parts = splitSignals(group.signals)
        const found = keepFound(
          await Promise.allSettled(parts.map((signals) => querySignals(api, { ...query, signals }, abort))),
        )
        return group.isBefore ? shiftSamples(found, spanMs(group.timeRange)) : found
      },
      enabled: group.signals.length > 0,
      placeholderData: keepPreviousData,
      // Samples are added in place, so that the query cache must not copy or compare them.
      structuralSharing: false as const,
      staleTime: group.timeRange.kind === 'last' ? 0 : 60_000,
      gcTime: 30_000,
      refetchInterval: isRepeated(group) ? reloadMs : (false as const),
    })),
    combine: (results) => new Map(results.map((result, index) => [groups[index]!.key, readResult(result)])),
  })
  return { histories: histories as ReadonlyMap<string, History>, reloadMs }
}

const readResult = ({
  data,
  dataUpdatedAt,
  error,
  isPending,
  isPlaceholderData,
  refetch,
}: UseQueryResult<SignalSamples[]>): History => ({
  samples: new Map((data ?? []).map((one) => [one.signal.id, one])),
  readAtMs: dataUpdatedAt,
  error,
  isLoading: isPending || isPlaceholderData,
  isCut: (data ?? []).some(({ isCut }) => isCut),
  reload: () => void refetch(),
})
