import { type ReactNode, use, useId } from 'react'
import { useFormat } from '../../../format.ts'
import { Icon } from '../../../parts/Icon.tsx'
import { PartBoundary } from '../../../parts/PartBoundary.tsx'
import { ViewOnlyContext } from '../../../parts/view-only.ts'
import { useWords } from '../../../words/words.tsx'
import type { Widget } from '../board/board.ts'
import { isSection } from '../board/sections.ts'
import { useBoardValues, useWidgetHistory, useWidgetSignals } from '../values/board-context.ts'
import { readPeriod, spanMs } from '../values/history.ts'
import { findKind } from '../widgets/kinds.ts'
import { WidgetLoading, WidgetNote } from '../widgets/WidgetState.tsx'
import { UnknownWidget } from '../widgets/UnknownWidget.tsx'
import { SectionFrame } from './SectionFrame.tsx'
import { WidgetBoundary } from './WidgetBoundary.tsx'
import styles from './Grid.module.css'
import { placeStyle } from './place-style.ts'

interface Props {
  widget: Widget
  /** Handles of the editor. */
  children?: ReactNode
  /** Whether the editor shows it: its content then takes no input. */
  isEdited?: boolean
  isSelected?: boolean
}

/** A widget at its place, with its title. One that fails leaves the others alone. */
export function WidgetFrame({ widget, children, isEdited = false, isSelected = false }: Props) {
  const words = useWords('dashboards')
  const headingId = useId()
  const kind = findKind(widget.kind)
  const isViewOnly = use(ViewOnlyContext)
  const title = useTitle(widget)
  const View = kind?.View ?? UnknownWidget
  if (isSection(widget))
    return (
      <SectionFrame widget={widget} title={title} isSelected={isSelected}>
        {children}
      </SectionFrame>
    )
  return (
    <article
      className={styles.frame}
      style={placeStyle(widget.position)}
      data-widget={widget.id}
      data-editing={isEdited || undefined}
      data-selected={isSelected || undefined}
      aria-labelledby={headingId}
    >
      <h2 className={styles.heading} title={title}>
        {kind === undefined && <Icon name="warning" size={14} />}
        <bdi id={headingId}>{title}</bdi>
        <StaleMark widget={widget} />
        <OwnTime widget={widget} />
      </h2>
      {children}
      <div className={styles.content} inert={isEdited}>
        <WidgetBoundary options={widget.options} text={words.widgetFailed}>
          <PartBoundary fallback={<WidgetLoading />}>
            {kind?.sends && isViewOnly ? <WidgetNote>{words.viewOnly}</WidgetNote> : <View widget={widget} />}
          </PartBoundary>
        </WidgetBoundary>
      </div>
    </article>
  )
}

/** The time of a widget that differs from that of the board, and the way back after a zoom. */
function OwnTime({ widget }: { widget: Widget }) {
  const words = useWords('dashboards')
  const format = useFormat()
  const { needs, zooms, onZoom } = useBoardValues()
  const period = readPeriod(widget.options.period)
  if (period === undefined || !needs.has(widget.id)) return null
  const written = words.lastSpan(format.duration(spanMs(period)))
  if (!zooms.has(widget.id)) return <span className={styles.time}>{written}</span>
  return (
    <button type="button" className={styles.backToTime} onClick={() => onZoom(widget, null)}>
      {words.backTo(written)}
    </button>
  )
}

/** Mark with the time of the values, if reading them again failed. */
function StaleMark({ widget }: { widget: Widget }) {
  const words = useWords('dashboards')
  const format = useFormat()
  const { error, readAtMs } = useWidgetHistory(widget)
  if (error === null || readAtMs === 0) return null
  return (
    <span className={styles.stale}>
      <Icon name="warning" size={14} />
      {words.asOf(format.time(readAtMs))}
    </span>
  )
}

/** The written title, else the names of its signals, else the kind. */
export function useTitle(widget: Widget): string {
  const words = useWords('dashboards')
  const signals = useWidgetSignals(widget)
  if (widget.title) return widget.title
  const names = [...new Set(signals.map(({ label }) => label))]
  const label = widget.options.label
  if (typeof label === 'string') return label
  return names.length > 0
    ? names.join(', ')
    : (words.kinds[widget.kind as keyof typeof words.kinds] ?? widget.kind)
}
