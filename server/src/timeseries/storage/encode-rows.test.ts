/** Rows in PostgreSQL's binary format; append.test.ts and the random queries show that the database reads them. */
import { expect, test } from 'vitest'
import { encodeRows } from './encode-rows.ts'
import type { SampleRow } from './sample-row.ts'

const HEAD_BYTES = 20

const row = (slots: number[], values: unknown[] = slots): SampleRow => ({
  tenantNumber: 1,
  streamNumber: 2,
  timeMs: 3,
  messageId: 4n,
  slots,
  values,
})

/** The slots from `first` on, `count` of them. */
const dense = (first: number, count: number) =>
  row(Array.from({ length: count }, (_, index) => first + index))

test('a row after a sparse one is written the same, wherever the buffer ends', () => {
  const different: unknown[] = []
  for (let width = 1; width <= 300; width++)
    for (let first = 1; first <= 3; first++)
      for (let count = 0; count <= 20; count++) {
        const rows = [row([first, first + width]), dense(first, count)]
        const alone = rows.map((one) => encodeRows([one], 5).subarray(HEAD_BYTES))
        const together = encodeRows(rows, 5).subarray(HEAD_BYTES)
        if (!together.equals(Buffer.concat(alone))) different.push({ width, first, count })
      }
  expect(different).toEqual([])
})

test('long texts and wide rows fit into the buffer', () => {
  for (let width = 1; width <= 1000; width++) {
    const rows = [row([1, width + 1]), row([2, 1], ['ü'.repeat(width), 3]), dense(1, width)]
    for (const ordered of [rows, rows.toReversed()]) {
      const bytes = encodeRows(ordered, 5)
      let end = HEAD_BYTES
      for (const _ of ordered) end += 4 + bytes.readInt32BE(end)
      expect(bytes.length).toBe(end)
    }
  }
})
