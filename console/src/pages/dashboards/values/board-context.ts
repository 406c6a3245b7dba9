import type { TelemetryEvent } from '@gangway/client'
import { createContext, use, useCallback, useMemo, useSyncExternalStore } from 'react'
import type { SignalSamples } from '../../explore/query-signals.ts'
import type { TimeRange } from '../../../parts/time/time-range.ts'
import type { Widget } from '../board/board.ts'
import { type Bindings, bindSignals, type BoundSignal, readReferences } from '../board/signals.ts'
import { groupKey, type Need } from './history.ts'
import type { LatestStore } from './latest-store.ts'
import type { History } from './use-history.ts'

export interface BoardValues {
  timeRange: TimeRange
  onTimeRange: (range: TimeRange) => void
  bindings: Bindings
  store: LatestStore
  isStarted: boolean
  histories: ReadonlyMap<string, History>
  /** What each widget needs of the past, by its id. */
  needs: ReadonlyMap<string, Need>
  /** Why no values come. */
  error: Error | null
  /** Ids of assets that were deleted, or that the user may not see. */
  missing: string[]
  retry: () => void
}

export const BoardContext = createContext<BoardValues | null>(null)

export function useBoardValues(): BoardValues {
  const values = use(BoardContext)
  if (values === null) throw new Error('useBoardValues needs BoardValues')
  return values
}

/** Signals of a widget, bound to the assets of its variables. */
export function useWidgetSignals(widget: Widget): BoundSignal[] {
  const { bindings } = useBoardValues()
  return useMemo(() => bindSignals(readReferences(widget), bindings), [widget, bindings])
}

/** The newest value of a signal. */
export function useLatest(id: string | undefined): TelemetryEvent | undefined {
  const { store } = useBoardValues()
  const subscribe = useCallback(
    (onChange: () => void) => (id === undefined ? () => {} : store.subscribe(id, onChange)),
    [store, id],
  )
  return useSyncExternalStore(subscribe, () => (id === undefined ? undefined : store.get(id)))
}

const nothing: SignalSamples[] = []

/** History of the signals of a widget. */
export function useWidgetHistory(widget: Widget) {
  const { histories, timeRange: boardRange, needs, store } = useBoardValues()
  const need = needs.get(widget.id)
  const history = need && histories.get(groupKey(need))
  const samples = useMemo(
    // The samples stay the same while they are changed in place.
    () => need?.signals.flatMap(({ id }) => history?.samples.get(id) ?? []) ?? nothing,
    [history?.samples, need],
  )
  return {
    samples,
    timeRange: need?.timeRange ?? boardRange,
    error: history?.error ?? null,
    isLoading: history?.isLoading ?? false,
    subscribe: store.onFlush,
  }
}
