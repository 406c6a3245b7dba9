import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, use, useCallback, useEffect, useMemo, useState } from 'react'
import { createAwaited } from '../../../live/awaited.ts'
import type { TimeRange } from '../../../parts/time/time-range.ts'
import type { LiveValue } from '../../explore/live-samples.ts'
import type { Widget } from '../board/board.ts'
import { type Bindings, bindSignals, readReferences } from '../board/signals.ts'
import { findKind } from '../widgets/kinds.ts'
import { BoardContext, type BoardValues as BoardValuesType, keyBefore } from './board-context.ts'
import { type Need, readInterval, readPeriod } from './history.ts'
import { createReadingPlan, ReadingPlanContext } from './reading-plan.ts'
import { useHistory } from './use-history.ts'
import { useLiveValues } from './use-live-values.ts'

interface Props {
  widgets: Widget[]
  timeRange: TimeRange
  onTimeRange: (range: TimeRange) => void
  bindings: Bindings
  children: ReactNode
}

/** Values of all widgets of a board: one subscription, and one query for each range and aggregation. */
export function BoardValues({ widgets, timeRange, onTimeRange, bindings, children }: Props) {
  const { zooms, onZoom } = useZooms(onTimeRange)
  const needs = useMemo(
    () => new Map(widgets.flatMap((widget) => findNeed(widget, { timeRange, zooms, bindings }))),
    [widgets, timeRange, zooms, bindings],
  )
  const signals = useMemo(
    () => widgets.flatMap((widget) => bindSignals(readReferences(widget), bindings)),
    [widgets, bindings],
  )
  const plan = useReadingPlan()
  const [awaited] = useState(createAwaited<LiveValue>)
  const { histories, reloadMs } = useHistory([...needs.values()], plan, awaited)
  const { store, error, missing, retry } = useLiveValues(signals, histories, awaited)
  const value = useMemo(
    () => ({
      timeRange,
      onTimeRange,
      zooms,
      onZoom,
      bindings,
      store,
      histories,
      reloadMs,
      plan,
      needs,
      error,
      missing,
      retry,
    }),
    [
      timeRange,
      onTimeRange,
      zooms,
      onZoom,
      bindings,
      store,
      histories,
      reloadMs,
      plan,
      needs,
      error,
      missing,
      retry,
    ],
  )
  return (
    <ReadingPlanContext value={plan}>
      <BoardContext value={value}>{children}</BoardContext>
    </ReadingPlanContext>
  )
}

/** Times that the user chose in charts that have their own: they change neither the board nor other widgets. */
function useZooms(onTimeRange: (range: TimeRange) => void) {
  const [zooms, setZooms] = useState<ReadonlyMap<string, TimeRange>>(new Map())
  const onZoom = useCallback(
    ({ id, options }: Widget, range: TimeRange | null) => {
      if (readPeriod(options.period) === undefined) return range && onTimeRange(range)
      setZooms((present) => {
        const next = new Map(present)
        if (range === null) next.delete(id)
        else next.set(id, range)
        return next
      })
    },
    [onTimeRange],
  )
  return { zooms, onZoom }
}

/** The plan of the outermost board. */
function useReadingPlan() {
  const outer = use(ReadingPlanContext)
  const cache = useQueryClient()
  const [own] = useState(() => createReadingPlan(cache))
  useEffect(() => own.stop, [own])
  return outer ?? own
}

type Shown = Pick<BoardValuesType, 'timeRange' | 'zooms' | 'bindings'>

function findNeed(widget: Widget, { timeRange: boardRange, zooms, bindings }: Shown): [string, Need][] {
  const readAggregation = findKind(widget.kind)?.history
  const signals = bindSignals(readReferences(widget), bindings)
  if (readAggregation === undefined || signals.length === 0) return []
  const own = readPeriod(widget.options.period)
  const need = {
    signals,
    timeRange: own === undefined ? boardRange : (zooms.get(widget.id) ?? own),
    aggregation: readAggregation(widget.options),
    isBefore: false,
    interval: readInterval(widget.options.aggregationInterval),
  }
  return widget.options.compare === true
    ? [
        [widget.id, need],
        [keyBefore(widget.id), { ...need, isBefore: true }],
      ]
    : [[widget.id, need]]
}
