import type { InfiniteData } from '@tanstack/react-query'
import type { AlarmFilters, Status } from './status.ts'

export interface StatusPage {
  items: Status[]
  cursor: string | null
}

type Loaded = InfiniteData<StatusPage, unknown>

/** Whether a status belongs into a list of open statuses; undefined if only the server knows, as for a node. */
function belongs(status: Status, { severity, state, rule, asset, node }: AlarmFilters): boolean | undefined {
  const fits =
    status.state !== 'cleared' &&
    status.severity >= severity &&
    (state === '' || status.state === state) &&
    (rule === '' || status.alarmId === rule) &&
    (asset === '' || status.entityId === asset)
  return fits && node !== '' ? undefined : fits
}

/**
 * Puts statuses that were pushed into the pages of a list of open statuses, the newest first.
 * @returns undefined if the list has to be read again, since only the server knows whether a status belongs into it
 */
export function applyStatuses(
  loaded: Loaded,
  pushed: readonly Status[],
  filters: AlarmFilters,
): Loaded | undefined {
  const changed = new Map(pushed.map((status) => [status.alarmStatusId, status]))
  const known = new Set(loaded.pages.flatMap(({ items }) => items.map(({ alarmStatusId }) => alarmStatusId)))
  const last = loaded.pages.at(-1)
  const lastId = last?.cursor == null ? '' : (last.items.at(-1)?.alarmStatusId ?? '')
  const added: Status[] = []
  for (const status of changed.values()) {
    const isWanted = belongs(status, filters)
    // The ids grow with time: an older status follows on a page that is not loaded yet.
    const isLoaded = known.has(status.alarmStatusId) || status.alarmStatusId > lastId
    if (isWanted === undefined && isLoaded && !known.has(status.alarmStatusId)) return undefined
    if (isWanted === true && isLoaded && !known.has(status.alarmStatusId)) added.push(status)
  }
  const pages = loaded.pages.map((page) => ({
    ...page,
    items: page.items.flatMap((status) => {
      const next = changed.get(status.alarmStatusId)
      if (next === undefined) return [status]
      return belongs(next, { ...filters, node: '' }) ? [next] : []
    }),
  }))
  const [first, ...rest] = pages
  if (first === undefined || added.length === 0) return { ...loaded, pages }
  const items = [...added, ...first.items].toSorted((a, b) => (a.alarmStatusId < b.alarmStatusId ? 1 : -1))
  return { ...loaded, pages: [{ ...first, items }, ...rest] }
}
