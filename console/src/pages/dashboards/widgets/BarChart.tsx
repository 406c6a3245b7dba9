import type { Samples } from '../../../charts/samples/samples.ts'
import { useWords } from '../../../words/words.tsx'
import type { Widget } from '../board/board.ts'
import { findThreshold, readLimits, readScale } from '../board/scale.ts'
import { useHistoryBefore, useWidgetHistory, useWidgetSignals } from '../values/board-context.ts'
import type { SignalSamples } from '../../explore/query-signals.ts'
import { type SingleAggregation, singleAggregations } from '../../explore/resolution.ts'
import { HistoryState } from './HistoryState.tsx'
import type { WidgetKind } from './kind.ts'
import { Reading } from './Reading.tsx'
import { ThresholdMark } from './ScaleMarks.tsx'
import styles from './Widgets.module.css'

const readAggregation = ({ aggregationType }: Record<string, unknown>): SingleAggregation =>
  singleAggregations.find((one) => one === aggregationType) ?? 'avg'

export const barChart: WidgetKind = {
  kind: 'barChart',
  icon: 'rail',
  size: { w: 6, h: 4 },
  View: BarChart,
  fields: ['signals', 'aggregation', 'scale', 'period', 'compare'],
  initial: { signals: [] },
  history: (options) => `whole ${readAggregation(options)}`,
}

/** One bar for each signal: its mean, sum, least or greatest value in the time. */
function BarChart({ widget }: { widget: Widget }) {
  const words = useWords('dashboards')
  const signals = useWidgetSignals(widget)
  const history = useWidgetHistory(widget)
  const before = useHistoryBefore(widget).samples
  const scale = readScale(widget.options)
  const type = readAggregation(widget.options)
  const bars = signals.map((signal) => {
    const find = (all: SignalSamples[]) => {
      const found = all.find((one) => one.signal.id === signal.id)
      return found && readValue(found.samples)
    }
    return { signal, value: find(history.samples), valueBefore: find(before) }
  })
  const known = bars.flatMap(({ value, valueBefore }) => [value ?? [], valueBefore ?? []].flat())
  if (known.length === 0) return <HistoryState widget={widget} history={history} />
  const { min, max } = readLimits(scale, Math.max(...known))
  const least = scale.min ?? Math.min(min, ...known)
  const share = (value: number) => Math.min(1, Math.max(0, (value - least) / (max - least)))
  return (
    <ul className={styles.bars} aria-label={words.aggregations[type]}>
      {bars.map(({ signal, value, valueBefore }) => (
        <li key={signal.id} className={styles.barRow}>
          <span className={styles.label} title={signal.label}>
            <bdi>{signal.label}</bdi>
          </span>
          <span className={styles.barTrack} aria-hidden>
            {value !== undefined && (
              <span
                className={styles.bar}
                style={{
                  width: `${share(value) * 100}%`,
                  background: findThreshold(scale, value)?.color ?? signal.color,
                }}
              />
            )}
            {valueBefore !== undefined && (
              <span className={styles.barBefore} style={{ width: `${share(valueBefore) * 100}%` }} />
            )}
          </span>
          <span className={styles.barValue}>
            <Reading value={value} scale={scale} />
            <ThresholdMark value={value} scale={scale} />
            {valueBefore !== undefined && (
              <span className={styles.facts}>
                {words.beforeValue} <Reading value={valueBefore} scale={scale} />
              </span>
            )}
          </span>
        </li>
      ))}
    </ul>
  )
}

/** The only sample is the aggregate of the whole time. */
const readValue = ({ values, states, length }: Samples): number | undefined =>
  states === null && length > 0 ? values[length - 1] : undefined
