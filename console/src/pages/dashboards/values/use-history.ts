import { keepPreviousData, type UseQueryResult, useQueries } from '@tanstack/react-query'
import { useApi } from '../../../api/ApiProvider.tsx'
import { useFormat } from '../../../format.ts'
import { withTimeout } from '../../devices/timeout.ts'
import { querySignals, type SignalSamples } from '../../explore/query-signals.ts'
import { groupByOwner } from '../../explore/signal.ts'
import {
  chooseHistory,
  chooseReloadMs,
  groupNeeds,
  type Need,
  readingRange,
  readWhole,
  spanMs,
} from './history.ts'
import { keepFound } from './missing.ts'
import { queryWhole } from './query-whole.ts'

const TIMEOUT_MS = 35_000

export interface History {
  /** By the id of the signal. */
  samples: ReadonlyMap<string, SignalSamples>
  error: Error | null
  isLoading: boolean
  isCut: boolean
  reload: () => void
}

/** Histories by the key of their group. Samples are changed in place as values come. */
export function useHistory(needs: Need[]): ReadonlyMap<string, History> {
  const api = useApi()
  const { zone } = useFormat()
  const groups = groupNeeds(needs)
  return useQueries({
    queries: groups.map((group) => {
      const resolution = chooseHistory(group, spanMs(group.timeRange))
      const isLive = group.timeRange.kind === 'last'
      return {
        queryKey: ['board', group.key, group.signals.map(({ id }) => id), zone],
        queryFn: async ({ signal }: { signal: AbortSignal }) => {
          const query = { range: readingRange(group.timeRange, Date.now()), zone }
          const type = readWhole(group.aggregation)
          const abort = withTimeout(signal, TIMEOUT_MS)
          const answers = [...groupByOwner(group.signals).values()].map((signals) =>
            type === undefined
              ? querySignals(api, { ...query, signals, resolution, width: 600 }, abort)
              : queryWhole(api, { ...query, signals, type }, abort),
          )
          return keepFound(await Promise.allSettled(answers))
        },
        enabled: group.signals.length > 0,
        placeholderData: keepPreviousData,
        // Samples are added in place, so that the query cache must not copy or compare them.
        structuralSharing: false as const,
        staleTime: isLive ? 0 : 60_000,
        gcTime: 30_000,
        refetchInterval:
          isLive && resolution.kind !== 'raw' ? chooseReloadMs(group, resolution) : (false as const),
      }
    }),
    combine: (results) => new Map(results.map((result, index) => [groups[index]!.key, readResult(result)])),
  })
}

const readResult = ({ data, error, isPending, refetch }: UseQueryResult<SignalSamples[]>): History => ({
  samples: new Map((data ?? []).map((one) => [one.signal.id, one])),
  error,
  isLoading: isPending,
  isCut: (data ?? []).some(({ isCut }) => isCut),
  reload: () => void refetch(),
})
