/** Decodes the values of rows, as `readBatch` reads them, into a column for each series. */
import { type Column, listAllRows } from './column.ts'

interface EncodedRows {
  rowCount: number
  /** For each row the numbers as `array_send` writes them, one row after another. */
  numbers: Buffer
  /** For each row a line with the other values by slot as JSON, which is empty without such values. */
  others: string | null
}

export function decodeColumns({ rowCount, numbers, others }: EncodedRows): Map<number, Column> {
  const bySlot: GrowingColumn[] = []
  decodeNumbers(bySlot, numbers, rowCount)
  if (others !== null) decodeOthers(bySlot, others)
  const allRows = listAllRows(rowCount)
  const columns = new Map<number, Column>()
  bySlot.forEach((column, slot) => columns.set(slot, finishColumn(column, allRows)))
  return columns
}

interface GrowingColumn {
  count: number
  numberRows: Uint32Array
  numbers: Float64Array
  otherRows: number[]
  others: string[]
}

/** Small, since a batch may have very many columns with a value or two each. */
const FIRST_CAPACITY = 8

const createColumn = (): GrowingColumn => ({
  count: 0,
  numberRows: new Uint32Array(FIRST_CAPACITY),
  numbers: new Float64Array(FIRST_CAPACITY),
  otherRows: [],
  others: [],
})

function grow(column: GrowingColumn): void {
  const [rows, numbers] = [column.numberRows, column.numbers]
  column.numberRows = new Uint32Array(rows.length * 4)
  column.numberRows.set(rows)
  column.numbers = new Float64Array(numbers.length * 4)
  column.numbers.set(numbers)
}

function finishColumn(column: GrowingColumn, allRows: Uint32Array): Column {
  const { count, numberRows, numbers, otherRows, others } = column
  return {
    numberRows: count === allRows.length ? allRows : numberRows.subarray(0, count),
    numbers: numbers.subarray(0, count),
    otherRows: new Uint32Array(otherRows),
    others,
  }
}

/** Sizes of an array header: dimensions, flags, element type, then length and lower bound of each dimension. */
const HEAD_BYTES = 20
const EMPTY_HEAD_BYTES = 12

function decodeNumbers(bySlot: GrowingColumn[], bytes: Buffer, rowCount: number): void {
  // A DataView reads big-endian numbers several times faster than a Buffer does.
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let at = 0
  for (let row = 0; row < rowCount; row++) {
    if (view.getInt32(at) === 0) {
      at += EMPTY_HEAD_BYTES
      continue
    }
    const firstSlot = view.getInt32(at + 16)
    const endSlot = firstSlot + view.getInt32(at + 12)
    at += HEAD_BYTES
    for (let slot = firstSlot; slot < endSlot; slot++) {
      const size = view.getInt32(at)
      at += 4
      if (size < 0) continue
      const column = (bySlot[slot] ??= createColumn())
      if (column.count === column.numbers.length) grow(column)
      column.numberRows[column.count] = row
      column.numbers[column.count++] = view.getFloat64(at)
      at += size
    }
  }
}

/** Longer texts are rarely repeated. */
const MAX_CACHED_LENGTH = 100

/** Rows mostly repeat a few texts, such as those of a switch, which are parsed once. */
function decodeOthers(bySlot: GrowingColumn[], lines: string): void {
  const cache = new Map<string, [number, string][]>()
  for (const [row, text] of lines.split('\n').entries()) {
    if (text === '') continue
    let values = cache.get(text)
    if (!values) {
      values = parseOthers(text)
      if (text.length <= MAX_CACHED_LENGTH) cache.set(text, values)
    }
    for (const [slot, value] of values) {
      const column = (bySlot[slot] ??= createColumn())
      column.otherRows.push(row)
      column.others.push(value)
    }
  }
}

const parseOthers = (text: string): [number, string][] =>
  Object.entries(JSON.parse(text) as Record<string, unknown>).map(([slot, value]) => [
    Number(slot),
    JSON.stringify(value),
  ])
