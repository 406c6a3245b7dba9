import { useElementSize } from '@mantine/hooks'
import { lazy, useMemo, useState } from 'react'
import { Refusal } from '../../../parts/Refusal.tsx'
import { useWords } from '../../../words/words.tsx'
import type { Widget } from '../board/board.ts'
import { fitPicture, isOnPicture, type PlacedMarker, readMarkers } from '../board/markers.ts'
import { useWidgetSignals } from '../values/board-context.ts'
import type { WidgetKind } from './kind.ts'
import { PinText } from './PinText.tsx'
import { usePicture } from './use-picture.ts'
import { useSeverities } from './use-severities.ts'
import { WidgetLoading, WidgetNote } from './WidgetState.tsx'
import styles from './Widgets.module.css'

const WorldMap = lazy(() => import('../world/WorldMap.tsx'))

export const map: WidgetKind = {
  kind: 'map',
  icon: 'zone',
  size: { w: 6, h: 8 },
  View: MapView,
  fields: ['picture', 'markers', 'signals'],
  initial: { markers: [] },
}

/** Assets at their places: on a floor plan, or without a picture on a map of the world. */
function MapView({ widget }: { widget: Widget }) {
  const { resourceId } = widget.options as { resourceId?: string }
  return resourceId === undefined ? (
    <WorldMap widget={widget} />
  ) : (
    <FloorPlan widget={widget} resourceId={resourceId} />
  )
}

function FloorPlan({ widget, resourceId }: { widget: Widget; resourceId: string }) {
  const words = useWords('dashboards')
  const { address, error } = usePicture(resourceId)
  const markers = useMemo(() => readMarkers(widget.options), [widget.options])
  const placed = markers.filter(isOnPicture)
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
              <li
                key={index}
                className={styles.pin}
                style={{ left: `${marker.x * 100}%`, top: `${marker.y * 100}%` }}
                data-severity={severities.get(marker.assetId)}
                data-side={marker.x > 0.6 ? 'left' : 'right'}
              >
                <span className={styles.pinPoint} aria-hidden />
                <span className={styles.pinText}>
                  <PinText marker={marker} severity={severities.get(marker.assetId)} signals={signals} />
                </span>
              </li>
            ))}
          </ul>
        </div>
      </div>
      {error !== null && <Refusal error={error} />}
      {isCut && <WidgetNote>{words.someAlarms}</WidgetNote>}
    </>
  )
}
