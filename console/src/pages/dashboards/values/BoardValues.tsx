import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, use, useEffect, useMemo, useState } from 'react'
import type { TimeRange } from '../../../parts/time/time-range.ts'
import type { Widget } from '../board/board.ts'
import { type Bindings, bindSignals, readReferences } from '../board/signals.ts'
import { findKind } from '../widgets/kinds.ts'
import { BoardContext, keyBefore } from './board-context.ts'
import { type Need, readPeriod } from './history.ts'
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
  const needs = useMemo(
    () => new Map(widgets.flatMap((widget) => findNeed(widget, timeRange, bindings))),
    [widgets, timeRange, bindings],
  )
  const signals = useMemo(
    () => widgets.flatMap((widget) => bindSignals(readReferences(widget), bindings)),
    [widgets, bindings],
  )
  const plan = useReadingPlan()
  const { histories, reloadMs } = useHistory([...needs.values()], plan)
  const { store, error, missing, retry } = useLiveValues(signals, histories)
  const value = useMemo(
    () => ({
      timeRange,
      onTimeRange,
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
    [timeRange, onTimeRange, bindings, store, histories, reloadMs, plan, needs, error, missing, retry],
  )
  return (
    <ReadingPlanContext value={plan}>
      <BoardContext value={value}>{children}</BoardContext>
    </ReadingPlanContext>
  )
}

/** The plan of the outermost board. */
function useReadingPlan() {
  const outer = use(ReadingPlanContext)
  const cache = useQueryClient()
  const [own] = useState(() => createReadingPlan(cache))
  useEffect(() => own.stop, [own])
  return outer ?? own
}

function findNeed(widget: Widget, boardRange: TimeRange, bindings: Bindings): [string, Need][] {
  const readAggregation = findKind(widget.kind)?.history
  const signals = bindSignals(readReferences(widget), bindings)
  if (readAggregation === undefined || signals.length === 0) return []
  const timeRange = readPeriod(widget.options.period) ?? boardRange
  const need = { signals, timeRange, aggregation: readAggregation(widget.options), isBefore: false }
  return widget.options.compare === true
    ? [
        [widget.id, need],
        [keyBefore(widget.id), { ...need, isBefore: true }],
      ]
    : [[widget.id, need]]
}
