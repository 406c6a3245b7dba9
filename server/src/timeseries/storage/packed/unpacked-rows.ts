/**
 * Packs rows of one stream into sections: the times of the messages, the identifiers of the messages, and a
 * column for each series. Sections are stored one after another with their end offsets beside them, so that a query of
 * one series reads only the times and one column. [docs/telemetry#packed]
 */
import type { Turn } from '../../../lib/take-turns.ts'
import { type Column, hasOthers, packColumn, unpackColumn } from './column.ts'
import { packFilter } from './message-filter.ts'
import { BYTES_A_CELL } from './row-key.ts'
import { packTimes, unpackTimes } from './times.ts'

/**
 * Numbers of the sections that are not series; the section of a series has the number of its slot in the stream, from
 * 1.
 */
const TIMES_SECTION = -1
const MESSAGES_SECTION = -2
/** Larger pieces have a message filter as their third section; in smaller ones the messages themselves are read. */
export const FILTER_SECTION = -3
const MIN_FILTERED_ROWS = 500

export interface UnpackedRows {
  /** Milliseconds since 1970, in ascending order; one for each row. */
  times: Float64Array
  messageIds: BigInt64Array
  /** Columns by slot of the series in its stream. */
  columns: Map<number, Column>
}

export interface PackedRows {
  rowCount: number
  sections: number[]
  /** Offset after each section. */
  ends: number[]
  data: Buffer
}

/** The number of values; one that is not a number weighs as much as its text is long. */
export function countCells({ columns }: Pick<UnpackedRows, 'columns'>): number {
  let cells = 0
  for (const { numbers, others } of columns.values()) {
    cells += numbers.length
    for (const text of others) cells += 1 + text.length / BYTES_A_CELL
  }
  return cells
}

/** @param turn lets other work run between two columns */
export async function packRows(
  { times, messageIds, columns }: UnpackedRows,
  turn: Turn,
): Promise<PackedRows> {
  const rowCount = times.length
  const parts: [number, Buffer][] = [
    [TIMES_SECTION, packTimes(times)],
    [MESSAGES_SECTION, Buffer.from(messageIds.buffer, messageIds.byteOffset, messageIds.byteLength)],
  ]
  if (rowCount >= MIN_FILTERED_ROWS) parts.push([FILTER_SECTION, packFilter(messageIds)])
  for (const [slot, column] of columns) {
    await turn()
    parts.push([slot, packColumn(column, rowCount)])
  }
  let end = 0
  return {
    rowCount,
    sections: parts.map(([section]) => section),
    ends: parts.map(([, bytes]) => (end += bytes.length)),
    data: Buffer.concat(parts.map(([, bytes]) => bytes)),
  }
}

/** @param turn lets other work run between two columns */
export async function unpackRows(packed: PackedRows, turn: Turn): Promise<UnpackedRows> {
  const { rowCount, sections } = packed
  const columns = new Map<number, Column>()
  for (const [index, slot] of sections.entries()) {
    if (slot < 0) continue
    await turn()
    columns.set(slot, unpackColumn(readSection(packed, index), rowCount))
  }
  return {
    times: unpackTimes(readSection(packed, sections.indexOf(TIMES_SECTION)), rowCount),
    messageIds: unpackMessageIds(readSection(packed, sections.indexOf(MESSAGES_SECTION))),
    columns,
  }
}

/** Whether all values are numbers. */
export const holdsNumbersAlone = (packed: Omit<PackedRows, 'rowCount'>): boolean =>
  packed.sections.every((slot, index) => slot < 0 || !hasOthers(readSection(packed, index)))

const readSection = ({ ends, data }: Pick<PackedRows, 'ends' | 'data'>, index: number) =>
  data.subarray(ends[index - 1] ?? 0, ends[index])

/** Message ids are not compressed, because they are random hashes. */
export function unpackMessageIds(bytes: Uint8Array): BigInt64Array {
  // A view of 64-bit numbers must begin at a multiple of 8.
  const aligned = new Uint8Array(bytes)
  return new BigInt64Array(aligned.buffer)
}
