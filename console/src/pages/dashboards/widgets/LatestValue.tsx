import { useMemo, useSyncExternalStore } from 'react'
import { useFormat } from '../../../format.ts'
import { findFirst, type Samples } from '../../../charts/samples/samples.ts'
import type { Range } from '../../../charts/time/range.ts'
import { RelativeTime } from '../../../parts/time/RelativeTime.tsx'
import { useWords } from '../../../words/words.tsx'
import type { Widget } from '../board/board.ts'
import { readScale, type Scale } from '../board/scale.ts'
import type { BoundSignal } from '../board/signals.ts'
import type { SignalSamples } from '../../explore/query-signals.ts'
import { type ShownRange, shownRange } from '../values/history.ts'
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
          history={samples.find((one) => one.signal.id === signal.id)}
          isNamed={signals.length > 1 || widget.title !== undefined}
          timeRange={timeRange}
        />
      ))}
    </ul>
  )
}

interface Props {
  signal: BoundSignal
  scale: Scale
  history: SignalSamples | undefined
  isNamed: boolean
  timeRange: ShownRange
}

function ValueWithTrend({ signal, scale, history, isNamed, timeRange }: Props) {
  const { store } = useBoardValues()
  const latest = useLatest(signal.id)
  const samples = history?.samples
  useSyncExternalStore(store.onFlush, () => samples?.version ?? 0)
  const range = shownRange(timeRange, Date.now())
  const isFixed = timeRange.kind === 'fixed'
  const value = isFixed ? samples && findLast(samples, range)?.value : latest?.value
  const isNumeric = samples !== undefined && samples.states === null
  return (
    <li className={styles.value}>
      {isNamed && (
        <span className={styles.label} title={signal.label}>
          <bdi>{signal.label}</bdi>
        </span>
      )}
      <span className={styles.big}>
        <Reading value={value} scale={scale} isLive={!isFixed} />
      </span>
      <ScaleTrack value={value} scale={scale} color={signal.color} />
      <ThresholdMark value={value} scale={scale} />
      <span className={styles.facts}>
        {isNumeric && <Change value={value} samples={samples} range={range} scale={scale} />}
        {isFixed
          ? history && <EndTime history={history} range={range} />
          : latest !== undefined && <RelativeTime at={latest.time} />}
      </span>
      {isNumeric && <Sparkline samples={samples} range={range} color={signal.color} />}
    </li>
  )
}

/** The difference between a value and the first one of the range. */
function Change({
  value,
  samples,
  range,
  scale,
}: {
  value: unknown
  samples: Samples
  range: Range
  scale: Scale
}) {
  const words = useWords('dashboards')
  const format = useFormat()
  const first = findFirst(samples, range.from)
  if (typeof value !== 'number' || first === samples.length) return null
  const change = value - samples.values[first]!
  return (
    <span>
      {change > 0 ? '▲' : change < 0 ? '▼' : '='}{' '}
      {words.changeSince(
        format.number(Math.abs(change), { maximumFractionDigits: scale.decimals ?? 2 }),
        format.duration(range.to - range.from),
      )}
    </span>
  )
}

/** The time of the value at the end of a range that does not end now. */
function EndTime({ history: { samples, bucketMs }, range }: { history: SignalSamples; range: Range }) {
  const words = useWords('dashboards')
  const format = useFormat()
  const last = findLast(samples, range)
  if (last === undefined) return null
  const at = format.full(last.atMs)
  const isMean = bucketMs !== undefined && samples.states === null
  return <span>{isMean ? words.meanFrom(format.duration(bucketMs), at) : words.asOf(at)}</span>
}

/** The last sample up to the end of a range. */
function findLast({ times, values, states, length }: Samples, { to }: Range) {
  const after = findFirst({ times, length }, to)
  const index = after < length && times[after] === to ? after : after - 1
  if (index < 0) return undefined
  const value = values[index]!
  return { atMs: times[index]!, value: states === null ? value : states[value] }
}
