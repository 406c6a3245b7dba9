import { expect, test } from 'vitest'
import type { DataSchema } from './dtdl/model.ts'
import { schemasFit } from './schemas-fit.ts'

const named = (name: string) => ({ name, displayName: {}, description: {} })
const array = (element: DataSchema): DataSchema => ({ type: 'array', element })
const map = (value: DataSchema): DataSchema => ({ type: 'map', keyName: 'k', valueName: 'v', value })
const object = (fields: Record<string, DataSchema>): DataSchema => ({
  type: 'object',
  fields: Object.entries(fields).map(([name, schema]) => ({ ...named(name), schema, unit: null })),
})
const choice = (valueType: 'integer' | 'string', ...values: (number | string)[]): DataSchema => ({
  type: 'enum',
  valueType,
  values: values.map((value) => ({ ...named(`v${value}`), value })),
})
const integer: DataSchema = { type: 'integer' }
const double: DataSchema = { type: 'double' }
const string: DataSchema = { type: 'string' }

test.each<[string, DataSchema, DataSchema, boolean]>([
  ['a type fits itself', { type: 'boolean' }, { type: 'boolean' }, true],
  ['a number fits a wider one', integer, double, true],
  ['and not a narrower one', double, integer, false],
  ['a float fits a double', { type: 'float' }, double, true],
  ['text is no number', string, double, false],
  ['a moment is no date', { type: 'dateTime' }, { type: 'date' }, false],
  ['lists fit as their elements do', array(integer), array(double), true],
  ['lists of text are no lists of numbers', array(string), array(double), false],
  ['a list is not its element', array(double), double, false],
  ['maps fit as their values do', map(integer), map(double), true],
  ['maps of text are no maps of numbers', map(string), map(double), false],
  ['an object may gain fields', object({ a: integer }), object({ a: double, b: string }), true],
  ['and may not lose them', object({ a: integer, b: string }), object({ a: integer }), false],
  ['nor have them of another type', object({ a: string }), object({ a: integer }), false],
  ['a choice may become wider', choice('string', 'a'), choice('string', 'a', 'b'), true],
  ['and not narrower', choice('string', 'a', 'b'), choice('string', 'a'), false],
  ['a choice is one of its values', choice('integer', 1), double, true],
  ['of its own type', choice('string', 'a'), integer, false],
  ['a value is no choice', string, choice('string', 'a'), false],
])('%s', (_what, from, to, expected) => {
  expect(schemasFit(from, to)).toBe(expected)
})
