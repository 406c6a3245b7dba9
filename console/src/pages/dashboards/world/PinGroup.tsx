import { Severity } from '../../../parts/StateMark.tsx'
import { useFormat } from '../../../format.ts'
import { useWords } from '../../../words/words.tsx'
import type { Widget } from '../board/board.ts'
import type { EarthMarker } from '../board/markers.ts'
import { useWidgetSignals } from '../values/board-context.ts'
import { PinText } from '../widgets/PinText.tsx'
import widgetStyles from '../widgets/Widgets.module.css'
import type { Place } from './view.ts'
import styles from './World.module.css'

export interface PlacedPin {
  marker: EarthMarker
  place: Place
}

interface Props {
  pins: PlacedPin[]
  /** In shares of the size of the widget. */
  at: Place
  /** Whether the assets are listed. Otherwise their number is a button that comes nearer. */
  isSplit: boolean
  severities: ReadonlyMap<string, number>
  widget: Widget
  onNearer: () => void
}

/** Pins that would cover each other. Those outside of the view are left out. */
export function PinGroup({ pins, at, isSplit, severities, widget, onNearer }: Props) {
  const words = useWords('dashboards')
  const format = useFormat()
  const signals = useWidgetSignals(widget)
  if (at.x < 0 || at.x > 1 || at.y < 0 || at.y > 1) return null
  const severity = pins.reduce((most, { marker }) => Math.max(most, severities.get(marker.assetId) ?? 0), 0)
  return (
    <li
      className={widgetStyles.pin}
      style={{ left: `${at.x * 100}%`, top: `${at.y * 100}%` }}
      data-severity={severity || undefined}
      data-side={at.x > 0.6 ? 'left' : 'right'}
    >
      <span className={widgetStyles.pinPoint} aria-hidden />
      <span className={`${widgetStyles.pinText} ${styles.list}`}>
        {isSplit ? (
          pins.map(({ marker }, index) => (
            <PinText
              key={index}
              marker={marker}
              severity={severities.get(marker.assetId)}
              signals={signals}
            />
          ))
        ) : (
          <>
            <button type="button" className={styles.group} onClick={onNearer}>
              {words.assetsHere(format.number(pins.length))}
            </button>
            {severity > 0 && <Severity severity={severity} />}
          </>
        )}
      </span>
    </li>
  )
}
