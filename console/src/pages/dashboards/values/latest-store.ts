/** The newest value of each signal. Readers are told at most a few times a second, however many values come. */
import type { TelemetryEvent } from '@gangway/client'
import { pageClock, type Requested } from '../../../charts/plot/live-clock.ts'

/** Charts are redrawn in the same frames. */
const INTERVAL_MS = 250

export interface LatestStore {
  get: (id: string) => TelemetryEvent | undefined
  set: (id: string, event: TelemetryEvent) => void
  subscribe: (id: string, onChange: () => void) => () => void
  /** Called once for all signals that have changed. */
  onFlush: (listener: () => void) => () => void
  /** Tells readers about changes, until the returned function is called. */
  start: () => () => void
}

export function createLatestStore(): LatestStore {
  const values = new Map<string, TelemetryEvent>()
  const listeners = new Map<string, Set<() => void>>()
  const flushListeners = new Set<() => void>()
  const changed = new Set<string>()
  const flush = () => {
    for (const id of changed) for (const listener of listeners.get(id) ?? []) listener()
    changed.clear()
    for (const listener of flushListeners) listener()
  }
  let flushing: Requested | undefined
  return {
    get: (id) => values.get(id),
    set: (id, event) => {
      const before = values.get(id)
      if (before !== undefined && before.time > event.time) return
      values.set(id, event)
      changed.add(id)
      flushing?.request()
    },
    subscribe: (id, onChange) => {
      const own = listeners.get(id) ?? new Set()
      listeners.set(id, own.add(onChange))
      return () => own.delete(onChange)
    },
    onFlush: (listener) => {
      flushListeners.add(listener)
      return () => flushListeners.delete(listener)
    },
    start: () => {
      const added = (flushing = pageClock.add(flush, () => INTERVAL_MS))
      if (changed.size > 0) added.request()
      return added.remove
    },
  }
}
