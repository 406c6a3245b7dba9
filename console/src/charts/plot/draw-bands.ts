/** Draws bands of states, and shades the spans in which a device was offline. */
import type { StateRun } from '../samples/state-runs.ts'
import type { ChartLook } from './look.ts'
import type { OfflineSpan, StateLook } from './model.ts'

export interface Canvas {
  context: CanvasRenderingContext2D
  ratio: number
  look: ChartLook
  toX: (time: number) => number
  /** Left and right edge of the plot on the canvas. */
  left: number
  right: number
}

export const LANE_HEIGHT = 20
const TEXT_ROOM = 12

export interface Lane {
  top: number
  runs: StateRun[]
  states: string[]
  /** Palette index of the first state; further states use the following colors. */
  color: number
  looks: Readonly<Record<string, StateLook>>
}

/** Draws each run in the color of its state, and writes the name of the state where there is room. */
export function drawLane({ context, ratio, look, toX, left, right }: Canvas, lane: Lane) {
  const height = LANE_HEIGHT * ratio
  context.font = look.font.replace('12px', `${12 * ratio}px`)
  context.textBaseline = 'middle'
  context.textAlign = 'left'
  for (const { from, to, state } of lane.runs) {
    const x = Math.max(left, toX(from))
    const width = Math.max(ratio, Math.min(right, toX(to)) - x)
    const text = lane.states[state] ?? ''
    const chosen = lane.looks[text] ?? (isOff(text) ? 'off' : undefined)
    context.fillStyle =
      chooseColor(lane.looks[text], look) ?? look.series[(lane.color + state) % look.series.length]!
    context.globalAlpha = chosen === 'off' || chosen === 'hatched' ? 0.12 : 0.4
    context.fillRect(x, lane.top, width, height)
    context.globalAlpha = 1
    context.fillRect(x, lane.top, Math.min(width, 1.5 * ratio), height)
    if (chosen === 'hatched') hatch({ context, ratio, look, x, width, y: lane.top })
    else if (lane.looks[text] !== 'off')
      writeInside(text, { context, ratio, look, x, width, y: lane.top + height / 2 })
  }
}

const chooseColor = (chosen: StateLook | undefined, { bad, offline }: ChartLook) =>
  chosen === undefined ? undefined : chosen === 'off' ? offline : bad

const isOff = (state: string) => state === 'false' || state === 'off' || state === ''

/** Strokes diagonal lines over a run, at the same places whatever its start is. */
function hatch({ context, ratio, look, x, width, y }: Place) {
  const [height, step] = [LANE_HEIGHT * ratio, 6 * ratio]
  context.save()
  context.beginPath()
  context.rect(x, y, width, height)
  context.clip()
  context.strokeStyle = look.bad
  context.lineWidth = 1.5 * ratio
  context.beginPath()
  for (let at = Math.floor((x - height) / step) * step; at < x + width; at += step) {
    context.moveTo(at, y + height)
    context.lineTo(at + height, y)
  }
  context.stroke()
  context.restore()
}

interface Place {
  context: CanvasRenderingContext2D
  ratio: number
  look: ChartLook
  x: number
  y: number
  width: number
}

function writeInside(text: string, { context, ratio, look, x, y, width }: Place) {
  const room = width - TEXT_ROOM * ratio
  if (room < 20 * ratio) return
  let shown = text.length > 60 ? `${text.slice(0, 60)}…` : text
  while (shown.length > 1 && context.measureText(shown).width > room) shown = `${shown.slice(0, -2)}…`
  if (shown === '…') return
  context.fillStyle = look.text
  context.fillText(shown, x + (TEXT_ROOM / 2) * ratio, y)
}

/** Shades the spans in which a device was offline, and writes their labels where there is room. */
export function drawOffline(
  canvas: Canvas,
  spans: OfflineSpan[],
  { top, bottom }: { top: number; bottom: number },
) {
  const { context, ratio, look, toX, left, right } = canvas
  context.font = look.font.replace('12px', `${12 * ratio}px`)
  context.textBaseline = 'top'
  context.textAlign = 'left'
  for (const { from, to, label } of spans) {
    const x = Math.max(left, toX(from))
    const end = Math.min(right, toX(to))
    if (end < left || x > right) continue
    const width = Math.max(ratio, end - x)
    context.globalAlpha = 0.12
    context.fillStyle = look.offline
    context.fillRect(x, top, width, bottom - top)
    context.globalAlpha = 1
    writeInside(label, { context, ratio, look, x, width, y: top + 4 * ratio })
  }
}
