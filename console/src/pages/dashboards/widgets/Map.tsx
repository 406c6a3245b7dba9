import { useElementSize } from '@mantine/hooks'
import { useState } from 'react'
import { lazyPart } from '../../../load-part.ts'
import { Refusal } from '../../../parts/Refusal.tsx'
import { useWords } from '../../../words/words.tsx'
import type { Widget } from '../board/board.ts'
import { fitPicture, isOnPicture, type PlacedMarker } from '../board/markers.ts'
import { useWidgetSignals } from '../values/board-context.ts'
import { groupPlaces } from '../world/view.ts'
import type { WidgetKind } from './kind.ts'
import { PinText } from './PinText.tsx'
import { useMarkers } from './use-markers.ts'
import { usePicture } from './use-picture.ts'
import { useSeverities } from './use-severities.ts'
import { WidgetLoading, WidgetNote } from './WidgetState.tsx'
import styles from './Widgets.module.css'

/** Narrower pictures have no room for the texts of their pins, which are then listed below. */
const NARROW = 480
/** Height that a narrow picture leaves to the list. */
const NARROW_HEIGHT = 320
/** Pins that are nearer than this share a mark. */
const NUMBER_PX = 22

const WorldMap = lazyPart(() => import('../world/WorldMap.tsx'))

export const map: WidgetKind = {
  kind: 'map',
  icon: 'zone',
  size: { w: 6, h: 8 },
  View: MapView,
  fields: ['picture', 'markers', 'plainSignals'],
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
  const markers = useMarkers(widget)
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
  const isNarrow = width > 0 && width < NARROW
  const size = natural && fitPicture(natural, { width, height: isNarrow ? NARROW_HEIGHT : height })
  const texts = markers.map((marker, index) => (
    <PinText key={index} marker={marker} severity={severities.get(marker.assetId)} signals={signals} />
  ))
  if (isBroken) return <WidgetNote>{words.notAPicture}</WidgetNote>
  return (
    <>
      <div ref={ref} className={styles.plan} data-narrow={isNarrow || undefined}>
        <div className={styles.planPicture} style={size ?? undefined}>
          <img
            src={address}
            alt={widget.title ?? words.kinds.map}
            onLoad={({ currentTarget: { naturalWidth, naturalHeight } }) =>
              setNatural({ width: naturalWidth || 1, height: naturalHeight || 1 })
            }
            onError={() => setBroken(true)}
          />
          {isNarrow && size !== null && <PinNumbers markers={markers} size={size} severities={severities} />}
          {!isNarrow && (
            <ul className={styles.pins}>
              {markers.map((marker, index) => (
                <li
                  key={index}
                  className={styles.pin}
                  style={placeAt(marker)}
                  data-severity={severities.get(marker.assetId)}
                  data-side={marker.x > 0.6 ? 'left' : 'right'}
                >
                  <span className={styles.pinPoint} aria-hidden />
                  <span className={styles.pinText}>{texts[index]}</span>
                </li>
              ))}
            </ul>
          )}
        </div>
      </div>
      {isNarrow && (
        <ol className={styles.pinList}>
          {texts.map((text, index) => (
            <li key={index}>{text}</li>
          ))}
        </ol>
      )}
      {error !== null && <Refusal error={error} />}
      {isCut && <WidgetNote>{words.someAlarms}</WidgetNote>}
    </>
  )
}

const placeAt = ({ x, y }: { x: number; y: number }) => ({ left: `${x * 100}%`, top: `${y * 100}%` })

interface NumbersProps {
  markers: PlacedMarker[]
  /** Size of the picture in pixels. */
  size: { width: number; height: number }
  severities: ReadonlyMap<string, number>
}

/** The numbers of the pins in the list below the picture; pins that would cover each other share a mark. */
function PinNumbers({ markers, size, severities }: NumbersProps) {
  const pins = markers.map((marker, index) => ({
    marker,
    number: index + 1,
    place: { x: marker.x, y: (marker.y * size.height) / size.width },
  }))
  return (
    <div aria-hidden>
      {groupPlaces(pins, { x: 0.5, y: 0.5, width: 1 }, NUMBER_PX / size.width).map((group) => (
        <span
          key={group[0]!.number}
          className={styles.pin}
          style={placeAt(group[0]!.marker)}
          data-severity={Math.max(...group.map(({ marker }) => severities.get(marker.assetId) ?? 0))}
        >
          <span className={styles.pinNumber}>{writeNumbers(group.map(({ number }) => number))}</span>
        </span>
      ))}
    </div>
  )
}

const MOST_NUMBERS = 3

const writeNumbers = (numbers: number[]) =>
  `${numbers.slice(0, MOST_NUMBERS).join(', ')}${numbers.length > MOST_NUMBERS ? ', …' : ''}`
