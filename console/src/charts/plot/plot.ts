/** One chart on a canvas: uPlot lays out and draws the axes, the series are drawn from their columns. */
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import type { Range } from '../time/range.ts'
import { chooseStep, listTicks } from '../time/ticks.ts'
import { createTickLabeller } from '../time/tick-labels.ts'
import { pageQueue } from './draw-queue.ts'
import { type ChartLook, readLook, watchLook } from './look.ts'
import { type ChartContent, isNumeric } from './model.ts'
import { createAxisFormat } from './numbers.ts'
import { CAPTION_HEIGHT, LANE_PITCH, paint } from './paint.ts'
import { makePicture, type Picture, type Reading, readValue, type StepCache, stepTime } from './picture.ts'

/** Position and size of the plot within its element, in CSS pixels. */
export interface Geometry {
  left: number
  top: number
  width: number
  height: number
}

export interface Plot {
  setContent: (content: ChartContent) => void
  setRange: (range: Range) => void
  /** Redraws the chart after samples have changed in place. */
  invalidate: () => void
  geometry: () => Geometry
  range: () => Range
  /** Reads the value of each series at a time; null in a gap. */
  read: (time: number) => (Reading | null)[]
  step: (series: number, time: number, count: number) => number
  /** The distance of a value from the top of the element; null for a state. */
  yOf: (series: number, value: number) => number | null
  destroy: () => void
}

export interface PlotOptions {
  content: ChartContent
  /** Width in pixels that is left free at the right edge for the last values. */
  rightRoom: number
  onDrawn: () => void
}

const TIME_AXIS_HEIGHT = 44
const TICK_ROOM = 92
const TOP_ROOM = 22

interface State {
  element: HTMLElement
  options: PlotOptions
  content: ChartContent
  look: ChartLook
  picture: Picture | null
  chart: uPlot | null
  /** Key of the axes, bands and settings for which `chart` was built; another key needs a new chart. */
  builtFor: string
  size: { width: number; height: number }
  steps: StepCache
}

export function createPlot(element: HTMLElement, options: PlotOptions): Plot {
  const state: State = {
    element,
    options,
    content: options.content,
    look: readLook(element),
    picture: null,
    chart: null,
    builtFor: '',
    size: { width: element.clientWidth, height: element.clientHeight },
    steps: new WeakMap(),
  }
  const drawn = pageQueue.add(element, () => draw(state))
  const unwatch = watchLook(() => {
    state.look = readLook(element)
    state.builtFor = ''
    drawn.schedule()
  })
  const resizes = new ResizeObserver(([entry]) => {
    const { width, height } = entry!.contentRect
    state.size = { width: Math.floor(width), height: Math.floor(height) }
    drawn.schedule()
  })
  resizes.observe(element)
  drawn.schedule()
  return {
    setContent: (content) => {
      state.content = content
      drawn.schedule()
    },
    setRange: (range) => {
      state.content = { ...state.content, range }
      drawn.schedule()
    },
    invalidate: drawn.schedule,
    geometry: () => readGeometry(state),
    range: () => state.content.range,
    read: (time) =>
      state.content.series.map((_, series) =>
        state.picture === null
          ? null
          : readValue(state.picture, state.content, { series, time, steps: state.steps }),
      ),
    step: (series, time, count) =>
      state.picture === null ? time : stepTime(state.picture, state.content, { series, time, count }),
    yOf: (series, value) => readY(state, series, value),
    destroy: () => {
      drawn.remove()
      resizes.disconnect()
      unwatch()
      state.chart?.destroy()
    },
  }
}

function draw(state: State) {
  const { width, height } = state.size
  if (width < 40 || height < 40) return
  const { content, steps } = state
  const plotWidth = state.chart ? readGeometry(state).width : width - 80
  state.picture = makePicture(content, {
    width: Math.max(40, Math.round(plotWidth)),
    steps,
    nowMs: Date.now(),
  })
  const { axes } = state.picture
  const lanes = content.series.filter((series) => !isNumeric(series)).length
  const builtFor = JSON.stringify([
    axes.map(({ unit, side, isShown }) => [unit, side, isShown]),
    lanes,
    content.locale,
    content.zone.name,
    state.options.rightRoom,
  ])
  if (builtFor !== state.builtFor) rebuild(state, { builtFor, lanes })
  const chart = state.chart!
  if (chart.width !== width || chart.height !== height) chart.setSize({ width, height })
  chart.batch(() => {
    chart.setScale('x', { min: content.range.from, max: content.range.to })
    for (const [index, { min, max }] of axes.entries()) chart.setScale(`y${index}`, { min, max })
  })
  state.options.onDrawn()
}

function rebuild(state: State, { builtFor, lanes }: { builtFor: string; lanes: number }) {
  state.chart?.destroy()
  state.builtFor = builtFor
  const { axes } = state.picture!
  const fixed: uPlot.Scale = { time: false, auto: false, range: (_, min, max) => [min, max] }
  const top = TOP_ROOM + lanes * LANE_PITCH + (lanes > 0 ? CAPTION_HEIGHT : 0)
  state.chart = new uPlot(
    {
      ...state.size,
      pxAlign: 1,
      padding: [top, Math.max(12, state.options.rightRoom), 0, axes.some(({ isShown }) => isShown) ? 0 : 12],
      cursor: { show: false },
      legend: { show: false },
      scales: { x: fixed, ...Object.fromEntries(axes.map((_, index) => [`y${index}`, fixed])) },
      axes: [
        timeAxis(state),
        ...axes.flatMap((axis, index) => (axis.isShown ? [valueAxis(state, axis, index)] : [])),
      ],
      series: [
        {},
        ...axes.map((_, index) => ({ scale: `y${index}`, paths: () => null, points: { show: false } })),
      ],
      hooks: { drawAxes: [(chart) => paint(chart, { ...state, picture: state.picture! })] },
    },
    [
      [state.content.range.from, state.content.range.to],
      ...axes.map(() => [null, null]),
    ] as uPlot.AlignedData,
    state.element,
  )
}

function timeAxis(state: State): uPlot.Axis {
  const { zone, locale } = state.content
  const labelTicks = createTickLabeller(zone, locale)
  const chooseTickStep = (chart: uPlot) => chooseStep(state.content.range, readWidth(chart) / TICK_ROOM)
  return {
    ...lines(state.look),
    size: TIME_AXIS_HEIGHT,
    splits: (chart) => listTicks(zone, state.content.range, chooseTickStep(chart)),
    values: (chart, ticks) => labelTicks(ticks, chooseTickStep(chart)),
  }
}

function valueAxis(state: State, { side }: Picture['axes'][number], index: number): uPlot.Axis {
  const { grid, ...rest } = lines(state.look)
  const format = createAxisFormat(state.content.locale)
  return {
    ...rest,
    grid: { ...grid, show: index === 0 },
    scale: `y${index}`,
    side: side === 'left' ? 3 : 1,
    space: () => (state.size.height < 200 ? 22 : 36),
    values: (_, splits) => format(splits),
    // The width is a multiple of 8, so that the plot does not jump with each digit.
    size: (_, labels) =>
      Math.ceil((Math.max(2, ...(labels ?? []).map((label) => label.length)) * 7.2 + 14) / 8) * 8,
  }
}

const lines = (look: ChartLook) => ({
  font: look.font,
  stroke: look.text,
  grid: { stroke: look.grid, width: 1 },
  ticks: { show: false },
  gap: 6,
})

const readRatio = () => Math.max(1, window.devicePixelRatio)
const readWidth = (chart: uPlot) => (chart.bbox?.width ?? 800) / readRatio()

function readGeometry({ chart, size }: State): Geometry {
  if (!chart) return { left: 0, top: 0, ...size }
  const { left, top, width, height } = chart.bbox
  const ratio = readRatio()
  return { left: left / ratio, top: top / ratio, width: width / ratio, height: height / ratio }
}

function readY(state: State, series: number, value: number): number | null {
  const axis = state.picture?.axes.findIndex((each) => each.series.includes(series)) ?? -1
  if (axis === -1 || !state.chart) return null
  return state.chart.valToPos(value, `y${axis}`) + readGeometry(state).top
}
