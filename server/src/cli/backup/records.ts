/**
 * The records of a backup. A record has a header in JSON, data of any length, and an end in JSON. Records are written as
 * frames (kind, length, payload); the last frame contains the SHA-256 of the file's first line and of all other frames.
 * Without it the backup is not complete.
 */
import { createHash } from 'node:crypto'
import { createByteReader } from './byte-reader.ts'
import { DamagedError } from './error.ts'

export type Json = Record<string, unknown>

export interface OutgoingRecord {
  header: Json
  data?: AsyncIterable<Buffer>
  /** Called when the data is written. */
  end?: () => Json
}

export interface IncomingRecord {
  header: Json
  /** Skipped if it is not read. */
  data: AsyncIterable<Buffer>
  /** Set when the data is read. */
  end: Json
}

interface Frame {
  kind: number
  payload: Buffer
}

const kinds = { header: 1, data: 2, end: 3, sum: 4 }
const HEAD_BYTES = 5
/** Frames have the size of the chunks of a socket or file; a longer frame is damaged and is not read. */
const LONGEST_FRAME_BYTES = 16 * 1024 * 1024

export async function* encodeRecords(
  records: AsyncIterable<OutgoingRecord>,
  firstLine: string,
): AsyncGenerator<Buffer> {
  const hash = createHash('sha256').update(firstLine)
  for await (const frame of listFrames(records)) {
    const head = encodeHead(frame)
    hash.update(head).update(frame.payload)
    yield head
    yield frame.payload
  }
  const sum = { kind: kinds.sum, payload: hash.digest() }
  yield encodeHead(sum)
  yield sum.payload
}

async function* listFrames(records: AsyncIterable<OutgoingRecord>): AsyncGenerator<Frame> {
  for await (const { header, data, end } of records) {
    yield { kind: kinds.header, payload: encodeJson(header) }
    if (data) for await (const payload of data) yield { kind: kinds.data, payload }
    yield { kind: kinds.end, payload: encodeJson(end?.() ?? {}) }
  }
}

const encodeJson = (value: Json) => Buffer.from(JSON.stringify(value))

function encodeHead({ kind, payload }: Frame): Buffer {
  const head = Buffer.alloc(HEAD_BYTES)
  head.writeUInt8(kind)
  head.writeUInt32BE(payload.length, 1)
  return head
}

/** @throws DamagedError at the latest when the whole source has been read */
export async function* decodeRecords(
  source: AsyncIterable<Buffer>,
  firstLine: string,
): AsyncGenerator<IncomingRecord> {
  const frames = readFrames(source, firstLine)
  for (;;) {
    const { value: frame } = await frames.next()
    if (!frame) return
    const data = readData(frames, (end) => (record.end = end))
    const record: IncomingRecord = { header: decodeJson(frame, kinds.header), data, end: {} }
    yield record
    while (!(await data.next()).done);
  }
}

async function* readData(
  frames: AsyncGenerator<Frame>,
  onEnd: (end: Json) => void,
): AsyncGenerator<Buffer, void> {
  for (;;) {
    // Not `for await`, which would close the frames at the end of this record.
    const { value: frame } = await frames.next()
    if (frame?.kind !== kinds.data) return onEnd(decodeJson(frame, kinds.end))
    yield frame.payload
  }
}

/** @returns all frames but the checksum, which is verified */
async function* readFrames(
  source: AsyncIterable<Buffer>,
  firstLine: string,
): AsyncGenerator<Frame, undefined> {
  const reader = createByteReader(source)
  const hash = createHash('sha256').update(firstLine)
  for (;;) {
    const head = await reader.read(HEAD_BYTES)
    const length = head?.readUInt32BE(1) ?? 0
    if (!head || length > LONGEST_FRAME_BYTES) throw new DamagedError()
    const payload = await reader.read(length)
    if (!payload) throw new DamagedError()
    const kind = head.readUInt8()
    if (kind === kinds.sum) {
      const rest = await reader.readUpTo(1)
      if (!payload.equals(hash.digest()) || rest.length > 0) throw new DamagedError()
      return undefined
    }
    hash.update(head).update(payload)
    yield { kind, payload }
  }
}

function decodeJson(frame: Frame | undefined, kind: number): Json {
  if (frame?.kind !== kind) throw new DamagedError()
  try {
    return JSON.parse(frame.payload.toString()) as Json
  } catch {
    throw new DamagedError()
  }
}
