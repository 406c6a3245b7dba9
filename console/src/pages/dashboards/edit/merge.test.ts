import { expect, test } from 'vitest'
import type { Data } from '../board/board.ts'
import { mergeData } from './merge.ts'

const widget = (id: string, text: string) => ({ id, options: { text } })
const board = (...widgets: object[]): Data => ({ version: 1, widgets })
const base = board(widget('a', '1'), widget('b', '1'))

test('changes of different widgets are merged', () => {
  const { data, conflicts } = mergeData(
    base,
    board(widget('a', 'mine'), widget('b', '1'), widget('c', 'mine')),
    { ...board(widget('a', '1'), widget('b', 'theirs')), theme: 'x' },
  )
  expect(conflicts).toEqual([])
  expect(data).toEqual({
    ...board(widget('a', 'mine'), widget('b', 'theirs'), widget('c', 'mine')),
    theme: 'x',
  })
})

test('a widget that one deletes and the other leaves alone is deleted', () => {
  expect(mergeData(base, board(widget('b', '1')), base).data).toEqual(board(widget('b', '1')))
  expect(mergeData(base, base, board(widget('b', '1'))).data).toEqual(board(widget('b', '1')))
})

test('what both changed is a conflict, and theirs stays until mine is chosen', () => {
  const [mine, theirs] = [
    board(widget('a', 'mine'), widget('b', '1')),
    board(widget('a', 'theirs'), widget('b', '1')),
  ]
  const merged = mergeData(base, mine, theirs)
  expect(merged.conflicts).toEqual([
    { key: 'widget a', mine: widget('a', 'mine'), theirs: widget('a', 'theirs') },
  ])
  expect(merged.data).toEqual(theirs)
  expect(mergeData(base, mine, theirs, new Set(['widget a'])).data).toEqual(mine)
  const deleted = mergeData(base, board(widget('b', '1')), theirs)
  expect(deleted.conflicts).toMatchObject([{ key: 'widget a', mine: undefined }])
})

test('the order of keys is no change', () => {
  const reordered = { widgets: [{ options: { text: '1' }, id: 'a' }, widget('b', '1')], version: 1 }
  expect(mergeData(reordered, board(widget('a', 'mine'), widget('b', '1')), base).conflicts).toEqual([])
})

test('widgets that both put on the same place do not cover each other', () => {
  const placed = (id: string, x: number, y: number) => ({
    id,
    kind: 'text',
    options: {},
    position: { x, y, w: 4, h: 3 },
  })
  const before = board(placed('a', 0, 0))
  const theirs = board(placed('a', 0, 0), placed('c', 4, 0))
  const added = mergeData(before, board(placed('a', 0, 0), placed('b', 4, 0)), theirs)
  expect(added.data).toEqual(board(placed('a', 0, 0), placed('c', 4, 3), placed('b', 4, 0)))
  const moved = mergeData(before, board(placed('a', 5, 1)), theirs)
  expect(moved.data).toEqual(board(placed('a', 5, 1), placed('c', 4, 4)))
  const apart = mergeData(before, board(placed('a', 0, 0), placed('b', 8, 0)), theirs)
  expect(apart.data).toEqual(board(placed('a', 0, 0), placed('c', 4, 0), placed('b', 8, 0)))
})

test('widgets of different tabs do not push each other, and those of one tab do', () => {
  const at = (id: string, tab: string) => ({
    id,
    kind: 'text',
    tab,
    position: { x: 0, y: 0, w: 4, h: 2 },
    options: {},
  })
  const start = {
    ...board(),
    tabs: [
      { id: 'one', title: 'One' },
      { id: 'two', title: 'Two' },
    ],
  }
  const mine = { ...start, widgets: [at('a', 'one')] }
  const merge = (tab: string) =>
    mergeData(start, mine, { ...start, widgets: [at('b', tab)] }).data.widgets as ReturnType<typeof at>[]
  expect(merge('two').map(({ position }) => position.y)).toEqual([0, 0])
  expect(merge('one').map(({ position }) => position.y)).toEqual([2, 0])
})
