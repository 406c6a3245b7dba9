/** The number of columns of a board. */
import { hasOverlap, inReadingOrder, placeWidget } from '../grid/grid.ts'
import type { Board, Position } from './board.ts'
import { listOfTab } from './tabs.ts'

/** Changes the number of columns. The widgets look as before; what would overlap then is pushed down. */
export function changeColumns(board: Board, columns: Board['columns']): Board {
  const scaled = board.widgets.map((widget) => ({
    ...widget,
    position: scalePosition(widget.position, columns / board.columns),
  }))
  const next = { ...board, columns, widgets: scaled }
  const tabs = board.tabs.length === 0 ? [undefined] : board.tabs.map(({ id }) => id)
  const placed = new Map(
    tabs.flatMap((tab) => {
      let widgets = listOfTab(next, tab)
      for (const { id } of inReadingOrder(widgets)) {
        const position = widgets.find((widget) => widget.id === id)!.position
        if (hasOverlap(widgets, id)) widgets = placeWidget(widgets, id, position, columns)
      }
      return widgets.map((widget) => [widget.id, widget] as const)
    }),
  )
  return { ...next, widgets: scaled.map((widget) => placed.get(widget.id)!) }
}

function scalePosition({ x, w, ...rest }: Position, factor: number): Position {
  const left = Math.floor(x * factor)
  return { ...rest, x: left, w: Math.max(1, Math.ceil((x + w) * factor) - left) }
}
