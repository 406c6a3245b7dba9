import { expect, test } from 'vitest'
import { telemetry, having } from '../../../test/harness/dtdl.ts'
import type { DataSchema } from './dtdl/model.ts'
import { readInterface } from './dtdl/interface.ts'
import { fitsSchema } from './fits-schema.ts'

function readSchema(schema: unknown): DataSchema {
  const [content] = readInterface(having(telemetry(schema))).contents
  return (content as { schema: DataSchema }).schema
}
const array = (elementSchema: unknown) => ({ '@type': 'Array', elementSchema })
const object = (...fields: [string, unknown][]) => ({
  '@type': 'Object',
  fields: fields.map(([name, schema]) => ({ name, schema })),
})
const map = (schema: unknown) => ({
  '@type': 'Map',
  mapKey: { name: 'k', schema: 'string' },
  mapValue: { name: 'v', schema },
})
const anEnum = (...values: number[]) => ({
  '@type': 'Enum',
  valueSchema: 'integer',
  enumValues: values.map((enumValue) => ({ name: `n${enumValue}`, enumValue })),
})
const position = [1, 2]
const ring = [position, position, position, position]

test.each<[string, unknown, unknown[], unknown[]]>([
  ['double', 'double', [1, 1.5, -0], ['1', null, true, Number.NaN, Number.POSITIVE_INFINITY, [1]]],
  ['float', 'float', [1.5], ['1.5', Number.NaN]],
  ['integer', 'integer', [1, -1, 2.0], [1.5, '1', Number.POSITIVE_INFINITY]],
  ['long', 'long', [2 ** 40], [0.1, null]],
  ['boolean', 'boolean', [true, false], [0, 'true', null]],
  ['string', 'string', ['', 'x'], [1, null, {}]],
  ['date', 'date', ['2024-02-29'], ['2023-02-29', '2024-04-31', '2024-1-1', '2024-02-29T00:00:00Z', 1]],
  [
    'dateTime',
    'dateTime',
    ['2024-02-29T12:00:00Z', '2024-02-29T12:00:00.123+02:00'],
    ['2024-02-30T12:00:00Z', '2024-02-29', '2024-02-29T25:00:00Z', '2024-02-29 12:00:00Z', 1],
  ],
  ['time', 'time', ['12:00:00', '12:00:00.5Z'], ['12:00', '24:00:00', 12]],
  ['duration', 'duration', ['P1D', 'PT1.5S', '-P1Y2M3DT4H5M6S', 'P2W'], ['P', 'PT', 'P1DT', '1D', 'P1S', 5]],
  ['array', array('double'), [[], [1, 2]], [[1, 'x'], { 0: 1 }, 'x']],
  ['map', map('boolean'), [{}, { a: true }], [{ a: 1 }, [true], null]],
  [
    'object',
    object(['x', 'double'], ['constructor', 'string']),
    [{}, { x: 1 }, { x: 1, other: [1] }],
    [{ x: '1' }, { constructor: 1 }, { x: null }, [], null],
  ],
  ['enum', anEnum(1, 2), [1, 2], [3, '1', null]],
  [
    'point',
    'point',
    [{ type: 'Point', coordinates: [1, 2, 3] }],
    [{ type: 'Point', coordinates: [1] }, [1, 2]],
  ],
  [
    'polygon',
    'polygon',
    [{ type: 'Polygon', coordinates: [ring] }],
    [
      { type: 'Polygon', coordinates: ring },
      { type: 'Point', coordinates: position },
    ],
  ],
  [
    'multiPolygon',
    'multiPolygon',
    [{ type: 'MultiPolygon', coordinates: [[ring]] }],
    [{ type: 'MultiPolygon' }],
  ],
  ['lineString', 'lineString', [{ type: 'LineString', coordinates: ring }], [{ coordinates: ring }]],
  [
    'array of objects',
    array(object(['p', array('integer')])),
    [[{ p: [1] }, {}]],
    [[{ p: [1.5] }], [{ p: 1 }], [null]],
  ],
])('%s', (_type, document, good, bad) => {
  const schema = readSchema(document)
  const fits = (value: unknown) => fitsSchema(schema, value)
  expect(good.filter(fits)).toEqual(good)
  expect(bad.filter(fits)).toEqual([])
})

test('a value is checked no deeper than its schema', () => {
  let deep: unknown = 1
  for (let i = 0; i < 100_000; i++) deep = [deep]
  expect(fitsSchema(readSchema(array('double')), [deep])).toBe(false)
  expect(fitsSchema(readSchema(object(['x', 'double'])), { y: deep })).toBe(true)
})

test('tens of thousands of values are compared with a thousand of an enum or an object in a short time', () => {
  const numbers = Array.from({ length: 1000 }, (_, index) => index)
  const choices = readSchema(array(anEnum(...numbers)))
  const objects = readSchema(
    array(object(...numbers.map((index): [string, unknown] => [`f${index}`, 'double']))),
  )
  const chosen = Array.from({ length: 64_000 }, () => 999)
  const made = Array.from({ length: 32_000 }, () => ({ f999: 1 }))
  const startMs = performance.now()
  expect(fitsSchema(choices, chosen)).toBe(true)
  expect(fitsSchema(objects, made)).toBe(true)
  expect(performance.now() - startMs).toBeLessThan(1000)
  expect(fitsSchema(choices, [1000])).toBe(false)
  expect(fitsSchema(objects, [{ f999: 'text' }])).toBe(false)
})
