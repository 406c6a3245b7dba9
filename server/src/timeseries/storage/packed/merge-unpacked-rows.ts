/** Merges and splits unpacked rows. They are in the order of time and message, and so are their samples. */
import type { Turn } from '../../../lib/take-turns.ts'
import type { Column } from './column.ts'
import type { UnpackedRows } from './unpacked-rows.ts'

/** The order of samples: by time, and those of one time by message. */
const compareRows = (a: UnpackedRows, rowOfA: number, b: UnpackedRows, rowOfB: number): number =>
  a.times[rowOfA]! - b.times[rowOfB]! || compareBigInts(a.messageIds[rowOfA]!, b.messageIds[rowOfB]!)

export const compareBigInts = (a: bigint, b: bigint): number => (a < b ? -1 : Number(a > b))

/**
 * @param turn lets other work run between two columns
 * @returns all rows of both; a message in both has the values of both, with those of `known` in case of conflict
 */
export async function mergeUnpackedRows(
  known: UnpackedRows,
  added: UnpackedRows,
  turn: Turn,
): Promise<UnpackedRows> {
  const { knownRows, addedRows, count } = alignRows(known, added)
  const times = new Float64Array(count)
  const messageIds = new BigInt64Array(count)
  for (const [source, rows] of [[added, addedRows] as const, [known, knownRows] as const])
    for (let row = 0; row < rows.length; row++) {
      times[rows[row]!] = source.times[row]!
      messageIds[rows[row]!] = source.messageIds[row]!
    }
  const hasRepeats = count < knownRows.length + addedRows.length
  const columns = new Map<number, Column>()
  for (const slot of [...new Set([...known.columns.keys(), ...added.columns.keys()])].toSorted(ascending)) {
    await turn()
    columns.set(
      slot,
      mergeColumns(
        moveColumn(known.columns.get(slot), knownRows),
        moveColumn(added.columns.get(slot), addedRows),
        hasRepeats,
      ),
    )
  }
  return { times, messageIds, columns }
}

const ascending = (a: number, b: number) => a - b

/** For each row of both, its index among the merged rows. */
function alignRows(known: UnpackedRows, added: UnpackedRows) {
  const knownRows = new Uint32Array(known.times.length)
  const addedRows = new Uint32Array(added.times.length)
  let count = 0
  for (let i = 0, j = 0; i < knownRows.length || j < addedRows.length; count++) {
    const order = i === knownRows.length ? 1 : j === addedRows.length ? -1 : compareRows(known, i, added, j)
    if (order <= 0) knownRows[i++] = count
    if (order >= 0) addedRows[j++] = count
  }
  return { knownRows, addedRows, count }
}

const EMPTY: Column = {
  numberRows: new Uint32Array(),
  numbers: new Float64Array(),
  otherRows: new Uint32Array(),
  others: [],
}

const moveColumn = (column: Column = EMPTY, rows: Uint32Array): Column => ({
  ...column,
  numberRows: column.numberRows.map((row) => rows[row]!),
  otherRows: column.otherRows.map((row) => rows[row]!),
})

/** @param hasRepeats whether a message may have a value in both */
function mergeColumns(known: Column, added: Column, hasRepeats: boolean): Column {
  const taken = new Set<number>(hasRepeats ? [...known.numberRows, ...known.otherRows] : [])
  const numbers = mergeCells(
    { rows: known.numberRows, values: known.numbers },
    { rows: added.numberRows, values: added.numbers },
    taken,
  )
  const others = mergeCells(
    { rows: known.otherRows, values: known.others },
    { rows: added.otherRows, values: added.others },
    taken,
  )
  return {
    numberRows: Uint32Array.from(numbers.rows),
    numbers: Float64Array.from(numbers.values),
    otherRows: Uint32Array.from(others.rows),
    others: others.values,
  }
}

interface Cells<Value> {
  rows: ArrayLike<number>
  values: ArrayLike<Value>
}

function mergeCells<Value>(known: Cells<Value>, added: Cells<Value>, taken: Set<number>) {
  const merged: { rows: number[]; values: Value[] } = { rows: [], values: [] }
  const push = ({ rows, values }: Cells<Value>, index: number) => {
    merged.rows.push(rows[index]!)
    merged.values.push(values[index]!)
  }
  let next = 0
  for (let index = 0; index < added.rows.length; index++) {
    const row = added.rows[index]!
    while (next < known.rows.length && known.rows[next]! < row) push(known, next++)
    if (!taken.has(row)) push(added, index)
  }
  while (next < known.rows.length) push(known, next++)
  return merged
}

/** @returns the rows from `start` to before `end` */
export function sliceRows(all: UnpackedRows, start: number, end: number): UnpackedRows {
  const { times, messageIds, columns } = all
  if (start === 0 && end === times.length) return all
  const sliced = new Map<number, Column>()
  for (const [slot, column] of columns) {
    const part = sliceColumn(column, start, end)
    if (part.numbers.length + part.others.length > 0) sliced.set(slot, part)
  }
  return { times: times.slice(start, end), messageIds: messageIds.slice(start, end), columns: sliced }
}

function sliceColumn({ numberRows, numbers, otherRows, others }: Column, start: number, end: number): Column {
  const [firstNumber, lastNumber] = [findRow(numberRows, start), findRow(numberRows, end)]
  const [firstOther, lastOther] = [findRow(otherRows, start), findRow(otherRows, end)]
  return {
    numberRows: numberRows.slice(firstNumber, lastNumber).map((row) => row - start),
    numbers: numbers.slice(firstNumber, lastNumber),
    otherRows: otherRows.slice(firstOther, lastOther).map((row) => row - start),
    others: others.slice(firstOther, lastOther),
  }
}

/** @returns the index of the first of the ascending rows that is not before `row` */
export function findRow(rows: ArrayLike<number>, row: number): number {
  let low = 0
  let high = rows.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (rows[middle]! < row) low = middle + 1
    else high = middle
  }
  return low
}
