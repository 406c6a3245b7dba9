/** Draws numeric series onto the canvas: the envelope, and the line above it. */
import type { Columns } from '../samples/columns.ts'

export interface Pen {
  context: CanvasRenderingContext2D
  /** Device pixels per CSS pixel. */
  ratio: number
  color: string
  dash: number[]
  toX: (time: number) => number
  toY: (value: number) => number
}

/** Samples are marked with dots if their mean distance in pixels is greater than this. */
const POINT_DISTANCE = 14
const ENVELOPE_ALPHA = 0.22
/** Envelopes are drawn as bars if their columns are narrower than this, in pixels. */
const DENSE_WIDTH = 3
/** Lines are drawn as bars if their columns are narrower than this, in pixels. */
const PIXEL_COLUMN = 1.4
const AREA_ALPHA = 0.08

export function drawEnvelope(pen: Pen, columns: Columns) {
  if (!columns.isReduced || columns.length === 0) return
  const { context, color, ratio } = pen
  context.fillStyle = color
  context.globalAlpha = ENVELOPE_ALPHA
  if (readColumnWidth(pen, columns) < DENSE_WIDTH * ratio) drawBars(pen, columns)
  else drawBand(pen, columns)
  context.globalAlpha = 1
  drawSpikes(pen, columns)
}

/** Draws a bar for each column: bars on whole pixels are filled many times faster than a jagged outline. */
function drawBars({ context, ratio, toX, toY }: Pen, { length, times, least, greatest, breaks }: Columns) {
  const centerAt = (index: number) => toX(times[index]!)
  let left = Math.round(centerAt(0) - ratio / 2)
  for (let index = 0; index < length; index++) {
    const isLast = index === length - 1 || breaks[index + 1] === 1
    const right = isLast
      ? Math.round(centerAt(index) + ratio / 2)
      : Math.round((centerAt(index) + centerAt(index + 1)) / 2)
    const top = Math.round(toY(greatest[index]!) - ratio / 2)
    const bottom = Math.round(toY(least[index]!) + ratio / 2)
    context.fillRect(left, top, Math.max(1, right - left), bottom - top)
    left = isLast && index < length - 1 ? Math.round(centerAt(index + 1) - ratio / 2) : right
  }
}

function drawBand({ context, ratio, toX, toY }: Pen, columns: Columns) {
  context.beginPath()
  for (const [start, end] of listSegments(columns)) {
    // A single column still has a visible width.
    const half = end - start === 1 ? ratio : 0
    for (let index = start; index < end; index++) {
      const x = toX(columns.times[index]!)
      const y = toY(columns.greatest[index]!) - ratio / 2
      if (index === start) context.moveTo(x - half, y)
      else context.lineTo(x, y)
      if (half > 0) context.lineTo(x + half, y)
    }
    for (let index = end - 1; index >= start; index--) {
      const x = toX(columns.times[index]!)
      const y = toY(columns.least[index]!) + ratio / 2
      if (half > 0) context.lineTo(x + half, y)
      context.lineTo(x - half, y)
    }
    context.closePath()
  }
  context.fill()
}

/** Draws a strong line where the envelope is much higher than beside it: a spike of one pixel's width would be pale. */
function drawSpikes({ context, color, toX, toY, ratio }: Pen, { length, times, least, greatest }: Columns) {
  context.fillStyle = color
  context.globalAlpha = 0.7
  const leastHeight = 16 * ratio
  const heightAt = (index: number) =>
    index < 0 || index >= length ? 0 : toY(least[index]!) - toY(greatest[index]!)
  for (let index = 0; index < length; index++) {
    const height = heightAt(index)
    if (height < leastHeight || height < 2 * Math.max(heightAt(index - 2), heightAt(index + 2))) continue
    context.fillRect(Math.round(toX(times[index]!) - ratio / 2), toY(greatest[index]!), ratio, height)
  }
  context.globalAlpha = 1
}

export function drawLine(pen: Pen, columns: Columns) {
  if (readColumnWidth(pen, columns) < PIXEL_COLUMN * pen.ratio) drawPixelLine(pen, columns)
  else strokeLine(pen, columns)
  drawPoints(pen, columns)
}

/** Draws each column as a bar from its mean to the next mean: a stroke of a thousand steep segments takes ten times as long. */
function drawPixelLine(
  { context, color, dash, ratio, toX, toY }: Pen,
  { length, times, means, breaks }: Columns,
) {
  context.fillStyle = color
  const period = dash.reduce((sum, part) => sum + part, 0)
  const half = 0.75 * ratio
  let y = length > 0 ? toY(means[0]!) : 0
  for (let index = 0; index < length; index++) {
    const isLast = index === length - 1 || breaks[index + 1] === 1
    const next = index === length - 1 ? y : toY(means[index + 1]!)
    const end = isLast ? y : next
    const left = Math.round(toX(times[index]!))
    const right = isLast ? left + Math.round(ratio) : Math.round(toX(times[index + 1]!))
    if (period === 0 || isDrawn(dash, (index % period) + 0.5))
      context.fillRect(left, Math.min(y, end) - half, Math.max(1, right - left), Math.abs(end - y) + 2 * half)
    y = next
  }
}

/** Whether a position within a dash pattern is part of a dash. */
function isDrawn(dash: number[], place: number): boolean {
  let [index, rest] = [0, place]
  while (rest >= dash[index]!) rest -= dash[index++]!
  return index % 2 === 0
}

const readColumnWidth = ({ toX }: Pen, { length, times }: Columns) =>
  length > 2 ? (toX(times[length - 1]!) - toX(times[0]!)) / (length - 1) : Infinity

function strokeLine({ context, color, dash, ratio, toX, toY }: Pen, columns: Columns) {
  context.strokeStyle = color
  context.lineWidth = 1.5 * ratio
  // Round joins are several times slower.
  context.lineJoin = 'bevel'
  context.setLineDash(dash.map((length) => length * ratio))
  context.beginPath()
  for (let index = 0; index < columns.length; index++) {
    const x = toX(columns.times[index]!)
    const y = toY(columns.means[index]!)
    if (index === 0 || columns.breaks[index] === 1) context.moveTo(x, y)
    else context.lineTo(x, y)
  }
  context.stroke()
  context.setLineDash([])
}

export function drawArea({ context, color, toX, toY }: Pen, columns: Columns, bottom: number) {
  context.fillStyle = color
  context.globalAlpha = AREA_ALPHA
  context.beginPath()
  for (const [start, end] of listSegments(columns)) {
    context.moveTo(toX(columns.times[start]!), bottom)
    for (let index = start; index < end; index++)
      context.lineTo(toX(columns.times[index]!), toY(columns.means[index]!))
    context.lineTo(toX(columns.times[end - 1]!), bottom)
  }
  context.fill()
  context.globalAlpha = 1
}

/** Marks samples with dots: those between two gaps, which have no line, and all samples where they are far apart. */
function drawPoints({ context, color, ratio, toX, toY }: Pen, columns: Columns) {
  const { length, times } = columns
  const width = length > 1 ? toX(times[length - 1]!) - toX(times[0]!) : Infinity
  const areFarApart = width / length > POINT_DISTANCE * ratio
  context.fillStyle = color
  context.beginPath()
  for (let index = 0; index < length; index++) {
    const isAlone =
      (index === 0 || columns.breaks[index] === 1) &&
      (index === length - 1 || columns.breaks[index + 1] === 1)
    if (!isAlone && !areFarApart) continue
    const x = toX(times[index]!)
    const y = toY(columns.means[index]!)
    context.moveTo(x + 2.25 * ratio, y)
    context.arc(x, y, 2.25 * ratio, 0, 2 * Math.PI)
  }
  context.fill()
}

/** Segments between gaps, as ranges of column indexes. */
function* listSegments({ length, breaks }: Columns): Generator<[start: number, end: number]> {
  let start = 0
  for (let index = 1; index <= length; index++)
    if (index === length || breaks[index] === 1) {
      yield [start, index]
      start = index
    }
}
