import { expect, test } from 'vitest'
import { readContent } from './read-content.ts'

const id = '0190b0f0-5c3e-7000-8000-00000000000A'
const nothing = { owners: [], resourceIds: [], dashboardIds: [], alarmLists: [], variables: [] }

const read = (...widgets: object[]) => readContent({ version: 1, widgets })

test('signals, pins and alarm lists name assets or variables', () => {
  const { owners } = read(
    { kind: 'gauge', options: { signals: [{ assetId: 'pump-1', name: 't' }] } },
    { kind: 'table', options: { signals: [{ variable: 'pump', name: 't' }] } },
    {
      kind: 'map',
      options: {
        markers: [{ assetId: 'pump-2' }, { variable: 'yard' }],
        signals: [{ assetId: 'pump-3', name: 't' }],
      },
    },
    { kind: 'alarmList', options: { assetIds: ['pump-4'] } },
    { kind: 'alarmList', options: { variable: 'hall' } },
  )
  expect(owners.map(({ assetId, variable }) => assetId ?? variable).toSorted()).toEqual([
    'hall',
    'pump',
    'pump-1',
    'pump-2',
    'pump-3',
    'pump-4',
    'yard',
  ])
})

test('an alarm list without assets shows the alarms of all, or those of its rules', () => {
  expect(read({ kind: 'alarmList', options: {} }).alarmLists).toEqual([{ alarmIds: null }])
  expect(read({ kind: 'alarmList', options: { alarmIds: [id] } }).alarmLists).toEqual([{ alarmIds: [id] }])
  expect(read({ kind: 'alarmList', options: { assetIds: [] } }).alarmLists).toEqual([])
})

test('pictures and dashboards are named by their ids as the database writes them', () => {
  const content = read(
    { kind: 'image', options: { resourceId: id } },
    { kind: 'map', options: { resourceId: id } },
    { kind: 'dashboard', options: { dashboardId: id } },
  )
  expect(content).toMatchObject({
    resourceIds: [id.toLowerCase(), id.toLowerCase()],
    dashboardIds: [id.toLowerCase()],
  })
})

test('entries of wrong form are left out, and the others of the widget stay', () => {
  const signal = { assetId: 'pump-1', name: 't' }
  const content = read(
    { kind: 'gauge', options: { signals: [null, { ...signal, assetId: 7 }, signal], min: 'low', depth: 3 } },
    { kind: 'map', options: { markers: [null, { assetId: 'pump-2', x: 7 }], resourceId: 5, signals: 'x' } },
    { kind: 'image', options: { resourceId: id, fit: 'other' } },
    { kind: 'image', options: { resourceId: 'picture' } },
    { kind: 'dashboard', options: { dashboardId: 'board' } },
    { kind: 'alarmList', options: { assetIds: ['pump-3', null] } },
  )
  expect(content).toEqual({
    ...nothing,
    owners: [{ assetId: 'pump-1' }, { assetId: 'pump-2' }, { assetId: 'pump-3' }],
    resourceIds: [id.toLowerCase()],
  })
})

test('an alarm list whose rules or assets have a wrong form does not show the alarms of all', () => {
  const listOptions = [{ alarmIds: [7] }, { alarmIds: null }, { assetIds: null }, { variable: 7 }]
  const { owners, alarmLists } = read(...listOptions.map((options) => ({ kind: 'alarmList', options })))
  expect(owners).toEqual([])
  expect(alarmLists).toEqual([{ alarmIds: [] }, { alarmIds: [] }])
})

test.each([
  ['a button', { kind: 'commandButton', options: { assetId: 'pump-1', commandName: 'stop' } }],
  ['an input', { kind: 'propertyInput', options: { assetId: 'pump-1', name: 'limit' } }],
  ['a text', { kind: 'text', options: { text: 'pump-1' } }],
  ['an unknown kind', { kind: 'pie', options: { signals: [{ assetId: 'pump-1', name: 't' }] } }],
  ['the name of a property of all objects', { kind: 'constructor', options: { signals: [] } }],
  ['wrong options', { kind: 'gauge', options: { signals: [{ assetId: 7, name: 't' }] } }],
  ['options that are a list', { kind: 'gauge', options: [] }],
])('%s names nothing', (_what, widget) => {
  expect(read(widget)).toEqual(nothing)
})

test.each([
  [null],
  [[]],
  ['text'],
  [{}],
  [{ version: 2, widgets: [] }],
  [{ version: 1, widgets: {} }],
  [{ version: 1, widgets: [null, 7] }],
])('data that this version does not know names nothing: %j', (data) => {
  expect(readContent(data)).toEqual(nothing)
})

test('variables of a wrong form are left out', () => {
  const right = { name: 'pump', kind: 'asset', value: ['pump-1'] }
  const data = {
    version: 1,
    widgets: [],
    variables: [right, null, { ...right, value: [1] }, { ...right, kind: 'x' }],
  }
  expect(readContent(data).variables).toEqual([right])
  expect(readContent({ ...data, variables: 'pump' }).variables).toEqual([])
})

test('of a variable, as many values are kept as the console shows', () => {
  const value = Array.from({ length: 10_000 }, (_, index) => `pump-${index}`)
  const variables = ['asset', 'assets', 'node'].map((kind) => ({ name: kind, kind, value }))
  const kept = readContent({ version: 1, widgets: [], variables }).variables
  expect(kept.map((variable) => variable.value)).toEqual([['pump-0'], value.slice(0, 50), ['pump-0']])
})
