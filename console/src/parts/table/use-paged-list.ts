import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import type { RowSource } from './types.ts'

/** What the client's `api.page(path, options)` answers. */
interface Page<Row> {
  items: Row[]
  cursor: string | null
}

/** Lists with more pages are not refreshed, because all pages would be loaded again. */
const REFRESHED_PAGES = 2

/**
 * Rows of a list of the API, page by page as they are scrolled to.
 *
 *     usePagedList(['devices', search], (cursor, signal) =>
 *       api.page('/v1/assets', { query: { limit: 100, cursor }, signal }))
 *
 * @param key what the list depends on; another key is another list
 * @param options.refreshMs the refresh interval; it applies only while few pages are loaded
 */
export function usePagedList<Row>(
  key: unknown[],
  load: (cursor: string | undefined, signal: AbortSignal) => Promise<Page<Row>>,
  { isEnabled = true, refreshMs }: { isEnabled?: boolean; refreshMs?: number } = {},
): RowSource<Row> {
  const query = useInfiniteQuery({
    queryKey: key,
    queryFn: ({ pageParam, signal }) => load(pageParam, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ cursor }) => cursor ?? undefined,
    placeholderData: keepPreviousData,
    enabled: isEnabled,
    refetchInterval: ({ state }) =>
      refreshMs !== undefined && (state.data?.pages.length ?? 0) <= REFRESHED_PAGES ? refreshMs : false,
  })
  return {
    rows: query.data?.pages.flatMap(({ items }) => items) ?? [],
    isLoading: query.isPending,
    error: query.error,
    hasMore: query.hasNextPage,
    isLoadingMore: query.isFetchingNextPage,
    isOutdated: query.isPlaceholderData,
    ...(query.dataUpdatedAt > 0 && { asOfMs: query.dataUpdatedAt }),
    loadMore: () => {
      if (query.hasNextPage && !query.isFetchingNextPage && !query.isFetchNextPageError)
        void query.fetchNextPage()
    },
    refresh: () => void query.refetch(),
  }
}

/** Rows that the page has already, such as live values. */
export const shownRows = <Row>(rows: Row[], { isLoading = false } = {}): RowSource<Row> => ({
  rows,
  isLoading,
  error: null,
  hasMore: false,
  isLoadingMore: false,
  loadMore: () => {},
})
