import { expect, test } from 'vitest'
import { describeCondition, isIncomplete, readRows, writeRows } from './conditions.ts'
import { listUnknown, readBody, startDraft, writeBody } from './rule.ts'
import { listSignals, listVariables } from './signals.ts'

test.each([
  '{">": [{"var": "temperature"}, 90]}',
  '{"and": [{">=": [{"var": "motor.rpm"}, 1500]}, {"==": [{"var": "running"}, true]}]}',
  '{"or": [{"<": [{"var": "level"}, {"var": "limit"}]}, {"!==": [{"var": "mode"}, "a\\"uto"]}, {"===": [{"var": "a"}, 0.1]}]}',
  '{"<=": [{"var": "t"}, null]}',
  '{"and": [{">": [{"var": "a"}, 1]}]}',
  '{"!": [{">": [{"var": "a"}, 1]}]}',
  '{"!": [{"or": [{">": [{"var": "a"}, 1]}, {"<": [{"var": "b"}, 1]}]}]}',
  '{"and": [{"or": [{">": [{"var": "a"}, 1]}, {">": [{"var": "b"}, 1]}]}, {">": [{"var": "c"}, 1]}]}',
  '{"or": [{"and": [{"or": [{"and": [{"!": [{"==": [{"var": "a"}, 1]}]}]}]}]}, {"==": [{"var": "b"}, 1]}]}',
])('rows show %s without loss', (text) => {
  const rows = readRows(text)
  expect(JSON.parse(writeRows(rows!))).toEqual(JSON.parse(text))
})

test.each([
  '{">": [90, {"var": "temperature"}]}',
  '{">": [{"+": [{"var": "a"}, 1]}, 90]}',
  '{"and": []}',
  '{"!": {">": [{"var": "a"}, 1]}}',
  '{"!": [{"and": [{">": [{"var": "a"}, 1]}]}]}',
  '{"!": [{"!": [{">": [{"var": "a"}, 1]}]}]}',
  '{"and": [{"and": [{"and": [{"and": [{"and": [{"and": [{">": [{"var": "a"}, 1]}]}]}]}]}]}, {">": [{"var": "a"}, 1]}]}',
  '{"and": [{">": [{"var": "a"}, 1]}, {"in": [{"var": "mode"}, ["a", "b"]]}]}',
  '{">": [{"var": ["a", 5]}, 1]}',
  '{">": [{"var": "a"}, 1], "<": [{"var": "a"}, 0]}',
  '{"<": [1, {"var": "a"}, 3]}',
  '{"!": [{"var": "a"}]}',
  'true',
  '[]',
  '{"and',
])('rows cannot show %s', (text) => expect(readRows(text)).toBeUndefined())

test('a row without a value is incomplete, and no condition has no rows', () => {
  expect(readRows(' ')).toEqual({ join: 'and', rows: [] })
  expect(writeRows(readRows('')!)).toBe('')
  expect(isIncomplete(readRows('{">": [{"var": "a"}, null]}')!)).toBe(true)
  expect(isIncomplete(readRows('{">": [{"var": "a"}, 0]}')!)).toBe(false)
  expect(isIncomplete(readRows('{"and": [{"or": [{">": [{"var": "a"}, null]}]}]}')!)).toBe(true)
})

test('a condition is described in one line', () => {
  const joins = { and: 'and', or: 'or', not: 'not' }
  const text = '{"and": [{">": [{"var": "t"}, 70]}, {"==": [{"var": "mode"}, "auto"]}]}'
  expect(describeCondition(text, joins)).toBe('t > 70 and mode == "auto"')
  const nested =
    '{"or": [{">": [{"var": "t"}, 1]}, {"!": [{"and": [{"<": [{"var": "a"}, 1]}, {"<": [{"var": "b"}, 1]}]}]}]}'
  expect(describeCondition(nested, joins)).toBe('t > 1 or not (a < 1 and b < 1)')
  expect(describeCondition('{"!": [1]}', joins)).toBeUndefined()
})

test('the signals of a condition are found, also of components and within values', () => {
  const contents = [
    { name: 'temperature', kind: 'telemetry', componentId: null },
    { name: 'rpm', kind: 'telemetry', componentId: 'motor' },
    { name: 'position', kind: 'telemetry', componentId: null },
    { name: 'limit', kind: 'property', componentId: null },
  ]
  const text =
    '{"or": [{">": [{"var": "motor.rpm"}, {"var": ["limit"]}]}, {"<": [{"var": "position.lat"}, 3]}]}'
  expect(listVariables(JSON.parse(text))).toEqual(['motor.rpm', 'limit', 'position.lat'])
  expect(listSignals([text, null, '{"'], contents, 'p').map(({ id }) => id)).toEqual([
    'p/motor/telemetry/rpm',
    'p/-/telemetry/position',
  ])
})

test('a body that is written by hand is read, and a wrong one is not', () => {
  const body = { name: 'Hot', severity: 4, entityTypeId: 'dtmi:a;1', condition: '{">":[{"var":"t"},90]}' }
  const draft = readBody(body)!
  expect(JSON.parse(writeBody(draft).condition!)).toEqual({ '>': [{ var: 't' }, 90] })
  expect(readBody({ ...writeBody(draft), type: 'x' })).toEqual({ ...draft, type: 'x' })
  const saved = { id: '1', organizationId: '2', ...writeBody(draft) } as Parameters<typeof startDraft>[0]
  expect(startDraft(saved)).toEqual({ ...draft, organizationId: '2' })
  for (const wrong of [
    null,
    {},
    { name: 1 },
    { name: 'a', severity: '4' },
    { name: 'a', condition: {} },
    { name: 'a', entityIds: [1] },
  ])
    expect(readBody(wrong)).toBeUndefined()
})

test('a field that no rule has is refused, and not dropped', () => {
  expect(listUnknown({ name: 'Hot', forSecond: 30 })).toEqual(['forSecond'])
  expect(readBody({ name: 'Hot', forSecond: 30 })).toBeUndefined()
  expect(readBody({ name: 'Hot', forSeconds: 30, id: 'rule' })?.forSeconds).toBe(30)
})

test('an organization is sent as it is written, and none where none is', () => {
  expect(writeBody(readBody({ name: 'Hot', organizationId: 'north' })!).organizationId).toBe('north')
  expect(writeBody(readBody({ name: 'Hot' })!)).not.toHaveProperty('organizationId')
  expect(readBody({ name: 'Hot', organizationId: 1 })).toBeUndefined()
})
