import { expect, test } from 'vitest'
import type { Widget } from './board.ts'
import { collapseSections } from './sections.ts'

const widget = (id: string, y: number, h: number, kind = 'text'): Widget => ({
  id,
  kind,
  position: { x: 0, y, w: 12, h },
  options: {},
})
const board = [
  widget('above', 0, 2),
  widget('first', 2, 1, 'section'),
  widget('a', 3, 4),
  widget('b', 3, 2),
  widget('second', 7, 1, 'section'),
  widget('c', 8, 3),
]
const collapse = (...ids: string[]) =>
  collapseSections(board, ({ id }) => ids.includes(id)).map(({ id, position }) => `${id} ${position.y}`)

test('open sections change nothing', () => {
  expect(collapseSections(board, () => false)).toEqual(board)
})

test('a collapsed section hides its widgets, and the next one moves up', () => {
  expect(collapse('first')).toEqual(['above 0', 'first 2', 'second 3', 'c 4'])
  expect(collapse('second')).toEqual(['above 0', 'first 2', 'a 3', 'b 3', 'second 7'])
  expect(collapse('first', 'second')).toEqual(['above 0', 'first 2', 'second 3'])
})

test('sections without widgets hide nothing', () => {
  const heads = [widget('x', 0, 1, 'section'), widget('y', 1, 1, 'section')]
  expect(collapseSections(heads, () => true)).toEqual(heads)
})
