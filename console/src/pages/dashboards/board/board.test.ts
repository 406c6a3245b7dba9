import { expect, test } from 'vitest'
import { readBoard, writeBoard } from './board.ts'
import { findThreshold, readLimits, readScale, readShare } from './scale.ts'
import { bindSignals, readReferences } from './signals.ts'

const widget = { id: 'a', kind: 'text', position: { x: 0, y: 0, w: 4, h: 2 }, options: { text: 'x' } }

test('data of other clients is not a board, and empty data is an empty one', () => {
  expect(readBoard({ layout: [] })).toBeNull()
  expect(readBoard({ version: 2, widgets: [] })).toBeNull()
  expect(readBoard({})).toEqual({ columns: 12, tabs: [], widgets: [], foreign: [], variables: [] })
})

test('what the console does not know stays in the data', () => {
  const data = { version: 1, theme: 'x', widgets: [widget, { ...widget, id: 'b', kind: 'hologram' }] }
  const board = readBoard(data)!
  expect(board.widgets.map(({ kind }) => kind)).toEqual(['text', 'hologram'])
  expect(writeBoard(data, board)).toEqual(data)
  const variables = [{ name: 'pump', kind: 'asset' as const, value: ['pump-7'] }]
  expect(writeBoard(data, { ...board, variables })).toEqual({ ...data, variables })
})

test('entries that are no widgets are named with what is wrong, and stay in the data', () => {
  const wrong = [
    null,
    'x',
    { ...widget, title: 'Twice' },
    { ...widget, id: 'b', title: { x: 1 } },
    { ...widget, id: 'c', position: { x: 0, y: 0, w: 4, h: 1e9 } },
    { ...widget, id: 'd', options: [] },
  ]
  const data = { version: 1, widgets: [widget, ...wrong] }
  const board = readBoard(data)!
  expect(board.widgets).toEqual([widget])
  expect(board.foreign.map(({ name, field }) => [name, field])).toEqual([
    ['#2', ''],
    ['#3', ''],
    ['Twice', 'id'],
    ['b', 'title'],
    ['c', 'position'],
    ['d', 'options'],
  ])
  expect(writeBoard(data, { ...board, widgets: [] })).toEqual({ version: 1, widgets: wrong })
})

test('signals and variables of wrong form name no asset', () => {
  const options = { signals: [null, 5, { name: 7 }, { variable: 'constructor', name: 't' }] }
  expect(readReferences({ options }).map(({ name }) => name)).toEqual(['t'])
  expect(bindSignals(readReferences({ options }), {})).toEqual([])
  expect(readReferences({ options: { signals: 'x' } })).toEqual([])
})

test('variables that the console does not know stay in the data', () => {
  const foreign = [{ name: 'pump', kind: 'asset', value: 'pump-7' }, { name: 'from', kind: 'time' }, 'x']
  const known = { name: 'hall', kind: 'node' as const, value: ['hall-1'] }
  const data = { version: 1, widgets: [widget], variables: [known, ...foreign] }
  const board = readBoard(data)!
  expect(board.variables).toEqual([known])
  expect(writeBoard(data, board)).toEqual(data)
  expect(writeBoard(data, { ...board, variables: [] })).toEqual({ ...data, variables: foreign })
})

test('tabs that the console does not know stay in the data', () => {
  const known = { id: 'one', title: 'One' }
  const data = { version: 1, widgets: [widget], tabs: [known, { id: '"]', title: 'x' }, 'x'] }
  const board = readBoard(data)!
  expect(board.tabs).toEqual([known])
  expect(writeBoard(data, board)).toEqual(data)
})

test('signals of a variable are bound to each of its assets', () => {
  const bound = bindSignals(
    [
      { variable: 'hall', name: 't' },
      { assetId: 'b', name: 't' },
    ],
    { hall: ['a', 'b'] },
  )
  expect(bound.map(({ id, label }) => [id, label])).toEqual([
    ['a/-/telemetry/t', 'a · t'],
    ['b/-/telemetry/t', 'b · t'],
  ])
  expect(bindSignals([{ variable: 'nothing', name: 't' }], {})).toEqual([])
})

test('a desired property is another signal than the reported one', () => {
  const bound = bindSignals(
    [
      { assetId: 'a', name: 'limit', type: 'propertyReported' },
      { assetId: 'a', name: 'limit', type: 'propertyDesired' },
    ],
    {},
  )
  expect(bound.map(({ id }) => id)).toEqual(['a/-/property/limit', 'a/-/desired/limit'])
})

test('the threshold that a value reaches applies, and limits follow the value', () => {
  const thresholds = [
    { value: 80, label: 'hot' },
    { value: 60, label: 'warm' },
  ]
  expect(findThreshold({ thresholds }, 70)?.label).toBe('warm')
  expect(findThreshold({ thresholds }, 10)).toBeUndefined()
  expect(readLimits({}, 71)).toEqual({ min: 0, max: 100 })
  expect(readLimits({ min: 10, max: 20 }, 71)).toEqual({ min: 10, max: 20 })
})

test('a scale of wrong form is left out, and the place of a value needs both limits', () => {
  const options = { unit: 5, min: 'x', max: 10, decimals: 99, thresholds: [null, { value: 3, color: 'red' }] }
  expect(readScale(options)).toEqual({ max: 10, decimals: 10, thresholds: [{ value: 3 }] })
  expect(readScale({ thresholds: 5 })).toEqual({})
  expect([readShare({ max: 10 }, 5), readShare({ min: 0, max: 10 }, 'x')]).toEqual([undefined, undefined])
  expect([2.5, -1, 11].map((value) => readShare({ min: 0, max: 10 }, value))).toEqual([0.25, 0, 1])
})
