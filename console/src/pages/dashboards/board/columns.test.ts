import { expect, test } from 'vitest'
import type { Board, Widget } from './board.ts'
import { changeColumns } from './columns.ts'

const widget = (id: string, x: number, w: number, tab?: string): Widget => ({
  id,
  kind: 'text',
  position: { x, y: 0, w, h: 2 },
  options: {},
  ...(tab && { tab }),
})
const board = (columns: Board['columns'], ...widgets: Widget[]): Board => ({
  columns,
  tabs: [],
  widgets,
  foreign: [],
  variables: [],
})
const places = ({ widgets }: Board) =>
  widgets.map(({ id, position: { x, y, w, h } }) => [id, x, y, w, h].join(' '))

test('widgets look as before on twice as many columns, and back', () => {
  const start = board(12, widget('b', 4, 8), widget('a', 0, 4))
  const wide = changeColumns(start, 24)
  expect(wide.columns).toBe(24)
  expect(places(wide)).toEqual(['b 8 0 16 2', 'a 0 0 8 2'])
  expect(changeColumns(wide, 12)).toEqual(start)
})

test('what would overlap on half of the columns is pushed down, on its tab', () => {
  const start = board(24, widget('a', 0, 1), widget('b', 1, 2), widget('c', 3, 21))
  expect(places(changeColumns(start, 12))).toEqual(['a 0 0 1 2', 'b 0 2 2 2', 'c 1 0 11 2'])
  const tabs = ['one', 'two'].map((id) => ({ id, title: id }))
  const apart = { ...board(24, widget('a', 0, 1, 'one'), widget('b', 1, 1, 'two')), tabs }
  expect(places(changeColumns(apart, 12))).toEqual(['a 0 0 1 2', 'b 0 0 1 2'])
})
