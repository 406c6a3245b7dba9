import fc from 'fast-check'
import { expect, test } from 'vitest'
import { takeTurns } from '../../../lib/take-turns.ts'
import type { Column } from './column.ts'
import { type UnpackedRows, packRows, unpackRows } from './unpacked-rows.ts'

type Value = number | string | undefined
const value: fc.Arbitrary<Value> = fc.oneof(
  fc.constant(undefined),
  fc.double({ noNaN: true }),
  fc.integer({ min: -100, max: 100 }).map((whole) => whole / 10),
  fc.jsonValue().map((json) => JSON.stringify(json)),
  fc.constantFrom('true', 'false', '"on"', '"a\\nb"', 'null'),
)
const row = fc.record({
  time: fc.integer({ min: 1_700_000_000_000, max: 1_700_086_399_999 }),
  messageId: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  values: fc.array(value, { minLength: 4, maxLength: 4 }),
})
type Row = typeof row extends fc.Arbitrary<infer Generated> ? Generated : never

function toDay(rows: Row[]): UnpackedRows {
  const columns = new Map<number, Column>()
  for (const slot of [1, 2, 3, 4]) {
    const present = rows.map(({ values }, index) => ({ index, value: values[slot - 1] }))
    const numbers = present.filter((cell) => typeof cell.value === 'number')
    const others = present.filter((cell) => typeof cell.value === 'string')
    if (numbers.length + others.length === 0) continue
    columns.set(slot, {
      numberRows: Uint32Array.from(numbers, ({ index }) => index),
      numbers: Float64Array.from(numbers, (cell) => cell.value as number),
      otherRows: Uint32Array.from(others, ({ index }) => index),
      others: others.map((cell) => cell.value as string),
    })
  }
  return {
    times: Float64Array.from(rows, ({ time }) => time),
    messageIds: BigInt64Array.from(rows, ({ messageId }) => messageId),
    columns,
  }
}

test('rows are restored with any values, including missing ones', () => {
  return fc.assert(
    fc.asyncProperty(fc.array(row), async (unsorted) => {
      const day = toDay(unsorted.toSorted((a, b) => a.time - b.time))
      expect(await unpackRows(await packRows(day, takeTurns()), takeTurns())).toEqual(day)
    }),
    { numRuns: 300 },
  )
})

test('sections can be read alone', async () => {
  const rows = Array.from({ length: 100 }, (_, index): Row => ({
    time: 1_700_000_000_000 + index * 1000,
    messageId: BigInt(index),
    values: [index / 10, undefined, '"on"', index % 2 ? 1 : 'false'],
  }))
  const packed = await packRows(toDay(rows), takeTurns())
  expect(packed.sections).toEqual([-1, -2, 1, 3, 4])
  expect(packed.ends.at(-1)).toBe(packed.data.length)
  expect(packed.ends).toEqual(packed.ends.toSorted((a, b) => a - b))
})
