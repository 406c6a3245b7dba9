/** Paints the chart over its grid: offline spans, envelopes, lines, bands and units. */
import type uPlot from 'uplot'
import { drawLane, drawOffline, LANE_HEIGHT } from './draw-bands.ts'
import { drawArea, drawEnvelope, drawLine, type Pen } from './draw-series.ts'
import { type ChartLook, dashFor } from './look.ts'
import { type ChartContent, colorIndex } from './model.ts'
import type { Picture } from './picture.ts'

/** Height of the name above a band. */
const LANE_CAPTION = 16
export const LANE_PITCH = LANE_HEIGHT + LANE_CAPTION + 4
/** Space between the lowest band and the units of the axes. */
export const CAPTION_HEIGHT = 8

interface Painted {
  content: ChartContent
  picture: Picture
  look: ChartLook
}

export function paint(chart: uPlot, { content, picture, look }: Painted) {
  const { ctx: context, bbox } = chart
  const ratio = Math.max(1, window.devicePixelRatio)
  const { from, to } = content.range
  const toX = (time: number) => bbox.left + ((time - from) / (to - from)) * bbox.width
  const edges = { left: bbox.left, right: bbox.left + bbox.width }
  const [top, bottom] = [bbox.top, bbox.top + bbox.height]
  context.save()
  context.beginPath()
  context.rect(bbox.left, 0, bbox.width, bottom)
  context.clip()
  drawOffline({ context, ratio, look, toX, ...edges }, content.offline, { top, bottom })
  const pens = content.series.map((series, index) => makePen(index, colorIndex(series, index)))
  // Values beyond given limits stay within the axes.
  context.save()
  context.beginPath()
  context.rect(bbox.left, top - 2 * ratio, bbox.width, bottom - top + 4 * ratio)
  context.clip()
  paintThresholds()
  for (const kind of ['envelope', 'line'] as const)
    for (const [index, pen] of pens.entries()) {
      const columns = picture.columns[index]
      if (!pen || !columns) continue
      if (kind === 'line') drawLine(pen, columns)
      else {
        if (content.isArea) drawArea(pen, columns, bottom)
        drawEnvelope(pen, columns)
      }
    }
  context.restore()
  paintLanes()
  context.restore()
  writeUnits()

  function makePen(index: number, color: number): Pen | null {
    const axis = picture.axes.find(({ series }) => series.includes(index))
    if (!axis) return null
    const { min, max } = axis
    const toY = (value: number) => bottom - ((value - min) / (max - min)) * bbox.height
    const ink = content.series[index]!.ink ?? look.series[color % look.series.length]!
    return { context, ratio, color: ink, dash: dashFor(color), toX, toY }
  }

  /** Draws the lines of the first axis: a chart with thresholds has one axis for all. */
  function paintThresholds() {
    const axis = picture.axes[0]
    if (axis === undefined) return
    context.font = look.font.replace('12px', `${12 * ratio}px`)
    context.textBaseline = 'bottom'
    context.textAlign = 'left'
    for (const { value, color = look.offline, label } of content.scale.thresholds ?? []) {
      // The middle of a pixel makes the line sharp.
      const y = Math.floor(bottom - ((value - axis.min) / (axis.max - axis.min)) * bbox.height) + 0.5
      context.strokeStyle = color
      context.lineWidth = 1.5 * ratio
      context.setLineDash([5 * ratio, 4 * ratio])
      context.beginPath()
      context.moveTo(edges.left, y)
      context.lineTo(edges.right, y)
      context.stroke()
      context.setLineDash([])
      context.fillStyle = look.text
      if (label !== undefined) context.fillText(label, edges.left + 6 * ratio, y - 2 * ratio)
    }
  }

  function paintLanes() {
    let lane = 0
    for (const [index, runs] of picture.runs.entries()) {
      if (!runs) continue
      const series = content.series[index]!
      const laneTop = (lane * LANE_PITCH + LANE_CAPTION) * ratio
      context.font = look.font.replace('12px', `${12 * ratio}px`)
      context.textBaseline = 'bottom'
      context.textAlign = 'left'
      context.fillStyle = look.text
      context.fillText(series.label, bbox.left, laneTop - 2 * ratio)
      drawLane(
        { context, ratio, look, toX, ...edges },
        {
          top: laneTop,
          runs,
          states: series.samples.states!,
          color: colorIndex(series, index),
          looks: series.looks ?? {},
        },
      )
      lane++
    }
  }

  /** Writes the unit above each axis, where no line crosses it. */
  function writeUnits() {
    context.font = look.font.replace('12px', `${12 * ratio}px`)
    context.textBaseline = 'bottom'
    context.fillStyle = look.text
    for (const { unit, side, isShown } of picture.axes) {
      if (!isShown || unit === '') continue
      const gap = 6 * ratio
      const isLeft = side === 'left'
      const room = (isLeft ? edges.left : context.canvas.width - edges.right) - gap
      // A unit that is wider than its axis is aligned with the edge of the chart.
      const isLong = context.measureText(unit).width > room
      context.textAlign = isLeft === isLong ? 'left' : 'right'
      const inner = isLeft ? edges.left - gap : edges.right + gap
      const outer = isLeft ? 0 : context.canvas.width
      context.fillText(unit, isLong ? outer : inner, top - gap)
    }
  }
}
