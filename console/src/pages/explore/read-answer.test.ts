import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readAnswer } from './read-answer.ts'
import { type Point, readSamples } from './read-samples.ts'

const hostile = `"items":[{"value":1,"timestamp":"2026-11-22T08:00:00.000Z"}] <img onerror=1> \u202e 🌡`

interface Item {
  signalId: string
  items: Point[]
  queryResultLimitReached: { resultLimit: number } | null
}

/** As the server writes it, with the sign of zero. */
const writeAnswer = (items: Item[], ending: object = {}) =>
  JSON.stringify({ items, aggregation: '', time_bucket: '', ...ending }, (_key, value: unknown) =>
    Object.is(value, -0) ? MINUS_ZERO : value,
  ).replaceAll(`"${MINUS_ZERO}"`, '-0')

const MINUS_ZERO = 'minus zero'

const expectSame = (items: Item[]) =>
  expect(readAnswer(writeAnswer(items)).items).toEqual(
    items.map(({ signalId, items: points, queryResultLimitReached }) => ({
      signalId,
      samples: readSamples(points),
      isCut: queryResultLimitReached !== null,
    })),
  )

const atMinute = (minute: number) => new Date(Date.UTC(2026, 1, 28, 23, minute)).toISOString()
const makeItem = (signalId: string, values: unknown[]): Item => ({
  signalId,
  items: values.map((value, index) => ({ value, timestamp: atMinute(index) })),
  queryResultLimitReached: null,
})

test.each([
  ['plain', [0, 1, -1, 12.5, -0.001, 100_000]],
  ['with the sign of zero', [-0, 0, -0.0]],
  ['with all digits', [0.1 + 0.2, Math.PI, -1 / 3, 2 ** 53 - 1, 2 ** 53, 123_456_789_012_345]],
  ['very large and very small', [1e21, 1e300, 5e-324, -1.5e-7, Number.MAX_VALUE, 0.000_001]],
  ['with gaps', [null, 1, null, null, 2, null]],
  ['only gaps', [null, null]],
  ['none', []],
])('numbers are read exactly: %s', (_what, values) => {
  expectSame([makeItem('pump/-/telemetry/a', values)])
})

test('random doubles are read exactly', () => {
  fc.assert(
    fc.property(fc.array(fc.double({ noNaN: true, noDefaultInfinity: true }), { minLength: 1 }), (values) => {
      const { samples } = readAnswer(writeAnswer([makeItem('a', values)])).items[0]!
      expect([...samples.values]).toEqual(values)
    }),
  )
})

test('times of every year are read', () => {
  const timestamps = ['0001-01-01T00:00:00.000Z', '2024-02-29T12:34:56.789Z', '+012026-01-01T00:00:00.000Z']
  for (const timestamp of timestamps)
    expectSame([
      { signalId: 'a', items: [{ value: 1, timestamp }], queryResultLimitReached: { resultLimit: 1 } },
    ])
})

test.each([
  ['texts', ['on', hostile, '', '1']],
  ['booleans', [true, false]],
  ['objects that look like points', [{ items: [{ value: 1, timestamp: atMinute(0) }] }, [1]]],
  ['a number before a text', [1, 2, hostile]],
])('%s stand beside numbers', (_what, values) => {
  expectSame([
    makeItem('first', [1, 2.5]),
    makeItem('none', []),
    makeItem(hostile, values),
    makeItem('last', [3, null, 4]),
  ])
})

test('owners that are missing are named, and the others have their samples', () => {
  const text = writeAnswer([makeItem('a', [1])], {
    keptUnder: [{ assetId: hostile }],
    missing: ['pump', hostile],
  })
  expect(readAnswer(text)).toMatchObject({ missing: ['pump', hostile], items: [{ signalId: 'a' }] })
  expect(readAnswer(text).items[0]!.samples.length).toBe(1)
})

test('what is no answer is an error', () => {
  for (const text of ['', '<html>', '{"items":[{"value":1', '{"items":[{"name":"a","items":[{"value":1'])
    expect(() => readAnswer(text)).toThrow(SyntaxError)
})
