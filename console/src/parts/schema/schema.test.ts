import { expect, test } from 'vitest'
import { type DataSchema, findSchemaProblems, localText, readSchema } from './schema.ts'

const recipe = readSchema({
  type: 'object',
  fields: [
    { name: 'count', displayName: {}, unit: null, schema: { type: 'integer' } },
    { name: 'steps', displayName: {}, unit: null, schema: { type: 'array', element: { type: 'double' } } },
    {
      name: 'mode',
      displayName: {},
      unit: null,
      schema: { type: 'enum', values: [{ name: 'auto', displayName: {}, value: 'a' }] },
    },
  ],
})

test.each<[string, DataSchema, unknown, unknown[]]>([
  ['a whole number as integer', { type: 'integer' }, 7, []],
  ['a fraction as integer', { type: 'integer' }, 7.5, ['notWhole']],
  ['an integer of 32 bits at most', { type: 'integer' }, 2 ** 31, ['notInteger']],
  ['a long that JSON cannot hold', { type: 'long' }, 2 ** 60, ['notLong']],
  ['a text as number', { type: 'double' }, '7', ['notNumber']],
  ['a day', { type: 'date' }, '2026-02-28', []],
  ['a month 13', { type: 'date' }, '2026-13-28', ['notDate']],
  ['a moment without a zone', { type: 'dateTime' }, '2026-02-28T10:00:00', ['notDateTime']],
  ['a duration', { type: 'duration' }, 'PT1H30M', []],
  ['a duration without a part', { type: 'duration' }, 'PT', ['notDuration']],
  ['a geometry', { type: 'other', name: 'point' }, 7, []],
  ['an object without its fields', recipe, {}, []],
  ['a text as object', recipe, '{}', ['notObject']],
])('%s', (_name, schema, value, problems) => {
  expect(Object.values(findSchemaProblems(schema, value))).toEqual(problems)
})

test('problems are reported at their paths', () => {
  const value = { count: '3', steps: [1, 'two'], mode: 'b', more: true }
  expect(findSchemaProblems(recipe, value)).toEqual({
    '.count': 'notWhole',
    '.steps[1]': 'notNumber',
    '.mode': 'notOption',
  })
})

test('a text is chosen in the given language, then in English, then in any language', () => {
  expect(localText({ de: 'Pumpe', en: 'Pump' }, 'de')).toBe('Pumpe')
  expect(localText({ en: 'Pump' }, 'de')).toBe('Pump')
  expect(localText({ fr: 'Pompe' }, 'de')).toBe('Pompe')
  expect(localText({}, 'de')).toBeUndefined()
})
