/** The newest value of each signal. Readers are told at most a few times a second, however many values come. */
import type { TelemetryEvent } from '@gangway/client'
import { untilMultiple } from '../../../parts/every.ts'

/** Charts are redrawn in the same frames: at multiples of these. */
const INTERVAL_MS = 250
/** Nobody reads this many values four times a second, and each frame with them takes long. */
const MANY = 30
const INTERVAL_OF_MANY_MS = 500

export interface LatestStore {
  get: (id: string) => TelemetryEvent | undefined
  set: (id: string, event: TelemetryEvent) => void
  subscribe: (id: string, onChange: () => void) => () => void
  /** Called once for all signals that have changed. */
  onFlush: (listener: () => void) => () => void
  stop: () => void
}

export function createLatestStore(): LatestStore {
  const values = new Map<string, TelemetryEvent>()
  const listeners = new Map<string, Set<() => void>>()
  const flushListeners = new Set<() => void>()
  const changed = new Set<string>()
  let timer: ReturnType<typeof setTimeout> | undefined
  let intervalMs = INTERVAL_MS
  const flush = () => {
    timer = undefined
    const told = [...changed].flatMap((id) => [...(listeners.get(id) ?? [])])
    changed.clear()
    intervalMs = told.length > MANY ? INTERVAL_OF_MANY_MS : INTERVAL_MS
    for (const listener of told) listener()
    for (const listener of flushListeners) listener()
  }
  return {
    get: (id) => values.get(id),
    set: (id, event) => {
      const before = values.get(id)
      if (before !== undefined && before.time > event.time) return
      values.set(id, event)
      changed.add(id)
      timer ??= setTimeout(flush, untilMultiple(intervalMs))
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
    stop: () => clearTimeout(timer),
  }
}
