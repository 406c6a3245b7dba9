import { type PointerEvent, type RefObject, useRef } from 'react'
import type { Position } from '../board/board.ts'
import { fitPosition } from '../grid/grid.ts'

interface Options {
  grid: RefObject<HTMLDivElement | null>
  columns: number
  position: Position
  onPreview: (position: Position | null) => void
  onPlace: (position: Position) => void
  onSelect: (byKeys: boolean) => void
}

interface Started {
  x: number
  y: number
  position: Position
  kind: 'move' | 'resize'
  last: Position
}

/** As in `Grid.module.css`. */
const ROW_PX = 44
const GAP_PX = 12

/** Handlers of the pointer that move or resize a widget by whole cells. A press without a move selects it. */
export function useDrag({ grid, columns, position, onPreview, onPlace, onSelect }: Options) {
  const started = useRef<Started | null>(null)
  const begin = (kind: Started['kind']) => (event: PointerEvent<HTMLElement>) => {
    if (event.button !== 0) return
    event.currentTarget.setPointerCapture(event.pointerId)
    started.current = { x: event.clientX, y: event.clientY, position, kind, last: position }
  }
  const drag = (event: PointerEvent<HTMLElement>) => {
    const from = started.current
    if (from === null || grid.current === null) return
    const column = (grid.current.clientWidth + GAP_PX) / columns
    const right = Math.round((event.clientX - from.x) / column)
    const down = Math.round((event.clientY - from.y) / (ROW_PX + GAP_PX))
    const { x, y, w, h } = from.position
    const next =
      from.kind === 'move'
        ? fitPosition({ x: x + right, y: y + down, w, h }, columns)
        : fitPosition({ x, y, w: Math.min(columns - x, w + right), h: h + down }, columns)
    if (isSame(next, from.last)) return
    from.last = next
    onPreview(next)
  }
  const end = () => {
    const from = started.current
    started.current = null
    if (from === null) return
    if (isSame(from.last, from.position)) {
      onPreview(null)
      return onSelect(false)
    }
    onPlace(from.last)
  }
  const cancel = () => {
    started.current = null
    onPreview(null)
  }
  const shared = { onPointerMove: drag, onPointerUp: end, onPointerCancel: cancel }
  return {
    // Enter and Space are clicks without a pointer.
    move: {
      ...shared,
      onPointerDown: begin('move'),
      onClick: (event: { detail: number }) => event.detail === 0 && onSelect(true),
    },
    resize: { ...shared, onPointerDown: begin('resize') },
  }
}

const isSame = (a: Position, b: Position) => a.x === b.x && a.y === b.y && a.w === b.w && a.h === b.h
