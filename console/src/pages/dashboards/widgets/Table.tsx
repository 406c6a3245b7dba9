import { useMemo } from 'react'
import { RelativeTime } from '../../../parts/time/RelativeTime.tsx'
import { PageAnchor } from '../../../parts/PageAnchor.tsx'
import { links } from '../../../links.ts'
import { useWords } from '../../../words/words.tsx'
import type { Widget } from '../board/board.ts'
import { writeSignalIds } from '../../explore/signal.ts'
import { readScale, type Scale } from '../board/scale.ts'
import type { BoundSignal } from '../board/signals.ts'
import { useLatest, useWidgetSignals } from '../values/board-context.ts'
import type { WidgetKind } from './kind.ts'
import { Reading } from './Reading.tsx'
import { ScaleTrack, ThresholdMark } from './ScaleMarks.tsx'
import { WidgetNote } from './WidgetState.tsx'
import styles from './Widgets.module.css'

export const table: WidgetKind = {
  kind: 'table',
  icon: 'columns',
  size: { w: 6, h: 5 },
  View: Table,
  fields: ['signals', 'scale'],
  initial: { signals: [] },
}

/** The newest value of each signal, with its age. A signal leads to Explore. */
function Table({ widget }: { widget: Widget }) {
  const words = useWords('dashboards')
  const signals = useWidgetSignals(widget)
  const scale = useMemo(() => readScale(widget.options), [widget.options])
  if (signals.length === 0) return <WidgetNote>{words.noSignals}</WidgetNote>
  return (
    <div className={styles.scroll} tabIndex={0} role="group" aria-label={widget.title ?? words.kinds.table}>
      <table className={styles.table}>
        <thead>
          <tr>
            <th scope="col">{words.signal}</th>
            <th scope="col">{words.value}</th>
            <th scope="col">{words.age}</th>
          </tr>
        </thead>
        <tbody>
          {signals.map((signal) => (
            <Row key={signal.id} signal={signal} scale={scale} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Row({ signal, scale }: { signal: BoundSignal; scale: Scale }) {
  const latest = useLatest(signal.id)
  return (
    <tr>
      <th scope="row">
        {signal.color !== undefined && (
          <span className={styles.signalDot} style={{ background: signal.color }} aria-hidden />
        )}
        <PageAnchor link={links.explore({ signals: writeSignalIds([signal.id]) })} title={signal.label}>
          <bdi>{signal.label}</bdi>
        </PageAnchor>
      </th>
      <td>
        <Reading value={latest?.value} scale={scale} />
        <ScaleTrack value={latest?.value} scale={scale} color={signal.color} />
        <ThresholdMark value={latest?.value} scale={scale} />
      </td>
      <td>{latest !== undefined && <RelativeTime at={latest.time} />}</td>
    </tr>
  )
}
