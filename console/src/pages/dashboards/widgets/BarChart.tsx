import type { Samples } from '../../../charts/samples/samples.ts'
import { useWords } from '../../../words/words.tsx'
import type { Widget } from '../board/board.ts'
import { readLimits, type Scale } from '../board/scale.ts'
import { useWidgetHistory, useWidgetSignals } from '../values/board-context.ts'
import type { SingleAggregation } from '../values/history.ts'
import { HistoryState } from './HistoryState.tsx'
import type { WidgetKind } from './kind.ts'
import { Reading } from './Reading.tsx'
import styles from './Widgets.module.css'

const readAggregation = ({ aggregationType }: Record<string, unknown>) =>
  (aggregationType as SingleAggregation | undefined) ?? 'avg'

export const barChart: WidgetKind = {
  kind: 'barChart',
  icon: 'rail',
  size: { w: 6, h: 4 },
  View: BarChart,
  fields: ['signals', 'aggregation', 'scale', 'period'],
  initial: { signals: [] },
  history: (options) => `whole ${readAggregation(options)}`,
}

/** One bar for each signal: its mean, sum, least or greatest value in the time. */
function BarChart({ widget }: { widget: Widget }) {
  const words = useWords('dashboards')
  const signals = useWidgetSignals(widget)
  const history = useWidgetHistory(widget)
  const { samples } = history
  const scale = widget.options as Scale
  const type = readAggregation(widget.options)
  const bars = signals.map((signal) => {
    const found = samples.find((one) => one.signal.id === signal.id)
    return { signal, value: found && readValue(found.samples) }
  })
  const known = bars.flatMap(({ value }) => value ?? [])
  if (known.length === 0) return <HistoryState widget={widget} history={history} />
  const { min, max } = readLimits(scale, Math.max(...known))
  const least = scale.min ?? Math.min(min, ...known)
  const share = (value: number) => Math.min(1, Math.max(0, (value - least) / (max - least)))
  return (
    <ul className={styles.bars} aria-label={words.aggregations[type]}>
      {bars.map(({ signal, value }) => (
        <li key={signal.id} className={styles.barRow}>
          <span className={styles.label} title={signal.label}>
            <bdi>{signal.label}</bdi>
          </span>
          <span className={styles.barTrack} aria-hidden>
            {value !== undefined && (
              <span className={styles.bar} style={{ width: `${share(value) * 100}%` }} />
            )}
          </span>
          <span className={styles.barValue}>
            <Reading value={value} scale={scale} />
          </span>
        </li>
      ))}
    </ul>
  )
}

/** The only sample is the aggregate of the whole time. */
const readValue = ({ values, states, length }: Samples): number | undefined =>
  states === null && length > 0 ? values[length - 1] : undefined
