import { expect, test } from 'vitest'
import type { Board } from './board.ts'
import { bindTemplate, changeVariable, countUses, findUnbound } from './variables.ts'

const position = { x: 0, y: 0, w: 4, h: 2 }
const widget = (id: string, kind: string, options: Record<string, unknown>) => ({
  id,
  kind,
  position,
  options,
})
const signals = (variable: string) => [
  { variable, name: 't' },
  { assetId: 'asset1', name: 't' },
]
const asset1 = { name: 'asset1', kind: 'asset' as const, value: [] }
const hall = { name: 'hall', kind: 'node' as const, value: [] }
const board: Board = {
  columns: 12,
  foreign: [],
  tabs: [],
  variables: [asset1, hall],
  widgets: [
    widget('a', 'table', { signals: signals('asset1') }),
    widget('b', 'alarmList', { variable: 'asset1' }),
    widget('c', 'table', { signals: signals('hall') }),
    widget('d', 'text', { text: 'asset1' }),
    widget('e', 'map', { markers: [{ variable: 'asset1', x: 0, y: 0 }, { assetId: 'asset1' }, null] }),
  ],
}

test('widgets follow the name of their variable', () => {
  const { widgets, variables } = changeVariable(board, 0, { ...asset1, name: 'pump' })
  expect(variables.map(({ name }) => name)).toEqual(['pump', 'hall'])
  expect(widgets.map(({ options }) => options)).toEqual([
    { signals: signals('pump') },
    { variable: 'pump' },
    { signals: signals('hall') },
    { text: 'asset1' },
    { markers: [{ variable: 'pump', x: 0, y: 0 }, { assetId: 'asset1' }, null] },
  ])
  expect(changeVariable(board, 0, { ...asset1, value: ['x'] }).widgets).toBe(board.widgets)
})

test('uses of a variable are counted, and widgets without theirs are found', () => {
  expect([countUses(board, 'asset1'), countUses(board, 'hall'), countUses(board, 'none')]).toEqual([3, 1, 0])
  expect(findUnbound(board)).toEqual([])
  const unbound = findUnbound({ ...board, variables: [hall] })
  expect(unbound.map(({ widget: { id }, name }) => [id, name])).toEqual([
    ['a', 'asset1'],
    ['b', 'asset1'],
    ['e', 'asset1'],
  ])
})

test('an asset is chosen for the variables of its model alone', () => {
  const variables = [
    { ...asset1, modelId: 'pump' },
    { ...asset1, name: 'fan', modelId: 'fan' },
    { ...asset1, name: 'any' },
    { ...hall, modelId: 'pump' },
  ]
  expect(bindTemplate(variables, { id: 'pump-7', modelId: 'pump' })).toEqual({ asset1: ['pump-7'] })
})
