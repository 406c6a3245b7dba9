/**
 * Writes rows in PostgreSQL's binary format for an array of the row type of `sample_rows`. As text they would take five
 * times as much processor time here, and numbers would be parsed again by the database.
 */
import type { SampleRow } from './sample-row.ts'

const INT4 = 23
const INT8 = 20
const FLOAT8 = 701
const FLOAT8_ARRAY = 1022
const TIMESTAMPTZ = 1184
const JSONB = 3802
const IS_NULL = -1

/** Everything of a row but its values. */
const ROW_BYTES = 128
const NUMBER_BYTES = 12
const NUMBERS_HEAD_BYTES = 28

interface Writer {
  bytes: Buffer
  view: DataView
  at: number
}

/** @param rowType the object identifier of the row type of `sample_rows` */
export function encodeRows(rows: SampleRow[], rowType: number): Buffer {
  const writer = createWriter(
    64 + rows.reduce((sum, { slots }) => sum + ROW_BYTES + slots.length * NUMBER_BYTES, 0),
  )
  writeArrayHead(writer, { hasNulls: false, elementType: rowType, length: rows.length, lowerBound: 1 })
  for (const row of rows) writeRow(writer, row)
  return writer.bytes.subarray(0, writer.at)
}

function writeRow(writer: Writer, row: SampleRow): void {
  makeRoom(writer, ROW_BYTES)
  const start = skipLength(writer)
  writeInt(writer, 6)
  writeInt4Field(writer, row.tenantNumber)
  writeInt4Field(writer, row.streamNumber)
  writeTimeField(writer, row.timeMs)
  writeFieldHead(writer, INT8, 8)
  writer.view.setBigInt64(writer.at, row.messageId)
  writer.at += 8
  writeNumbers(writer, row)
  writeOthers(writer, row)
  fillInLength(writer, start)
}

/** The array begins with the first slot that has a number and ends with the last one. */
function writeNumbers(writer: Writer, { slots, values }: SampleRow): void {
  let first = Infinity
  let last = 0
  let count = 0
  let isInOrder = true
  for (let index = 0; index < slots.length; index++) {
    if (typeof values[index] !== 'number') continue
    const slot = slots[index]!
    if (slot < last) isInOrder = false
    if (slot < first) first = slot
    if (slot > last) last = slot
    count++
  }
  if (count === 0) return writeFieldHead(writer, FLOAT8_ARRAY, IS_NULL)
  const length = last - first + 1
  makeRoom(writer, NUMBERS_HEAD_BYTES + length * NUMBER_BYTES + ROW_BYTES)
  writeInt(writer, FLOAT8_ARRAY)
  const start = skipLength(writer)
  writeArrayHead(writer, { hasNulls: count < length, elementType: FLOAT8, length, lowerBound: first })
  if (isInOrder && count === length) writeDense(writer, values)
  else writeSparse(writer, { slots, values, first, length })
  fillInLength(writer, start)
}

function writeDense(writer: Writer, values: unknown[]): void {
  for (let index = 0; index < values.length; index++) {
    const value = values[index]
    if (typeof value === 'number') writeNumber(writer, value)
  }
}

interface Sparse {
  slots: number[]
  values: unknown[]
  first: number
  length: number
}

function writeSparse(writer: Writer, { slots, values, first, length }: Sparse): void {
  const bySlot: (number | undefined)[] = Array.from({ length })
  for (let index = 0; index < slots.length; index++)
    if (typeof values[index] === 'number') bySlot[slots[index]! - first] = values[index] as number
  for (const value of bySlot)
    if (value === undefined) writeInt(writer, IS_NULL)
    else writeNumber(writer, value)
}

function writeOthers(writer: Writer, { slots, values }: SampleRow): void {
  let text = ''
  for (let index = 0; index < slots.length; index++) {
    const value = values[index]
    if (typeof value !== 'number') text += `${text ? ',' : '{'}"${slots[index]}":${JSON.stringify(value)}`
  }
  if (!text) return writeFieldHead(writer, JSONB, IS_NULL)
  text += '}'
  const length = Buffer.byteLength(text)
  makeRoom(writer, length + ROW_BYTES)
  writeFieldHead(writer, JSONB, length + 1)
  // The version of the format of jsonb.
  writer.view.setUint8(writer.at++, 1)
  writer.at += writer.bytes.write(text, writer.at)
}

const EPOCH_2000_MS = Date.UTC(2000, 0, 1)

/** Microseconds since 2000. Those of years far away exceed the integers that a number holds. */
function writeTimeField(writer: Writer, timeMs: number): void {
  writeFieldHead(writer, TIMESTAMPTZ, 8)
  const microseconds = BigInt(Math.round(timeMs) - EPOCH_2000_MS) * 1000n
  writer.view.setBigInt64(writer.at, microseconds)
  writer.at += 8
}

interface ArrayHead {
  hasNulls: boolean
  elementType: number
  length: number
  lowerBound: number
}

function writeArrayHead(writer: Writer, { hasNulls, elementType, length, lowerBound }: ArrayHead): void {
  const dimensions = 1
  for (const int of [dimensions, hasNulls ? 1 : 0, elementType, length, lowerBound]) writeInt(writer, int)
}

function writeInt4Field(writer: Writer, value: number): void {
  writeFieldHead(writer, INT4, 4)
  writeInt(writer, value)
}

function writeFieldHead(writer: Writer, type: number, length: number): void {
  writeInt(writer, type)
  writeInt(writer, length)
}

function writeInt(writer: Writer, value: number): void {
  writer.view.setInt32(writer.at, value)
  writer.at += 4
}

function writeNumber(writer: Writer, value: number): void {
  writeInt(writer, 8)
  writer.view.setFloat64(writer.at, value)
  writer.at += 8
}

/** @returns the place of the length, which is filled in when it is known */
const skipLength = (writer: Writer): number => (writer.at += 4) - 4

const fillInLength = (writer: Writer, place: number): void =>
  writer.view.setInt32(place, writer.at - place - 4)

function createWriter(size: number): Writer {
  // Never from the pool of small buffers, so that the view begins with the bytes.
  const bytes = Buffer.allocUnsafeSlow(size)
  return { bytes, view: new DataView(bytes.buffer), at: 0 }
}

function makeRoom(writer: Writer, bytes: number): void {
  if (writer.at + bytes <= writer.bytes.length) return
  const larger = createWriter(Math.max(writer.bytes.length * 2, writer.at + bytes))
  writer.bytes.copy(larger.bytes, 0, 0, writer.at)
  writer.bytes = larger.bytes
  writer.view = larger.view
}
