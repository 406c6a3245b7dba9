import { useEffect, useId, useMemo, useState } from 'react'
import { useFormat } from '../format.ts'
import { useWords } from '../words/words.tsx'
import { ChartTable } from './ChartTable.tsx'
import { ChartTools } from './ChartTools.tsx'
import { CursorLayer } from './CursorLayer.tsx'
import { Legend } from './Legend.tsx'
import {
  type ChartContent,
  type ChartScale,
  type ChartSeries,
  isNumeric,
  type OfflineSpan,
} from './plot/model.ts'
import { describeReading, useReadingWords } from './readings.ts'
import type { Range } from './time/range.ts'
import { createZone } from './time/zone.ts'
import { usePlot } from './use-plot.ts'
import styles from './Chart.module.css'

export interface ChartProps {
  /** Name of the chart for screen readers. */
  label: string
  series: ChartSeries[]
  range: Range
  /** Called after the user has zoomed or panned; the chart shows the new range already. */
  onRange?: (range: Range) => void
  /** Called when the user resets the zoom. */
  onReset?: () => void
  /** Keeps the present time at the right edge. */
  isLive?: boolean
  /** Subscribes to samples that are added in place; returns a function that unsubscribes. */
  subscribe?: (onChange: () => void) => () => void
  offline?: OfflineSpan[]
  /** Time zone of the chart, if it differs from that of the top bar. */
  zone?: string
  isArea?: boolean
  scale?: ChartScale
  height?: number
  /** Tools and legend are shown by default; small charts hide them. */
  hasTools?: boolean
  hasLegend?: boolean
  isTableShown?: boolean
  onTable?: (isShown: boolean) => void
  /** Called when the user removes a series in the legend; without it, the legend has no remove buttons. */
  onRemove?: (id: string) => void
}

const noOffline: OfflineSpan[] = []
const noScale: ChartScale = {}
const LANE_HEIGHT = 40

export default function ChartView(props: ChartProps) {
  const { series, range, offline = noOffline, isArea = false, scale = noScale } = props
  const { hasTools = true, hasLegend = true } = props
  const words = useWords('charts')
  const format = useFormat()
  const zoneName = props.zone ?? format.zone
  const keysId = useId()
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set())
  const [spoken, setSpoken] = useState('')
  const zone = useMemo(() => createZone(zoneName), [zoneName])
  const content = useMemo<ChartContent>(() => {
    const colored = series.map((each, index) => ({ ...each, color: each.color ?? index }))
    const shown = colored.filter(({ id }) => !hidden.has(id))
    return { series: shown, range, zone, locale: format.locale, offline, isArea, scale }
  }, [series, hidden, range, zone, format.locale, offline, isArea, scale])
  const readingWords = useReadingWords(zone, scale.decimals)
  const chart = usePlot(content, {
    ...props,
    onRead: (reading) => setSpoken(describeReading(reading, readingWords)),
  })
  const toggle = (id: string) =>
    setHidden((present) => {
      const next = new Set(present)
      if (!next.delete(id)) next.add(id)
      return next
    })
  useEffect(() => setSpoken(''), [series])

  const lanes = content.series.filter((each) => !isNumeric(each)).length
  const height =
    lanes === content.series.length && lanes > 0
      ? lanes * LANE_HEIGHT + 90
      : (props.height ?? 320) + lanes * LANE_HEIGHT
  return (
    <figure className={styles.chart} aria-label={props.label}>
      {hasTools && <ChartTools chart={chart} isTableShown={props.isTableShown} onTable={props.onTable} />}
      <div className={styles.frame} style={{ height }}>
        <div
          ref={chart.setElement}
          className={styles.plot}
          role="application"
          tabIndex={0}
          aria-roledescription={words.chart}
          aria-label={props.label}
          aria-describedby={keysId}
        />
        <div ref={chart.setLayer} className={styles.layer} aria-hidden />
        <CursorLayer chart={chart} content={content} words={readingWords} />
      </div>
      <p id={keysId} className="visually-hidden">
        {words.keys}
      </p>
      <p className="visually-hidden" aria-live="polite">
        {spoken}
      </p>
      {hasLegend && (
        <Legend
          series={series}
          decimals={scale.decimals}
          range={chart.settledRange}
          hidden={hidden}
          onToggle={toggle}
          onRemove={props.onRemove}
          version={chart.version}
        />
      )}
      {props.isTableShown && <ChartTable series={content.series} range={chart.settledRange} zone={zone} />}
    </figure>
  )
}
