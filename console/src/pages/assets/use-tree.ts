import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { useApi } from '../../api/ApiProvider.tsx'
import { useAfterBreak } from '../../live/use-fresh-data.ts'
import { withTimeout } from '../devices/timeout.ts'
import { parsePlace, placeKey, type Place, placeOf, placeQuery, type TreeChild } from './place.ts'

const PAGE = 200

interface Level {
  entries: TreeChild[]
  cursor: string | null
  isLoading: boolean
  error: unknown
}

export type TreeRow =
  | { kind: 'entry'; entry: TreeChild; key: string; depth: number; isOpen: boolean }
  /** Last row of a level that has more pages, is loading, or could not be loaded. */
  | { kind: 'more'; key: string; depth: number; level: Level }

export interface Tree {
  rows: TreeRow[]
  isLoading: boolean
  error: unknown
  /** Root of the part of the tree that is shown; null for the top. */
  root: Place | null
  toggle: (key: string) => void
  loadMore: (key: string) => void
  /** Reads the open levels again, after a change. */
  reload: () => void
  /** Opens the last levels of the path to a place; on a longer path, the first of them becomes the root. */
  reveal: (path: Place[]) => void
  setRoot: (root: Place | null) => void
}

/** Greatest number of levels that `reveal` opens, since each level is a request. */
const REVEALED_LEVELS = 6
const unread: Level = { entries: [], cursor: null, isLoading: false, error: null }

/** State of the tree. Each level is loaded in pages when it is opened. */
export function useTree(): Tree {
  const api = useApi()
  const [levels, setLevels] = useState<ReadonlyMap<string, Level>>(new Map())
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set())
  const [root, setRoot] = useState<Place | null>(null)
  const running = useRef(new Map<string, AbortController>())

  const load = useCallback(
    async (key: string, cursor: string | null, { isReload = false } = {}) => {
      const before = running.current.get(key)
      if (before !== undefined && !isReload) return
      // A question from before a break may fail late, or be answered with what was there before it.
      before?.abort()
      const own = new AbortController()
      running.current.set(key, own)
      const update = (change: (level: Level) => Partial<Level>) => {
        if (running.current.get(key) !== own) return
        setLevels((present) => {
          const level = present.get(key) ?? unread
          return new Map(present).set(key, { ...level, ...change(level) })
        })
      }
      update(() => ({ isLoading: true, error: null }))
      try {
        const query = { limit: PAGE, ...placeQuery(parsePlace(key)), ...(cursor !== null && { cursor }) }
        const page = await api.page('/v1/tree/children', { query, signal: withTimeout(own.signal) })
        update(({ entries }) => ({
          entries: cursor === null ? page.items : [...entries, ...page.items],
          cursor: page.cursor,
          isLoading: false,
        }))
      } catch (error) {
        update(() => ({ isLoading: false, error }))
      } finally {
        if (running.current.get(key) === own) running.current.delete(key)
      }
    },
    [api],
  )

  const rootKey = placeKey(root)
  const isKnown = levels.has(rootKey)
  useEffect(() => {
    if (!isKnown) void load(rootKey, null)
  }, [load, rootKey, isKnown])
  // This loads all opened levels, including those that `reveal` has opened.
  useEffect(() => {
    for (const key of open) if (!levels.has(key)) void load(key, null)
  }, [load, open, levels])

  const reload = useCallback(() => {
    const shown = [rootKey, ...[...open].filter((key) => levels.has(key))]
    setLevels((present) => new Map([...present].filter(([key]) => shown.includes(key))))
    for (const key of new Set(shown)) void load(key, null, { isReload: true })
  }, [load, levels, open, rootKey])
  useAfterBreak(reload)

  const rows = useMemo(() => listRows(levels, open, rootKey), [levels, open, rootKey])
  const top = levels.get(rootKey) ?? { ...unread, isLoading: true }
  return {
    rows,
    isLoading: top.isLoading && top.entries.length === 0,
    error: top.entries.length === 0 ? top.error : null,
    root,
    toggle: useCallback(
      (key) =>
        setOpen((present) => {
          const next = new Set(present)
          if (!next.delete(key)) next.add(key)
          return next
        }),
      [],
    ),
    loadMore: useCallback((key) => void load(key, levels.get(key)?.cursor ?? null), [load, levels]),
    reload,
    reveal: useCallback((path: Place[]) => {
      const shown = path.slice(-REVEALED_LEVELS)
      setRoot(shown.length < path.length ? shown[0]! : null)
      setOpen((present) => new Set([...present, ...shown.map(placeKey)]))
    }, []),
    setRoot,
  }
}

function listRows(levels: ReadonlyMap<string, Level>, open: ReadonlySet<string>, rootKey: string): TreeRow[] {
  const rows: TreeRow[] = []
  const add = (key: string, depth: number) => {
    const level = levels.get(key)
    if (level === undefined) return
    for (const entry of level.entries) {
      const own = placeKey(placeOf(entry))
      const isOpen = entry.hasChildren && open.has(own)
      rows.push({ kind: 'entry', entry, key: own, depth, isOpen })
      if (isOpen) add(own, depth + 1)
    }
    const isOver = level.cursor === null && !level.isLoading && level.error === null
    if (!isOver) rows.push({ kind: 'more', key, depth, level })
  }
  add(rootKey, 0)
  return rows
}
