import { useMemo, useSyncExternalStore } from 'react'
import { useFormat } from '../../../format.ts'
import { findFirst, type Samples } from '../../../charts/samples/samples.ts'
import { RelativeTime } from '../../../parts/time/RelativeTime.tsx'
import { useWords } from '../../../words/words.tsx'
import type { Widget } from '../board/board.ts'
import { readScale, type Scale } from '../board/scale.ts'
import type { BoundSignal } from '../board/signals.ts'
import { spanMs } from '../values/history.ts'
import { useBoardValues, useLatest, useWidgetHistory, useWidgetSignals } from '../values/board-context.ts'
import type { WidgetKind } from './kind.ts'
import { Reading } from './Reading.tsx'
import { ScaleTrack, ThresholdMark } from './ScaleMarks.tsx'
import { Sparkline } from './Sparkline.tsx'
import { WidgetNote } from './WidgetState.tsx'
import styles from './Widgets.module.css'

export const latestValue: WidgetKind = {
  kind: 'latestValue',
  icon: 'live',
  size: { w: 3, h: 3 },
  View: LatestValues,
  fields: ['signals', 'scale', 'period'],
  initial: { signals: [] },
  history: () => 'auto',
}

function LatestValues({ widget }: { widget: Widget }) {
  const words = useWords('dashboards')
  const signals = useWidgetSignals(widget)
  const { samples, timeRange } = useWidgetHistory(widget)
  const scale = useMemo(() => readScale(widget.options), [widget.options])
  if (signals.length === 0) return <WidgetNote>{words.noSignals}</WidgetNote>
  return (
    <ul className={styles.values}>
      {signals.map((signal) => (
        <ValueWithTrend
          key={signal.id}
          signal={signal}
          scale={scale}
          samples={samples.find((one) => one.signal.id === signal.id)?.samples}
          isNamed={signals.length > 1 || widget.title !== undefined}
          spanMs={spanMs(timeRange)}
        />
      ))}
    </ul>
  )
}

interface Props {
  signal: BoundSignal
  scale: Scale
  samples: Samples | undefined
  isNamed: boolean
  spanMs: number
}

function ValueWithTrend({ signal, scale, samples, isNamed, spanMs: span }: Props) {
  const words = useWords('dashboards')
  const format = useFormat()
  const { store } = useBoardValues()
  const latest = useLatest(signal.id)
  useSyncExternalStore(store.onFlush, () => samples?.version ?? 0)
  const value = latest?.value
  const first = samples && samples.states === null ? findFirst(samples, Date.now() - span) : -1
  const before =
    samples !== undefined && first >= 0 && first < samples.length ? samples.values[first]! : undefined
  const change = typeof value === 'number' && before !== undefined ? value - before : undefined
  return (
    <li className={styles.value}>
      {isNamed && (
        <span className={styles.label} title={signal.label}>
          <bdi>{signal.label}</bdi>
        </span>
      )}
      <span className={styles.big}>
        <Reading value={value} scale={scale} />
      </span>
      <ScaleTrack value={value} scale={scale} color={signal.color} />
      <ThresholdMark value={value} scale={scale} />
      <span className={styles.facts}>
        {change !== undefined && (
          <span>
            {change > 0 ? '▲' : change < 0 ? '▼' : '='}{' '}
            {words.changeSince(
              format.number(Math.abs(change), { maximumFractionDigits: scale.decimals ?? 2 }),
              format.duration(span),
            )}
          </span>
        )}
        {latest !== undefined && <RelativeTime at={latest.time} />}
      </span>
      {samples !== undefined && samples.states === null && (
        <Sparkline samples={samples} spanMs={span} color={signal.color} />
      )}
    </li>
  )
}
