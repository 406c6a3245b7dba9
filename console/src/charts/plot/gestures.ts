/** Zooms, pans and moves the cursor of a chart by mouse, touch, wheel and keys. */
import { orderRange, panRange, type Range, zoomRange } from '../time/range.ts'
import type { Plot } from './plot.ts'

export interface GestureHandlers {
  onRange: (range: Range) => void
  onReset: () => void
  /** @param isByKey whether a key moved the cursor, so that the values are read out */
  onCursor: (time: number | null, isByKey: boolean) => void
  /** Called with the range that the present drag would zoom to; null when the drag ends. */
  onSelection: (range: Range | null) => void
  /** Called to select the next (1) or the previous (-1) series for the keyboard. */
  onSeries: (step: number) => void
  cursor: () => { time: number | null; series: number }
}

const ZOOM_STEP = 0.5
const WHEEL_ZOOM = 1.0015
const PAN_STEP = 0.2
/** A drag up to this distance is a click. */
const CLICK_PX = 5
const FAR = 20

export function attachGestures(element: HTMLElement, plot: Plot, handlers: GestureHandlers): () => void {
  const timeAt = (clientX: number) => {
    const { left, width } = plot.geometry()
    const share = (clientX - element.getBoundingClientRect().left - left) / width
    const { from, to } = plot.range()
    return from + Math.min(1, Math.max(0, share)) * (to - from)
  }
  const pointers = attachPointers(element, plot, { ...handlers, timeAt })
  const onWheel = (event: WheelEvent) => {
    const isSideways = event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)
    if (!event.ctrlKey && !event.metaKey && !isSideways) return
    event.preventDefault()
    if (event.ctrlKey || event.metaKey)
      return handlers.onRange(zoomRange(plot.range(), WHEEL_ZOOM ** event.deltaY, timeAt(event.clientX)))
    const distance = event.deltaX || event.deltaY
    handlers.onRange(panRange(plot.range(), distance / plot.geometry().width))
  }
  const onKey = (event: KeyboardEvent) => {
    if (handleKey(event, plot, handlers)) event.preventDefault()
  }
  element.addEventListener('wheel', onWheel, { passive: false })
  element.addEventListener('keydown', onKey)
  element.addEventListener('dblclick', handlers.onReset)
  return () => {
    pointers()
    element.removeEventListener('wheel', onWheel)
    element.removeEventListener('keydown', onKey)
    element.removeEventListener('dblclick', handlers.onReset)
  }
}

/** @returns whether the key was handled */
function handleKey(
  { key, shiftKey, ctrlKey, metaKey, altKey }: KeyboardEvent,
  plot: Plot,
  handlers: GestureHandlers,
) {
  if (ctrlKey || metaKey || altKey) return false
  const range = plot.range()
  const { time, series } = handlers.cursor()
  const isInside = time !== null && time >= range.from && time <= range.to
  const move = (count: number) => {
    const start = isInside ? time : count > 0 ? range.from : range.to
    handlers.onCursor(plot.step(series, start, isInside ? count : 0), true)
  }
  const zoom = (factor: number) => handlers.onRange(zoomRange(range, factor, isInside ? time : undefined))
  const actions: Record<string, () => void> = {
    ArrowLeft: () => (shiftKey ? handlers.onRange(panRange(range, -PAN_STEP)) : move(-1)),
    ArrowRight: () => (shiftKey ? handlers.onRange(panRange(range, PAN_STEP)) : move(1)),
    ArrowUp: () => handlers.onSeries(-1),
    ArrowDown: () => handlers.onSeries(1),
    PageUp: () => move(-FAR),
    PageDown: () => move(FAR),
    Home: () => handlers.onCursor(plot.step(series, range.from, 0), true),
    End: () => handlers.onCursor(plot.step(series, range.to, 0), true),
    '+': () => zoom(ZOOM_STEP),
    '=': () => zoom(ZOOM_STEP),
    '-': () => zoom(1 / ZOOM_STEP),
    '0': handlers.onReset,
  }
  if (key === 'Escape' && time !== null) handlers.onCursor(null, true)
  else if (actions[key]) actions[key]()
  else return false
  return true
}

interface Drag {
  startX: number
  startTime: number
  startRange: Range
  kind: 'select' | 'pan'
}

function attachPointers(
  element: HTMLElement,
  plot: Plot,
  { timeAt, onRange, onCursor, onSelection }: GestureHandlers & { timeAt: (x: number) => number },
): () => void {
  const touches = new Map<number, number>()
  let drag: Drag | null = null
  let pinch: { distance: number; range: Range; center: number } | null = null

  const onDown = (event: PointerEvent) => {
    if (event.button !== 0) return
    element.setPointerCapture(event.pointerId)
    const kind = event.shiftKey || event.pointerType === 'touch' ? 'pan' : 'select'
    drag = { startX: event.clientX, startTime: timeAt(event.clientX), startRange: plot.range(), kind }
    if (event.pointerType !== 'touch') return
    touches.set(event.pointerId, event.clientX)
    if (touches.size === 2) {
      const [one, other] = [...touches.values()] as [number, number]
      pinch = {
        distance: Math.max(10, Math.abs(one - other)),
        range: plot.range(),
        center: timeAt((one + other) / 2),
      }
      drag = null
    }
  }
  const onMove = (event: PointerEvent) => {
    if (touches.has(event.pointerId)) touches.set(event.pointerId, event.clientX)
    if (pinch) {
      const [one, other] = [...touches.values()] as [number, number]
      onRange(zoomRange(pinch.range, pinch.distance / Math.max(10, Math.abs(one - other)), pinch.center))
    } else if (drag?.kind === 'pan') {
      onRange(panRange(drag.startRange, (drag.startX - event.clientX) / plot.geometry().width))
    } else {
      if (event.pointerType !== 'touch') onCursor(timeAt(event.clientX), false)
      if (drag && Math.abs(event.clientX - drag.startX) > CLICK_PX)
        onSelection(orderRange(drag.startTime, timeAt(event.clientX)))
    }
  }
  const onUp = (event: PointerEvent) => {
    touches.delete(event.pointerId)
    pinch = null
    const ended = drag
    drag = null
    onSelection(null)
    if (!ended || event.type === 'pointercancel') return
    const isClick = Math.abs(event.clientX - ended.startX) <= CLICK_PX
    if (isClick) onCursor(timeAt(event.clientX), false)
    else if (ended.kind === 'select') onRange(orderRange(ended.startTime, timeAt(event.clientX)))
  }
  const onLeave = (event: PointerEvent) => {
    if (!drag && event.pointerType !== 'touch') onCursor(null, false)
  }
  const listeners = {
    pointerdown: onDown,
    pointermove: onMove,
    pointerup: onUp,
    pointercancel: onUp,
    pointerleave: onLeave,
  }
  for (const [name, listener] of Object.entries(listeners))
    element.addEventListener(name, listener as EventListener)
  return () => {
    for (const [name, listener] of Object.entries(listeners))
      element.removeEventListener(name, listener as EventListener)
  }
}
