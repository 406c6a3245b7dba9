/** Places of widgets on the grid. A widget that is placed on others pushes them down. */
import type { Position, Widget } from '../board/board.ts'

const MOST_ROWS = 9999
const MOST_HEIGHT = 200

const overlap = (a: Position, b: Position) =>
  a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h

export function fitPosition({ x, y, w, h }: Position, columns: number): Position {
  const width = Math.min(columns, Math.max(1, w))
  return {
    x: Math.min(columns - width, Math.max(0, x)),
    y: Math.min(MOST_ROWS, Math.max(0, y)),
    w: width,
    h: Math.min(MOST_HEIGHT, Math.max(1, h)),
  }
}

/** Places a widget; what it covers is pushed below it, and so on. */
export function placeWidget(widgets: Widget[], id: string, wanted: Position, columns: number): Widget[] {
  const places = new Map(widgets.map((widget) => [widget.id, widget.position]))
  places.set(id, fitPosition(wanted, columns))
  const waiting = [id]
  while (waiting.length > 0) {
    const placed = places.get(waiting.shift()!)!
    for (const widget of widgets) {
      const position = places.get(widget.id)!
      if (position === placed || widget.id === id || !overlap(placed, position)) continue
      places.set(widget.id, { ...position, y: placed.y + placed.h })
      waiting.push(widget.id)
    }
  }
  return widgets.map((widget) => ({ ...widget, position: places.get(widget.id)! }))
}

/** Whether a widget lies on another one, or under it. */
export function hasOverlap(widgets: Widget[], id: string): boolean {
  const place = widgets.find((widget) => widget.id === id)?.position
  return place !== undefined && widgets.some((widget) => widget.id !== id && overlap(place, widget.position))
}

/** The first free place from the top for a widget of a size. */
export function findPlace(widgets: Widget[], { w, h }: { w: number; h: number }, columns: number): Position {
  const bottom = Math.max(0, ...widgets.map(({ position }) => position.y + position.h))
  for (let y = 0; y < bottom; y++)
    for (let x = 0; x + w <= columns; x++)
      if (!widgets.some(({ position }) => overlap({ x, y, w, h }, position))) return { x, y, w, h }
  return { x: 0, y: bottom, w: Math.min(w, columns), h }
}

/** Order of reading: from the top, then from the left. */
export const inReadingOrder = (widgets: Widget[]): Widget[] =>
  widgets.toSorted((a, b) => a.position.y - b.position.y || a.position.x - b.position.x)
