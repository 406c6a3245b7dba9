import { useFormat } from '../../../format.ts'
import { RelativeTime } from '../../../parts/time/RelativeTime.tsx'
import { useWords } from '../../../words/words.tsx'
import type { Widget } from '../board/board.ts'
import { findThreshold, readLimits, readScale } from '../board/scale.ts'
import { useLatest, useWidgetSignals } from '../values/board-context.ts'
import type { WidgetKind } from './kind.ts'
import { Reading } from './Reading.tsx'
import { ThresholdMark } from './ScaleMarks.tsx'
import { WidgetNote } from './WidgetState.tsx'
import styles from './Widgets.module.css'

export const gauge: WidgetKind = {
  kind: 'gauge',
  icon: 'zone',
  size: { w: 3, h: 4 },
  View: Gauge,
  fields: ['signal', 'scale'],
  initial: { signals: [] },
}

const RADIUS = 42
const LENGTH = Math.PI * RADIUS

function Gauge({ widget }: { widget: Widget }) {
  const words = useWords('dashboards')
  const format = useFormat()
  const signals = useWidgetSignals(widget)
  const [signal] = signals
  const latest = useLatest(signal?.id)
  const scale = readScale(widget.options)
  if (signal === undefined) return <WidgetNote>{words.noSignals}</WidgetNote>
  const value = latest?.value
  const number = typeof value === 'number' ? value : undefined
  const { min, max } = readLimits(scale, number ?? 0)
  const share = number === undefined ? 0 : Math.min(1, Math.max(0, (number - min) / (max - min)))
  const threshold = number === undefined ? undefined : findThreshold(scale, number)
  return (
    <div className={styles.gauge}>
      <svg
        viewBox="0 0 100 56"
        role="meter"
        aria-label={signal.label}
        aria-valuemin={min}
        aria-valuemax={max}
        aria-valuenow={number ?? min}
        aria-valuetext={number === undefined ? words.noValues : format.number(number)}
      >
        <path className={styles.track} d="M8 50a42 42 0 0 1 84 0" />
        <path
          className={styles.arc}
          d="M8 50a42 42 0 0 1 84 0"
          style={{ strokeDasharray: `${share * LENGTH} ${LENGTH}`, stroke: threshold?.color ?? signal.color }}
        />
      </svg>
      <span className={styles.big}>
        <Reading value={value} scale={scale} />
      </span>
      <ThresholdMark value={value} scale={scale} />
      <span className={styles.facts}>
        {signals.length > 1 && <span>{words.firstOf(signal.ownerId, signals.length)}</span>}
        <span>{words.fromTo(format.number(min), format.number(max))}</span>
        {latest !== undefined && <RelativeTime at={latest.time} />}
      </span>
    </div>
  )
}
