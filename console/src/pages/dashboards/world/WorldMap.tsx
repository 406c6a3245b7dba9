import { useElementSize, useMergedRef } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { Icon, type IconName } from '../../../parts/Icon.tsx'
import { Refusal } from '../../../parts/Refusal.tsx'
import { useWords } from '../../../words/words.tsx'
import type { Widget } from '../board/board.ts'
import { isOnEarth } from '../board/markers.ts'
import { useMarkers } from '../widgets/use-markers.ts'
import { useSeverities } from '../widgets/use-severities.ts'
import { WidgetNote } from '../widgets/WidgetState.tsx'
import { loadOutline, SIZE } from './outline.ts'
import { PinGroup, type PlacedPin } from './PinGroup.tsx'
import { readTileSource } from './tile-source.ts'
import { Tiles } from './Tiles.tsx'
import { useMapInput } from './use-map-input.ts'
import { fitPlaces, groupPlaces, isNearest, locate, project, type View } from './view.ts'
import styles from './World.module.css'

/** Pins whose points are nearer than this stand in one group. */
const GROUP_PX = 26

/** The world with assets at their coordinates: its outline, and the tiles that the operator configured. */
export default function WorldMap({ widget }: { widget: Widget }) {
  const words = useWords('dashboards')
  const markers = useMarkers(widget)
  const pins = useMemo(
    () =>
      markers
        .filter(isOnEarth)
        .map((marker) => ({ marker, place: project(marker.latitude, marker.longitude) })),
    [markers],
  )
  const { severities, error, isCut } = useSeverities(markers)
  return (
    <>
      <Surface widget={widget} pins={pins} severities={severities} />
      {pins.length === 0 && <WidgetNote>{words.noPins}</WidgetNote>}
      {pins.length > 0 && pins.length < markers.length && (
        <WidgetNote>{words.notOnEarth(markers.length - pins.length)}</WidgetNote>
      )}
      {error !== null && <Refusal error={error} />}
      {isCut && <WidgetNote>{words.someAlarms}</WidgetNote>}
    </>
  )
}

interface SurfaceProps {
  widget: Widget
  pins: PlacedPin[]
  severities: ReadonlyMap<string, number>
}

function Surface({ widget, pins, severities }: SurfaceProps) {
  const words = useWords('dashboards')
  const { ref: sizeRef, width, height } = useElementSize()
  const aspect = width > 0 && height > 0 ? height / width : 0.5
  const [chosen, setChosen] = useState<View | null>(null)
  const [tiles] = useState(readTileSource)
  const view =
    chosen ??
    fitPlaces(
      pins.map(({ place }) => place),
      aspect,
    )
  const input = useMapInput({ view, aspect, onView: setChosen })
  const ref = useMergedRef(sizeRef, input.element)
  const groups = width === 0 ? [] : groupPlaces(pins, view, GROUP_PX / width)
  return (
    <div className={styles.world}>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- arrow keys move the map */}
      <div
        ref={ref}
        className={styles.surface}
        role="application"
        aria-label={`${widget.title ?? words.kinds.map}. ${words.mapKeys}`}
        tabIndex={0}
        {...input.handlers}
      >
        <OutlinePicture view={view} aspect={aspect} />
        {tiles && <Tiles source={tiles} view={view} size={{ width, height }} />}
        <ul className={styles.pins}>
          {groups.map((group) => (
            <PinGroup
              key={pins.indexOf(group[0]!)}
              pins={group}
              at={locate(group[0]!.place, view, aspect)}
              isSplit={isNearest(view) || group.length === 1 || isOnePlace(group)}
              severities={severities}
              widget={widget}
              onNearer={() =>
                setChosen(
                  fitPlaces(
                    group.map(({ place }) => place),
                    aspect,
                  ),
                )
              }
            />
          ))}
        </ul>
      </div>
      <div className={styles.tools}>
        <Tool icon="plus" label={words.zoomIn} onClick={() => input.zoomBy(0.5)} />
        <Tool icon="offline" label={words.zoomOut} onClick={() => input.zoomBy(2)} />
        <Tool icon="refresh" label={words.showAllPins} onClick={() => setChosen(null)} />
      </div>
    </div>
  )
}

const isOnePlace = ([first, ...others]: PlacedPin[]) =>
  others.every(({ place }) => place.x === first!.place.x && place.y === first!.place.y)

function OutlinePicture({ view, aspect }: { view: View; aspect: number }) {
  const { data, error } = useQuery({ queryKey: ['world-outline'], queryFn: loadOutline, staleTime: Infinity })
  const [width, height] = [view.width * SIZE, view.width * aspect * SIZE]
  if (error !== null) return <Refusal error={error} />
  return (
    <svg
      aria-hidden
      className={styles.outline}
      viewBox={`${view.x * SIZE - width / 2} ${view.y * SIZE - height / 2} ${width} ${height}`}
      preserveAspectRatio="none"
    >
      <path className={styles.land} d={data?.land} />
      <path className={styles.lines} d={data?.lines} vectorEffect="non-scaling-stroke" />
    </svg>
  )
}

const Tool = (props: { icon: IconName; label: string; onClick: () => void }) => (
  <button
    type="button"
    className={styles.tool}
    aria-label={props.label}
    title={props.label}
    onClick={props.onClick}
  >
    <Icon name={props.icon} />
  </button>
)
