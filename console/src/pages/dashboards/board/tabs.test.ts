import { expect, test } from 'vitest'
import type { Board } from './board.ts'
import { addTab, listOfTab, moveTab, moveToTab, removeTab, setOfTab } from './tabs.ts'

const widget = (id: string, tab?: string) => ({
  id,
  kind: 'text',
  ...(tab !== undefined && { tab }),
  position: { x: 0, y: 0, w: 4, h: 2 },
  options: {},
})
const board: Board = {
  columns: 12,
  foreign: [],
  variables: [],
  tabs: [
    { id: 'one', title: 'One' },
    { id: 'two', title: 'Two' },
  ],
  widgets: [widget('a'), widget('b', 'two'), widget('c', 'removed'), widget('d', 'one')],
}
const idsOn = (of: Board, tab: string) => listOfTab(of, tab).map(({ id }) => id)

test('a widget without a tab, or with an unknown one, is on the first', () => {
  expect([idsOn(board, 'one'), idsOn(board, 'two'), idsOn(board, 'removed')]).toEqual([
    ['a', 'c', 'd'],
    ['b'],
    ['a', 'c', 'd'],
  ])
  expect(idsOn({ ...board, tabs: [] }, 'two')).toEqual(['a', 'b', 'c', 'd'])
})

test('the widgets of one tab are replaced, and the others stay', () => {
  const changed = setOfTab(board, 'two', [widget('e', 'two')])
  expect([idsOn(changed, 'one'), idsOn(changed, 'two')]).toEqual([['a', 'c', 'd'], ['e']])
})

test('a tab is removed with its widgets, and the only one leaves them', () => {
  const without = removeTab(board, 'one')
  expect([without.tabs.length, idsOn(without, 'two')]).toEqual([1, ['b']])
  const last = removeTab(without, 'two')
  expect(last).toMatchObject({ tabs: [], widgets: [{ id: 'b' }] })
  expect(last.widgets[0]).not.toHaveProperty('tab')
})

test('widgets stay on their tab when another one becomes the first', () => {
  const moved = moveTab(board, 'two', -1)
  expect(moved.tabs.map(({ id }) => id)).toEqual(['two', 'one'])
  expect([idsOn(moved, 'one'), idsOn(moved, 'two')]).toEqual([['a', 'c', 'd'], ['b']])
  expect(moveTab(board, 'one', -1)).toBe(board)
})

test('a new tab has an id of its own, and a widget takes a free place on it', () => {
  const more = addTab({ ...board, tabs: [{ id: 'tab-2', title: 'x' }] }, (number) => `Tab ${number}`)
  expect(more.tabs[1]).toEqual({ id: 'tab-3', title: 'Tab 3' })
  const moved = moveToTab(board, board.widgets[0]!, 'two')
  expect(moved.widgets[0]).toMatchObject({ id: 'a', tab: 'two', position: { x: 4, y: 0 } })
})
