import type { QueryClient } from '@tanstack/react-query'

/** Lists with more pages are not read again by themselves, because each page is a request. */
const REFRESHED_PAGES = 2

/** @param data that of a query, which has pages if the query is a list */
export function isLongList(data: unknown): boolean {
  const pages = (data as { pages?: unknown } | undefined)?.pages
  return Array.isArray(pages) && pages.length > REFRESHED_PAGES
}

/**
 * Forgets a long list that is outdated while no page shows it: it begins with its first page again, instead of reading
 * all pages.
 */
export function forgetLongLists(cache: QueryClient): void {
  cache.getQueryCache().subscribe((change) => {
    if (change.type !== 'updated' || change.action.type !== 'invalidate') return
    const { query } = change
    if (isLongList(query.state.data) && !query.isActive()) cache.getQueryCache().remove(query)
  })
}

/**
 * Reads again what pages show, and marks the rest as outdated. Excludes long lists, which tell by themselves that they
 * are outdated, and data that the user requested once, such as keys: the audit log records each reading of them.
 */
export function readShownAgain(cache: QueryClient): void {
  void cache.invalidateQueries({
    predicate: (query) =>
      query.meta?.isReadOnce !== true && !(query.isActive() && isLongList(query.state.data)),
  })
}
