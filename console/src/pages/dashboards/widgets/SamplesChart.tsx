import { useEffect, useMemo } from 'react'
import { Chart, type ChartSeries, preloadChart } from '../../../charts/Chart.tsx'
import { useFormat } from '../../../format.ts'
import { useWords } from '../../../words/words.tsx'
import type { SignalSamples } from '../../explore/query-signals.ts'
import type { Widget } from '../board/board.ts'
import { readScale } from '../board/scale.ts'
import {
  useBoardValues,
  useHistoryBefore,
  useWidgetHistory,
  useWidgetSignals,
} from '../values/board-context.ts'
import { shownRange, spanMs } from '../values/history.ts'
import { HistoryState } from './HistoryState.tsx'
import styles from './Widgets.module.css'

interface Props {
  widget: Widget
  height: number
  hasLegend?: boolean
}

/** Chart of the signals of a widget. A zoom changes the time of the whole board, or that of a widget with its own. */
export function SamplesChart({ widget, height, hasLegend = false }: Props) {
  useEffect(preloadChart, [])
  const words = useWords('dashboards')
  const format = useFormat()
  const { onZoom } = useBoardValues()
  const signals = useWidgetSignals(widget)
  const history = useWidgetHistory(widget)
  const { samples, timeRange } = history
  const range = useMemo(() => shownRange(timeRange, Date.now()), [timeRange])
  const scale = useMemo(() => readScale(widget.options), [widget.options])
  const { unit } = scale
  // Limits and thresholds are those of one axis.
  const isOneAxis = scale.min !== undefined || scale.max !== undefined || scale.thresholds !== undefined
  const before = useHistoryBefore(widget).samples
  const span = format.duration(spanMs(timeRange))
  const series = useMemo<ChartSeries[]>(() => {
    const write = (one: SignalSamples, isBefore: boolean) => {
      const { label, color } = signals.find(({ id }) => id === one.signal.id) ?? { label: one.signal.id }
      return {
        id: isBefore ? `${one.signal.id} before` : one.signal.id,
        label: isBefore ? words.before(label, span) : label,
        unit,
        quantity: isOneAxis ? '' : one.signal.name,
        ink: color,
        samples: one.samples,
        bucketMs: one.bucketMs,
      }
    }
    return [...samples.map((one) => write(one, false)), ...before.map((one) => write(one, true))]
  }, [samples, before, signals, unit, isOneAxis, span, words])
  const isEmpty = [...samples, ...before].every((one) => one.samples.length === 0)
  if (isEmpty) return <HistoryState widget={widget} history={history} />
  return (
    <div className={styles.chart}>
      <Chart
        label={words.chartOf(series.map(({ label }) => label).join(', '))}
        series={series}
        range={range}
        scale={scale}
        onRange={({ from, to }) => onZoom(widget, { kind: 'fixed', fromMs: from, toMs: to })}
        isLive={timeRange.kind === 'last'}
        subscribe={history.subscribe}
        height={height}
        hasTools={false}
        hasLegend={hasLegend}
      />
    </div>
  )
}
