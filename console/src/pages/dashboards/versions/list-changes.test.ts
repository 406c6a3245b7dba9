import { expect, test } from 'vitest'
import { listChanges } from './list-changes.ts'

const widget = (id: string, text: string) => ({
  id,
  kind: 'text',
  position: { x: 0, y: 0, w: 4, h: 2 },
  options: { text },
})
const saved = (widgets: unknown[], fields: object = {}) => ({
  displayName: 'Hall',
  description: null,
  data: { version: 1, widgets, ...fields },
})

test('widgets that were added, changed and removed are told apart, and fields are named', () => {
  const before = saved([widget('a', 'one'), widget('b', 'two'), widget('c', 'three')])
  const after = { ...saved([widget('a', 'one'), widget('b', '2'), widget('d', 'four')], { columns: 24 }) }
  const changes = listChanges(before, { ...after, displayName: 'Hall 1' })
  expect(changes.map(({ key, kind, differences }) => [key, kind, differences])).toEqual([
    ['field displayName', 'changed', [{ path: '', before: 'Hall', after: 'Hall 1' }]],
    ['field data.columns', 'added', []],
    ['widget b', 'changed', [{ path: 'options.text', before: 'two', after: '2' }]],
    ['widget d', 'added', []],
    ['widget c', 'removed', []],
  ])
  expect(listChanges(before, before)).toEqual([])
})

test('entries that are no widgets are compared, too', () => {
  const changes = listChanges(saved([null, 5]), saved([null, 6]))
  expect(changes.map(({ key, kind }) => [key, kind])).toEqual([['widget #1', 'changed']])
})
