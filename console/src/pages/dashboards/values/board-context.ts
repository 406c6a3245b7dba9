import type { TelemetryEvent } from '@gangway/client'
import { createContext, use, useCallback, useMemo, useSyncExternalStore } from 'react'
import type { SignalSamples } from '../../explore/query-signals.ts'
import type { TimeRange } from '../../../parts/time/time-range.ts'
import type { Widget } from '../board/board.ts'
import { type Bindings, bindSignals, type BoundSignal, readReferences } from '../board/signals.ts'
import { groupKey, type Need } from './history.ts'
import type { LatestStore } from './latest-store.ts'
import type { ReadingPlan } from './reading-plan.ts'
import type { History } from './use-history.ts'

export interface BoardValues {
  timeRange: TimeRange
  onTimeRange: (range: TimeRange) => void
  /** Times that the user chose in widgets with a time of their own, by their ids. */
  zooms: ReadonlyMap<string, TimeRange>
  /** Changes the time of the board, or that of a widget with its own; null takes such a change back. */
  onZoom: (widget: Widget, range: TimeRange | null) => void
  bindings: Bindings
  store: LatestStore
  histories: ReadonlyMap<string, History>
  /** Time between two readings of aggregates. */
  reloadMs: number
  plan: ReadingPlan
  /** The past that each widget shows, by the id of the widget or `keyBefore` of it. */
  needs: ReadonlyMap<string, Need>
  /** The reason if the subscription of live values has ended. */
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

/** Key of the past that a widget compares with. */
export const keyBefore = (widgetId: string) => `${widgetId} before`

/** History of the signals of a widget. */
export const useWidgetHistory = (widget: Widget) => useHistoryByKey(widget.id)

/** History of the time before, with the times of the present one; without samples if the widget compares nothing. */
export const useHistoryBefore = (widget: Widget) => useHistoryByKey(keyBefore(widget.id))

function useHistoryByKey(key: string) {
  const { histories, timeRange: boardRange, needs, store } = useBoardValues()
  const need = needs.get(key)
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
    readAtMs: history?.readAtMs ?? 0,
    isLoading: history?.isLoading ?? false,
    subscribe: store.onFlush,
  }
}
