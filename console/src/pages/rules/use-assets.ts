import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useApi } from '../../api/ApiProvider.tsx'
import { withTimeout } from '../devices/timeout.ts'

/** A backtest takes this many assets. */
export const MOST_TESTED = 100

/** The assets over which a rule is tested: those that it names, or else the first ones of its model. */
export const chooseTested = ({ assetIds }: { assetIds: string[] }, ofModel: readonly { id: string }[]) =>
  (assetIds.length > 0 ? assetIds : ofModel.map(({ id }) => id)).slice(0, MOST_TESTED)

interface Displayed {
  id: string
  displayName: string
}

/**
 * The assets to choose from, by id: those that the rule names and the chosen one first, then those that were found.
 * @param known assets whose names are known from before
 */
export function offerAssets(
  named: readonly string[],
  chosen: string,
  found: readonly Displayed[],
  known: readonly Displayed[] = [],
): Map<string, string> {
  const names = new Map([...known, ...found].map(({ id, displayName }) => [id, displayName]))
  const others = found.map(({ id }) => id).filter((id) => named.length === 0 || named.includes(id))
  const ids = new Set([...named, chosen, ...others].filter((id) => id !== ''))
  return new Map([...ids].map((id) => [id, names.get(id) ?? id]))
}

/** The first assets of a model that match a search. */
export function useAssetsOf(modelId: string, search = '') {
  const api = useApi()
  const query = useQuery({
    queryKey: ['assets-of-model', modelId, search],
    enabled: modelId !== '',
    queryFn: ({ signal }) =>
      api.page('/v1/assets', {
        query: { modelId, limit: MOST_TESTED, search: search || undefined },
        signal: withTimeout(signal),
      }),
    placeholderData: keepPreviousData,
    staleTime: 60_000,
  })
  return {
    assets: modelId === '' ? [] : (query.data?.items ?? []),
    hasMore: query.data?.cursor != null,
    isPending: query.isPending,
    error: query.error,
    retry: () => void query.refetch(),
  }
}
