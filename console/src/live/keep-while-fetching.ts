import { hashKey, type QueryClient } from '@tanstack/react-query'

/**
 * Keeps what is pushed while a query is fetched, and applies it to the answer: the answer may lack it, and replaces the
 * data that it was applied to.
 *
 * @param readKey the present key of the query
 * @param apply changes the data of the query; called again for events that it was called for before
 */
export function keepWhileFetching<Event>(
  cache: QueryClient,
  readKey: () => unknown[],
  apply: (events: Event[]) => void,
) {
  let kept: Event[] = []
  const stop = cache.getQueryCache().subscribe((change) => {
    if (change.type !== 'updated' || change.query.queryHash !== hashKey(readKey())) return
    const { action } = change
    if (action.type === 'error') kept = []
    // A change by hand, as `apply` makes it, is no answer.
    if (action.type !== 'success' || action.manual === true) return
    const events = kept
    kept = []
    if (events.length > 0) apply(events)
  })
  return {
    record: (event: Event) => {
      if (cache.getQueryState(readKey())?.fetchStatus === 'fetching') kept.push(event)
    },
    stop,
  }
}
