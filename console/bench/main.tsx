/** Draws the console's charts with generated values, for `npm run bench -- console`. */
import '@mantine/core/styles.css'
import '../src/tokens.css'
import '../src/global.css'
import { createRoot } from 'react-dom/client'
import ChartView, { type ChartProps } from '../src/charts/ChartView.tsx'
import { addSample, createSamples } from '../src/charts/samples/samples.ts'
import { readAnswer } from '../src/pages/explore/read-answer.ts'
import { FormatProvider } from '../src/format.ts'
import { PartBoundary } from '../src/parts/PartBoundary.tsx'
import { PreferencesProvider } from '../src/preferences.tsx'
import { WordsProvider } from '../src/words/words.tsx'

const MINUTE_MS = 60_000
const root = createRoot(document.querySelector('#root')!)

const show = (charts: ChartProps[], width: string) =>
  root.render(
    <PreferencesProvider>
      <WordsProvider>
        <FormatProvider>
          <PartBoundary>
            <div
              style={{
                display: 'grid',
                gridTemplateColumns: `repeat(auto-fill, minmax(${width}, 1fr))`,
                gap: 4,
              }}
            >
              {charts.map((props) => (
                <ChartView key={props.label} {...props} />
              ))}
            </div>
          </PartBoundary>
        </FormatProvider>
      </WordsProvider>
    </PreferencesProvider>,
  )

const nextFrame = () => new Promise<number>((resolve) => requestAnimationFrame(resolve))

/** Resolves after the canvas of a chart was drawn and shown. */
async function untilDrawn() {
  const isDrawn = () => document.querySelector('canvas') !== null
  while (!isDrawn()) await nextFrame()
  await nextFrame()
  await nextFrame()
}

const yearFrom = Date.UTC(2025, 10, 23)

/** Writes a response of the API with one value a minute. */
function writeAnswer(count: number): string {
  const points = Array.from({ length: count }, (_, index) => {
    const value = Math.round((60 + 10 * Math.sin(index / 700) + 4 * Math.random()) * 100) / 100
    return `{"value":${value},"timestamp":"${new Date(yearFrom + index * MINUTE_MS).toISOString()}"}`
  })
  return `{"items":[{"name":"temperature","signalId":"pump/-/telemetry/temperature","items":[${points.join(',')}],"queryResultLimitReached":null}],"aggregation":"","time_bucket":""}`
}

let answer = ''

const bench = {
  /** Loads code and translations in advance, so that they do not count for the first measured chart. */
  async warmUp() {
    show([{ label: 'warm', series: [], range: { from: 0, to: 1000 } }], '100%')
    await untilDrawn()
    root.render(null)
    await nextFrame()
  },
  prepareYear(count: number) {
    answer = writeAnswer(count)
    return answer.length
  },
  /** @returns the milliseconds for reading the response, and those until the chart is on screen */
  async showYear() {
    const start = performance.now()
    const { samples } = readAnswer(answer).items[0]!
    const readMs = performance.now() - start
    const range = { from: yearFrom, to: yearFrom + samples.length * MINUTE_MS }
    show(
      [{ label: 'year', series: [{ id: 'year', label: 'temperature', samples }], range, height: 420 }],
      '100%',
    )
    await untilDrawn()
    return { readMs, shownMs: performance.now() - start }
  },
  /** @returns the milliseconds between frames while the chart is panned in each frame */
  async pan(frames: number) {
    const plot = document.querySelector('[role="application"]')!
    const times = [await nextFrame()]
    for (let index = 0; index < frames; index++) {
      const deltaX = index % 120 < 60 ? 4 : -4
      plot.dispatchEvent(new WheelEvent('wheel', { deltaX, bubbles: true, cancelable: true }))
      times.push(await nextFrame())
    }
    return times.slice(1).map((time, index) => time - times[index]!)
  },
  clear: () => root.render(null),
  /** Shows charts that receive values several times a second, until the page is closed. */
  showLive({ count, updatesPerSecond }: { count: number; updatesPerSecond: number }) {
    const now = Date.now()
    const feeds = Array.from({ length: count }, (_, index) => {
      const samples = createSamples({ capacity: 8192 })
      for (let at = now - 5 * MINUTE_MS; at < now; at += 1000 / updatesPerSecond)
        addSample(samples, at, Math.sin(at / 9000 + index) + Math.random() / 5)
      const listeners = new Set<() => void>()
      const subscribe = (listener: () => void) => {
        listeners.add(listener)
        return () => listeners.delete(listener)
      }
      return { samples, listeners, subscribe }
    })
    const charts = feeds.map(({ samples, subscribe }, index) => ({
      label: `live ${index}`,
      series: [{ id: `${index}`, label: 'speed', samples }],
      range: { from: now - 5 * MINUTE_MS, to: now },
      isLive: true,
      subscribe,
      height: 150,
      hasTools: false,
      hasLegend: false,
    }))
    show(charts, '270px')
    for (const [index, feed] of feeds.entries())
      setTimeout(
        () =>
          setInterval(() => {
            addSample(feed.samples, Date.now(), Math.sin(Date.now() / 9000 + index) + Math.random() / 5)
            for (const listener of feed.listeners) listener()
          }, 1000 / updatesPerSecond),
        (index * 1000) / updatesPerSecond / count,
      )
  },
}

Object.assign(globalThis, { bench })
