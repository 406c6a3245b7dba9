/** Tabs of a board. A widget without a tab, or with one that was removed, is on the first. */
import { findPlace } from '../grid/grid.ts'
import type { Board, Tab, Widget } from './board.ts'

const MOST_TABS = 20

export const findTab = ({ tabs }: Pick<Board, 'tabs'>, id: string | undefined): Tab | undefined =>
  tabs.find((tab) => tab.id === id) ?? tabs[0]

/** @param id any tab if the board has none */
export function listOfTab(board: Pick<Board, 'tabs' | 'widgets'>, id: string | undefined): Widget[] {
  const open = findTab(board, id)
  return board.widgets.filter(({ tab }) => findTab(board, tab)?.id === open?.id)
}

/** Replaces the widgets of a tab. */
export function setOfTab(board: Board, id: string | undefined, widgets: Widget[]): Board {
  const before = new Set(listOfTab(board, id))
  return { ...board, widgets: [...board.widgets.filter((widget) => !before.has(widget)), ...widgets] }
}

export const mayAddTab = ({ tabs }: Board): boolean => tabs.length < MOST_TABS

export function addTab(board: Board, title: (number: number) => string): Board {
  const taken = new Set(board.tabs.map(({ id }) => id))
  let number = board.tabs.length + 1
  while (taken.has(`tab-${number}`)) number++
  return { ...board, tabs: [...board.tabs, { id: `tab-${number}`, title: title(number) }] }
}

export const renameTab = (board: Board, id: string, title: string): Board => ({
  ...board,
  tabs: board.tabs.map((tab) => (tab.id === id ? { ...tab, title } : tab)),
})

/** Removes a tab with its widgets. Those of the only tab stay, on a board without tabs. */
export function removeTab(board: Board, id: string): Board {
  const tabs = board.tabs.filter((tab) => tab.id !== id)
  if (tabs.length === 0) return { ...board, tabs, widgets: board.widgets.map(dropTab) }
  return { ...board, tabs, widgets: setOfTab(board, id, []).widgets }
}

function dropTab(widget: Widget): Widget {
  const { tab: _tab, ...rest } = widget
  return rest
}

/** Moves a tab to the left or the right. Widgets name their tab then, since another one may be the first. */
export function moveTab(board: Board, id: string, step: -1 | 1): Board {
  const from = board.tabs.findIndex((tab) => tab.id === id)
  const other = board.tabs[from + step]
  if (other === undefined) return board
  const tabs = board.tabs.with(from + step, board.tabs[from]!).with(from, other)
  const widgets = board.widgets.map((widget) => ({ ...widget, tab: findTab(board, widget.tab)!.id }))
  return { ...board, tabs, widgets }
}

/** Moves a widget to the first free place of another tab. */
export function moveToTab(board: Board, widget: Widget, tab: string): Board {
  const position = findPlace(listOfTab(board, tab), widget.position, board.columns)
  return {
    ...board,
    widgets: board.widgets.map((one) => (one.id === widget.id ? { ...widget, tab, position } : one)),
  }
}
