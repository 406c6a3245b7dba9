import { useEffect, useMemo, useRef, useState } from 'react'
import { once } from '../once.ts'
import type { ChartProps } from './ChartView.tsx'
import { attachGestures } from './plot/gestures.ts'
import { pageQueue } from './plot/draw-queue.ts'
import { createLastValues, LAST_VALUE_WIDTH } from './plot/last-values.ts'
import { pageClock } from './plot/live-clock.ts'
import type { ChartContent } from './plot/model.ts'
import { createValueFormat } from './plot/numbers.ts'
import { createPlot, type Geometry, type Plot } from './plot/plot.ts'
import type { ReadValues } from './readings.ts'
import { isSameRange, panRange, type Range, span, zoomRange } from './time/range.ts'
import styles from './Chart.module.css'

export interface Cursor {
  time: number
  /** Index of the series that the arrow keys step through. */
  series: number
}

export interface ChartControl {
  setElement: (element: HTMLElement | null) => void
  setLayer: (element: HTMLElement | null) => void
  plot: Plot | null
  cursor: Cursor | null
  selection: Range | null
  geometry: Geometry
  /** The range after the last gesture; in a live chart, it follows the present time once a second. */
  settledRange: Range
  /** Changes about once a second while samples arrive, so that React renders them. */
  version: number
  zoom: (factor: number) => void
  pan: (share: number) => void
  reset: () => void
}

type Options = Pick<ChartProps, 'onRange' | 'onReset' | 'isLive' | 'subscribe' | 'hasLegend'> & {
  onRead: (reading: ReadValues) => void
}

/** A gesture ends after a pause of this length; the page may then request finer values. */
const SETTLE_MS = 180
/** New samples are drawn when they fill a pixel, or after this time. */
const MOST_WAIT_MS = 1000
/** Share of the time of the main thread that live charts may take before they are drawn less often. */
const LIVE_SHARE = 0.1
/** Charts narrower than this have no room for the last values at the right edge. */
const NARROW = 520

export function usePlot(content: ChartContent, options: Options): ChartControl {
  const [element, setElement] = useState<HTMLElement | null>(null)
  const [layer, setLayer] = useState<HTMLElement | null>(null)
  const [plot, setPlot] = useState<Plot | null>(null)
  const [geometry, setGeometry] = useState<Geometry>({ left: 0, top: 0, width: 0, height: 0 })
  const [cursor, setCursor] = useState<Cursor | null>(null)
  const [selection, setSelection] = useState<Range | null>(null)
  const [settledRange, setSettledRange] = useState(content.range)
  const [version, setVersion] = useState(0)
  const format = useLastValueFormat(content.locale, content.scale.decimals)
  // State of the last render, for listeners that live as long as the chart.
  const latest = useRef({
    content,
    options,
    cursor,
    moved: null as Range | null,
    settle: undefined as ReturnType<typeof setTimeout> | undefined,
  })
  Object.assign(latest.current, { content, options, cursor })

  const moveTo = (range: Range) => {
    const { current } = latest
    current.moved = range
    plot?.setRange(range)
    clearTimeout(current.settle)
    current.settle = setTimeout(() => {
      setSettledRange(range)
      current.options.onRange?.(range)
    }, SETTLE_MS)
  }
  const reset = () => {
    clearTimeout(latest.current.settle)
    latest.current.moved = null
    latest.current.options.onReset?.()
    plot?.setRange(latest.current.content.range)
  }

  useEffect(() => {
    if (!element || !layer) return
    const lastValues = createLastValues(layer, format, { tag: styles.last!, age: styles.age! })
    let known: Geometry | null = null
    const made: Plot = createPlot(element, {
      content: latest.current.content,
      rightRoom: element.clientWidth >= NARROW ? LAST_VALUE_WIDTH : 12,
      onDrawn: () => {
        const next = made.geometry()
        // React keeps an update that changes nothing until the next rendering, which a live chart may never need.
        if (known === null || !isSameGeometry(known, next)) setGeometry((known = next))
        if (element.clientWidth >= NARROW)
          lastValues.draw(made, { ...latest.current.content, range: made.range() })
      },
    })
    setPlot(made)
    return () => {
      made.destroy()
      layer.replaceChildren()
      setPlot(null)
    }
  }, [element, layer, format])

  useEffect(() => {
    const { moved } = latest.current
    // New samples of an earlier range do not undo a gesture in progress.
    if (moved && !isSameRange(moved, content.range)) plot?.setContent({ ...content, range: moved })
    else plot?.setContent(content)
  }, [plot, content])
  useEffect(() => {
    latest.current.moved = null
    clearTimeout(latest.current.settle)
    setSettledRange(content.range)
    plot?.setRange(content.range)
  }, [plot, content.range])

  useEffect(() => {
    if (!element || !plot) return
    const place = (time: number | null, series: number, isByKey: boolean) => {
      const next = time === null ? null : { time, series }
      latest.current.cursor = next
      setCursor(next)
      if (isByKey && time !== null)
        latest.current.options.onRead({
          time,
          values: plot.read(time),
          series: latest.current.content.series,
          first: series,
        })
    }
    return attachGestures(element, plot, {
      onRange: moveTo,
      onReset: reset,
      onSelection: setSelection,
      onCursor: (time, isByKey) => place(time, latest.current.cursor?.series ?? 0, isByKey),
      onSeries: (step) => {
        const count = latest.current.content.series.length
        const { time, series } = latest.current.cursor ?? { time: plot.range().to, series: 0 }
        if (count > 0) place(time, (series + step + count) % count, true)
      },
      cursor: () => ({
        time: latest.current.cursor?.time ?? null,
        series: latest.current.cursor?.series ?? 0,
      }),
    })
    // `moveTo` and `reset` depend on the plot only.
  }, [element, plot])

  useLiveDrawing(plot, latest.current, {
    isLive: options.isLive,
    layer,
    subscribe: options.subscribe,
    onSecond: () => {
      if (options.hasLegend === false) return
      setVersion((count) => count + 1)
      const now = Date.now()
      if (options.isLive && !latest.current.moved)
        setSettledRange({ from: now - span(latest.current.content.range), to: now })
    },
  })

  return {
    setElement,
    setLayer,
    plot,
    cursor,
    selection,
    geometry,
    settledRange,
    version,
    reset,
    zoom: (factor) => plot && moveTo(zoomRange(plot.range(), factor, cursor?.time)),
    pan: (share) => plot && moveTo(panRange(plot.range(), share)),
  }
}

interface LiveOptions {
  isLive: boolean | undefined
  /** Contains the last values and their ages, where the chart has room for them. */
  layer: HTMLElement | null
  subscribe: Options['subscribe']
  onSecond: () => void
}

/**
 * Draws new samples, and moves a live chart along with the time: by whole pixels, or once a second where it shows the age
 * of its last values.
 */
function useLiveDrawing(
  plot: Plot | null,
  latest: { content: ChartContent; moved: Range | null },
  options: LiveOptions,
) {
  const { isLive, layer, subscribe } = options
  const onSecond = useRef(options.onSecond)
  onSecond.current = options.onSecond
  useEffect(() => {
    if (!plot || (!isLive && !subscribe)) return
    const pixelMs = () => span(plot.range()) / Math.max(1, plot.geometry().width)
    let movedMs = 0
    const draw = () => {
      if (!isLive || latest.moved) return plot.invalidate()
      movedMs = Date.now()
      plot.setRange({ from: movedMs - span(latest.content.range), to: movedMs })
    }
    const drawing = pageClock.add(draw, () =>
      Math.max(Math.min(pixelMs(), MOST_WAIT_MS), pageQueue.readCostMs() / LIVE_SHARE),
    )
    const seconds = pageClock.add(
      () => onSecond.current(),
      () => 1000,
    )
    const readVersion = () => latest.content.series.reduce((sum, { samples }) => sum + samples.version, 0)
    let seenVersion = readVersion()
    const unsubscribe = subscribe?.(() => {
      // The page may publish changes of all of its charts at once.
      const version = readVersion()
      if (version !== seenVersion) drawing.request()
      seenVersion = version
      seconds.request()
    })
    const onTimer = () => {
      if (layer?.hasChildNodes() || Date.now() - movedMs >= pixelMs()) drawing.request()
      seconds.request()
    }
    const timer = isLive ? setInterval(onTimer, 1000) : undefined
    return () => {
      unsubscribe?.()
      clearInterval(timer)
      drawing.remove()
      seconds.remove()
    }
  }, [plot, isLive, layer, subscribe, latest])
}

function useLastValueFormat(locale: string, decimals: number | undefined) {
  return useMemo(() => {
    const units = (['second', 'minute', 'hour', 'day'] as const).map((unit) =>
      once(
        () =>
          new Intl.NumberFormat(locale, {
            style: 'unit',
            unit,
            unitDisplay: 'narrow',
            maximumFractionDigits: 0,
          }),
      ),
    )
    const steps = [1000, 60_000, 3_600_000, 86_400_000]
    const age = (ms: number) => {
      const step = steps.findLastIndex((size) => ms >= size)
      return units[Math.max(0, step)]!().format(Math.floor(ms / steps[Math.max(0, step)]!))
    }
    return { value: createValueFormat(locale, decimals), age }
  }, [locale, decimals])
}

const isSameGeometry = (one: Geometry, other: Geometry) =>
  one.left === other.left && one.top === other.top && one.width === other.width && one.height === other.height
