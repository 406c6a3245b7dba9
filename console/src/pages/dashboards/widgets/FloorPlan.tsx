import { useElementSize } from '@mantine/hooks'
import { useMemo, useState } from 'react'
import { links } from '../../../links.ts'
import { PageAnchor } from '../../../parts/PageAnchor.tsx'
import { Refusal } from '../../../parts/Refusal.tsx'
import { Severity } from '../../../parts/StateMark.tsx'
import { RelativeTime } from '../../../parts/time/RelativeTime.tsx'
import { useWords } from '../../../words/words.tsx'
import type { Widget } from '../board/board.ts'
import { fitPicture, isOnPicture, type PlacedMarker, readMarkers } from '../board/markers.ts'
import type { Scale } from '../board/scale.ts'
import type { BoundSignal } from '../board/signals.ts'
import { useLatest, useWidgetSignals } from '../values/board-context.ts'
import type { WidgetKind } from './kind.ts'
import { Reading } from './Reading.tsx'
import { MOST_OPEN, useAlarmStatuses } from './use-alarm-statuses.ts'
import { usePicture } from './use-picture.ts'
import { WidgetLoading, WidgetNote } from './WidgetState.tsx'
import styles from './Widgets.module.css'

export const floorPlan: WidgetKind = {
  kind: 'map',
  icon: 'zone',
  size: { w: 6, h: 8 },
  View: FloorPlan,
  fields: ['picture', 'markers', 'signals'],
  initial: { markers: [] },
}

const noScale: Scale = {}

/** A picture with assets at their places: their newest values and their most severe open alarm. */
function FloorPlan({ widget }: { widget: Widget }) {
  const words = useWords('dashboards')
  const resourceId = widget.options.resourceId as string | undefined
  const { address, error } = usePicture(resourceId)
  const markers = useMemo(() => readMarkers(widget.options), [widget.options])
  const placed = markers.filter(isOnPicture)
  if (resourceId === undefined) return <WidgetNote>{words.noPicture}</WidgetNote>
  if (error !== null) return <Refusal error={error} />
  if (address === null) return <WidgetLoading />
  return (
    <>
      <Plan widget={widget} address={address} markers={placed} />
      {placed.length < markers.length && (
        <WidgetNote>{words.notOnPicture(markers.length - placed.length)}</WidgetNote>
      )}
    </>
  )
}

function Plan({ widget, address, markers }: { widget: Widget; address: string; markers: PlacedMarker[] }) {
  const words = useWords('dashboards')
  const { ref, width, height } = useElementSize()
  const [natural, setNatural] = useState<{ width: number; height: number } | null>(null)
  const [isBroken, setBroken] = useState(false)
  const { severities, error, isCut } = useSeverities(markers)
  const signals = useWidgetSignals(widget)
  if (isBroken) return <WidgetNote>{words.notAPicture}</WidgetNote>
  return (
    <>
      <div ref={ref} className={styles.plan}>
        <div
          className={styles.planPicture}
          style={natural ? fitPicture(natural, { width, height }) : undefined}
        >
          <img
            src={address}
            alt={widget.title ?? words.kinds.map}
            onLoad={({ currentTarget: { naturalWidth, naturalHeight } }) =>
              setNatural({ width: naturalWidth || 1, height: naturalHeight || 1 })
            }
            onError={() => setBroken(true)}
          />
          <ul className={styles.pins}>
            {markers.map((marker, index) => (
              <Pin
                key={index}
                marker={marker}
                severity={severities.get(marker.assetId)}
                signals={signals.filter(({ ownerId }) => ownerId === marker.assetId)}
              />
            ))}
          </ul>
        </div>
      </div>
      {error !== null && <Refusal error={error} />}
      {isCut && <WidgetNote>{words.someAlarms}</WidgetNote>}
    </>
  )
}

interface PinProps {
  marker: PlacedMarker
  severity: number | undefined
  signals: BoundSignal[]
}

function Pin({ marker: { assetId, label = assetId, x, y }, severity, signals }: PinProps) {
  return (
    <li
      className={styles.pin}
      style={{ left: `${x * 100}%`, top: `${y * 100}%` }}
      data-severity={severity}
      data-side={x > 0.6 ? 'left' : 'right'}
    >
      <span className={styles.pinPoint} aria-hidden />
      <span className={styles.pinText}>
        <PageAnchor link={links.asset(assetId)} title={label}>
          <bdi>{label}</bdi>
        </PageAnchor>
        {severity !== undefined && <Severity severity={severity} />}
        {signals.map((signal) => (
          <PinValue key={signal.id} signal={signal} />
        ))}
      </span>
    </li>
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

/** The greatest severity of the open alarms of each asset, and what is missing of them. */
function useSeverities(markers: PlacedMarker[]) {
  const assets = useMemo(() => [...new Set(markers.map(({ assetId }) => assetId))], [markers])
  const { data, error } = useAlarmStatuses(false, { assets, alarmIds: undefined, minSeverity: 1 })
  const severities = useMemo(() => {
    const greatest = new Map<string, number>()
    for (const { entityId, severity } of data ?? [])
      greatest.set(entityId, Math.max(severity, greatest.get(entityId) ?? 0))
    return greatest
  }, [data])
  return {
    severities,
    error: data === undefined ? error : null,
    isCut: data !== undefined && data.length >= MOST_OPEN,
  }
}
