/**
 * Packs the values of one series in the rows of a piece. A series may have numbers in some rows and other values in
 * others.
 */
import { packJsonValues, unpackJsonValues } from './json-values.ts'
import { packNumbers, unpackNumbers } from './numbers.ts'
import { packPositions, unpackPositions } from './positions.ts'
import { createByteWriter, readUnsigned, type ByteReader, writeUnsigned, writtenBytes } from './varint.ts'

export interface Column {
  /** Indexes of rows with a number, in ascending order, and these numbers. */
  numberRows: Uint32Array
  numbers: Float64Array
  /** Indexes of rows with another value, in ascending order, and these values as JSON texts. */
  otherRows: Uint32Array
  others: string[]
}

/** @param rowCount the number of rows of the piece */
export function packColumn({ numberRows, numbers, otherRows, others }: Column, rowCount: number): Buffer {
  return Buffer.concat([
    ...packPart(numberRows, rowCount, () => packNumbers(numbers)),
    ...packPart(otherRows, rowCount, () => packJsonValues(others)),
  ])
}

/** The row indexes are omitted if every row has a value, which is usual. */
function packPart(rows: Uint32Array, rowCount: number, packValues: () => Buffer): Buffer[] {
  if (rows.length === 0) return [Buffer.of(0)]
  const values = packValues()
  const positions = rows.length === rowCount ? Buffer.alloc(0) : packPositions(rows)
  const header = createByteWriter()
  writeUnsigned(header, rows.length)
  writeUnsigned(header, positions.length)
  writeUnsigned(header, values.length)
  return [writtenBytes(header), positions, values]
}

export function unpackColumn(packed: Uint8Array, rowCount: number): Column {
  const reader = { bytes: packed, at: 0 }
  const numbers = unpackPart(reader, rowCount)
  const others = unpackPart(reader, rowCount)
  return {
    numberRows: numbers.rows,
    numbers: numbers.values ? unpackNumbers(numbers.values, numbers.rows.length) : new Float64Array(),
    otherRows: others.rows,
    others: others.values ? unpackJsonValues(others.values, others.rows.length) : [],
  }
}

/** Whether a packed column has values that are not numbers, however large these are unpacked. */
export function hasOthers(packed: Uint8Array): boolean {
  const reader = { bytes: packed, at: 0 }
  if (readUnsigned(reader) > 0) takeBytes(reader, readUnsigned(reader) + readUnsigned(reader))
  return readUnsigned(reader) > 0
}

function unpackPart(reader: ByteReader, rowCount: number): { rows: Uint32Array; values?: Uint8Array } {
  const count = readUnsigned(reader)
  if (count === 0) return { rows: new Uint32Array() }
  const positionBytes = readUnsigned(reader)
  const valueBytes = readUnsigned(reader)
  const positions = takeBytes(reader, positionBytes)
  const values = takeBytes(reader, valueBytes)
  return { rows: count === rowCount ? listAllRows(rowCount) : unpackPositions(positions, count), values }
}

export function listAllRows(rowCount: number): Uint32Array {
  const rows = new Uint32Array(rowCount)
  for (let row = 0; row < rowCount; row++) rows[row] = row
  return rows
}

function takeBytes(reader: ByteReader, length: number): Uint8Array {
  const taken = reader.bytes.subarray(reader.at, reader.at + length)
  reader.at += length
  return taken
}
