import { links } from '../../../links.ts'
import { PageAnchor } from '../../../parts/PageAnchor.tsx'
import { Severity } from '../../../parts/StateMark.tsx'
import { RelativeTime } from '../../../parts/time/RelativeTime.tsx'
import type { Marker } from '../board/markers.ts'
import type { Scale } from '../board/scale.ts'
import type { BoundSignal } from '../board/signals.ts'
import { useLatest } from '../values/board-context.ts'
import { Reading } from './Reading.tsx'
import styles from './Widgets.module.css'

const noScale: Scale = {}

interface Props {
  marker: Marker
  severity: number | undefined
  /** Signals of all pins of the map; a pin shows those of its own asset. */
  signals: BoundSignal[]
}

/** An asset at its place: its name, its most severe open alarm and its newest values. */
export function PinText({ marker: { assetId, label = assetId }, severity, signals }: Props) {
  return (
    <>
      <PageAnchor link={links.asset(assetId)} title={label}>
        <bdi>{label}</bdi>
      </PageAnchor>
      {severity !== undefined && <Severity severity={severity} />}
      {signals
        .filter(({ ownerId }) => ownerId === assetId)
        .map((signal) => (
          <PinValue key={signal.id} signal={signal} />
        ))}
    </>
  )
}

function PinValue({ signal }: { signal: BoundSignal }) {
  const latest = useLatest(signal.id)
  return (
    <span className={styles.pinValue} title={signal.label}>
      <span>
        <bdi>{signal.name}</bdi> <Reading value={latest?.value} scale={noScale} />
      </span>
      {latest !== undefined && <RelativeTime at={latest.time} />}
    </span>
  )
}
