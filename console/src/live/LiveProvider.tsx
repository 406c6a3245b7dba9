import type { Gangway, Realtime, RealtimeState } from '@gangway/client'
import { createContext, type ReactNode, use, useEffect, useState, useSyncExternalStore } from 'react'
import { useApi } from '../api/ApiProvider.tsx'

/** Whether the values on the page follow the devices. */
export type LiveState =
  /** Not connected yet. */
  | { kind: 'off' }
  | { kind: 'live' }
  /** Values are as of `sinceMs`. */
  | { kind: 'reconnecting'; sinceMs: number }

export interface LiveStore {
  subscribe: (onChange: () => void) => () => void
  getState: () => LiveState
  /** When the newest value came since the connection is live. Its changes are not published: there may be thousands. */
  readNewestMs: () => number | null
  /** The connection, opened if it is not. */
  connect: () => Realtime
  /** How often the connection was not live any more. */
  countBreaks: () => number
  /** Records when a value came, for the age in the top bar. `watchValues` does. */
  recordValue: (atMs: number) => void
  /** Connects at once, even after the server has refused the connection. */
  retry: () => void
  close: () => void
}

const LiveContext = createContext<LiveStore | null>(null)

/**
 * One real-time connection for all that a page watches. It is open also while nothing is watched: a break of it tells
 * that the page may be outdated.
 */
export function LiveProvider({ children }: { children: ReactNode }) {
  const api = useApi()
  const [store] = useState(() => createLiveStore(api))
  useEffect(() => {
    store.connect()
    return store.close
  }, [store])
  return <LiveContext value={store}>{children}</LiveContext>
}

export function useLiveStore(): LiveStore {
  const store = use(LiveContext)
  if (store === null) throw new Error('useLiveStore needs a LiveProvider')
  return store
}

export function useLiveState(): LiveState {
  const { subscribe, getState } = useLiveStore()
  return useSyncExternalStore(subscribe, getState)
}

function createLiveStore(api: Gangway): LiveStore {
  const listeners = new Set<() => void>()
  let realtime: Realtime | null = null
  let state: LiveState = { kind: 'off' }
  let newestMs: number | null = null
  let breaks = 0
  const setState = (next: LiveState) => {
    if (state.kind === 'live' && next.kind !== 'live') breaks++
    state = next
    newestMs = null
    for (const listener of listeners) listener()
  }
  const onState = (next: RealtimeState) => {
    if (next.name === 'closed') setState({ kind: 'off' })
    else if (next.name === 'live') setState({ kind: 'live' })
    else if (next.name !== 'connecting' || next.error !== undefined)
      setState({ kind: 'reconnecting', sinceMs: next.since.getTime() })
  }
  return {
    subscribe: (onChange) => {
      listeners.add(onChange)
      return () => listeners.delete(onChange)
    },
    getState: () => state,
    readNewestMs: () => newestMs,
    countBreaks: () => breaks,
    connect: () => (realtime ??= api.realtime({ onState })),
    recordValue: (atMs) => {
      if (state.kind === 'live') newestMs = Math.max(atMs, newestMs ?? atMs)
    },
    retry: () => realtime?.retry(),
    close: () => {
      realtime?.close()
      realtime = null
    },
  }
}
