import {
  type InfiniteData,
  keepPreviousData,
  type QueryClient,
  useInfiniteQuery,
  useQueryClient,
} from '@tanstack/react-query'
import { useCallback, useRef, useState } from 'react'
import { isLongList } from '../../api/long-list.ts'
import { useAfterBreak } from '../../live/use-fresh-data.ts'
import type { RowSource } from './types.ts'

/** What the client's `api.page(path, options)` answers. */
interface Page<Row> {
  items: Row[]
  cursor: string | null
}

interface Options {
  isEnabled?: boolean
  /** The refresh interval; it applies only while the list is not long. */
  refreshMs?: number
}

export interface PagedList<Row> extends RowSource<Row> {
  refresh: () => void
  /** Reads the list again after a change at the server; a long list is marked as outdated instead. */
  readAgain: () => void
  /** Marks the list as outdated, until the user asks for the newest. */
  markBehind: () => void
}

/**
 * Rows of a list of the API, page by page as they are scrolled to.
 *
 *     usePagedList(['devices', search], (cursor, signal) =>
 *       api.page('/v1/assets', { query: { limit: 100, cursor }, signal }))
 *
 * A long list is not read again by itself, because each page is a request: after a break it is marked as outdated.
 *
 * @param key what the list depends on; another key is another list
 */
export function usePagedList<Row>(
  key: unknown[],
  load: (cursor: string | undefined, signal: AbortSignal) => Promise<Page<Row>>,
  { isEnabled = true, refreshMs }: Options = {},
): PagedList<Row> {
  const query = useInfiniteQuery({
    queryKey: key,
    queryFn: ({ pageParam, signal }) => load(pageParam, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ cursor }) => cursor ?? undefined,
    placeholderData: keepPreviousData,
    enabled: isEnabled,
    ...readAgainIfShort,
    refetchInterval: ({ state }) => (refreshMs !== undefined && !isLongList(state.data) ? refreshMs : false),
  })
  const { isBehind, markBehind, showNewest, readAgain } = useBehind(key)
  return {
    rows: query.data?.pages.flatMap(({ items }) => items) ?? [],
    isLoading: query.isPending,
    error: query.error,
    hasMore: query.hasNextPage,
    isLoadingMore: query.isFetchingNextPage,
    isOutdated: query.isPlaceholderData,
    ...(query.dataUpdatedAt > 0 && { asOfMs: query.dataUpdatedAt }),
    isBehind,
    showNewest,
    loadMore: () => {
      if (query.hasNextPage && !query.isFetchingNextPage && !query.isFetchNextPageError)
        void query.fetchNextPage()
    },
    refresh: () => (isLongList(query.data) ? showNewest() : void query.refetch()),
    readAgain,
    markBehind,
  }
}

const isShort = ({ state }: { state: { data?: unknown } }) => !isLongList(state.data)

/** The query library reads what a page shows again when the page is focused, opened, or connected to the network. */
const readAgainIfShort = {
  refetchOnWindowFocus: isShort,
  refetchOnMount: isShort,
  refetchOnReconnect: isShort,
}

/** Whether there may be newer rows than are shown. */
function useBehind(key: unknown[]) {
  const cache = useQueryClient()
  const [behind, setBehind] = useState('')
  const latest = useRef(key)
  latest.current = key
  const markBehind = useCallback(() => setBehind(JSON.stringify(latest.current)), [])
  const readAgain = useCallback(() => {
    if (isLong(cache, latest.current)) markBehind()
    else void cache.invalidateQueries({ queryKey: latest.current, exact: true })
  }, [cache, markBehind])
  useAfterBreak(() => {
    if (isLong(cache, key)) markBehind()
  })
  return {
    isBehind: behind === JSON.stringify(key),
    markBehind,
    readAgain,
    /** From the first page on, since each page that is loaded would be a request. */
    showNewest: () => {
      setBehind('')
      void cache.resetQueries({ queryKey: key, exact: true })
    },
  }
}

const isLong = (cache: QueryClient, key: unknown[]) =>
  isLongList(cache.getQueryData<InfiniteData<unknown>>(key))

/** Rows that the page has already, such as live values. */
export const shownRows = <Row>(rows: Row[], { isLoading = false } = {}): RowSource<Row> => ({
  rows,
  isLoading,
  error: null,
  hasMore: false,
  isLoadingMore: false,
  loadMore: () => {},
})
