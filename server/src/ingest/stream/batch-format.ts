/**
 * The bytes of a batch in the stream. All numbers are big-endian.
 *
 *     batch:  version (1), flags (1), length of the id (4), id, number of messages (4), messages
 *     message: flags (1), number of the client (4), number of its tenant (4), time of arrival (6), packet identifier (2),
 *              id of the client, topic, payload, traceparent where its flag is set, reason and text of a dead letter where
 *              its flag is set, number (6) and generation (4) of the session where its flag is set
 *
 * A text or payload is preceded by its length (4).
 */
import type { DeadLetter, Device, DeviceMessage } from '../message.ts'
import type { DeadLetterReason } from '../unreadable.ts'

const VERSION = 1
/** Flag of a batch: it may be in the stream already. */
const SENT_BEFORE = 1
/** Flag of a batch: its devices may have sent its messages to another node meanwhile. */
const MAY_BE_LATE = 2
const FLAGS_PLACE = 1
const IS_REPEAT = 1
const HAS_TRACEPARENT = 2
const IS_LETTER = 4
const HAS_SENDER = 8
/** The greatest `integer` of PostgreSQL. */
const MAX_NUMBER = 2 ** 31 - 1
/** The bytes of a message beside its texts and its payload, with their lengths. */
const FIXED_BYTES = 27 + 6 * 4

/** A message, with the reason if it is a dead letter. */
export interface BatchItem {
  message: DeviceMessage
  letter: Pick<DeadLetter, 'reason' | 'text'> | undefined
}

export interface StreamRecord extends Omit<DeviceMessage, 'device' | 'isImported' | 'onDeadLetter'> {
  /** A database that was restored may give the number to another client. */
  client: Pick<Device, 'number' | 'id' | 'tenantNumber'>
  letter: Pick<DeadLetter, 'reason' | 'text'> | undefined
}

export class UnreadableBatchError extends Error {
  override name = 'UnreadableBatchError'
}

/** @returns at least the bytes that the item takes in a batch */
export const itemBytes = ({ message, letter }: BatchItem): number =>
  FIXED_BYTES +
  message.payload.length +
  Buffer.byteLength(message.device.id) +
  Buffer.byteLength(message.topic) +
  (message.traceparent?.length ?? 0) +
  (letter ? Buffer.byteLength(letter.text) + letter.reason.length : 0)

/** @param id see `formatBatchId` */
export function encodeBatch(id: string, items: BatchItem[]): Buffer {
  const bytes = Buffer.allocUnsafe(items.reduce((sum, item) => sum + itemBytes(item), 10 + id.length))
  let end = bytes.writeUInt8(VERSION, 0)
  const writeBytes = (value: Buffer) => {
    end = bytes.writeUInt32BE(value.length, end)
    end += value.copy(bytes, end)
  }
  const writeText = (text: string) => {
    const length = bytes.write(text, end + 4)
    bytes.writeUInt32BE(length, end)
    end += 4 + length
  }
  end = bytes.writeUInt8(0, end)
  writeText(id)
  end = bytes.writeUInt32BE(items.length, end)
  for (const { message, letter } of items) {
    const { device, receivedAtMs, packetId, isRepeat, traceparent, sender } = message
    const flags =
      (isRepeat ? IS_REPEAT : 0) |
      (traceparent === undefined ? 0 : HAS_TRACEPARENT) |
      (letter === undefined ? 0 : IS_LETTER) |
      (sender === undefined ? 0 : HAS_SENDER)
    end = bytes.writeUInt8(flags, end)
    end = bytes.writeUInt32BE(device.number, end)
    end = bytes.writeUInt32BE(device.tenantNumber, end)
    end = bytes.writeUIntBE(receivedAtMs, end, 6)
    end = bytes.writeUInt16BE(packetId, end)
    writeText(device.id)
    writeText(message.topic)
    writeBytes(message.payload)
    if (traceparent !== undefined) writeText(traceparent)
    if (letter) {
      writeText(letter.reason)
      writeText(letter.text)
    }
    if (!sender) continue
    end = bytes.writeUIntBE(sender.number, end, 6)
    end = bytes.writeUInt32BE(sender.generation, end)
  }
  return bytes.subarray(0, end)
}

/** Distinguishes a batch from all others. */
export const formatBatchId = ({ sender, number }: Pick<StreamBatch, 'sender' | 'number'>): string =>
  `${sender}.${number}`

function parseBatchId(id: string): Pick<StreamBatch, 'sender' | 'number'> {
  const end = id.lastIndexOf('.')
  return { sender: id.slice(0, end), number: Number(id.slice(end + 1)) }
}

/** Marks a batch whose acknowledgement did not come: it may be in the stream twice. */
export const markSentBefore = (batch: Buffer): void => mark(batch, SENT_BEFORE)

/** Marks a batch whose devices may have sent its messages to another node meanwhile. */
export const markLate = (batch: Buffer): void => mark(batch, MAY_BE_LATE)

const mark = (batch: Buffer, flag: number) =>
  void batch.writeUInt8(batch.readUInt8(FLAGS_PLACE) | flag, FLAGS_PLACE)

export interface StreamBatch {
  records: StreamRecord[]
  /** The process that published it. */
  sender: string
  /** Grows with each batch of the process. */
  number: number
  /** The batch may be in the stream twice. */
  isSentBefore: boolean
  /** The devices may have sent the messages to another node before the batch was published. */
  mayBeLate: boolean
}

/** @param batch the payloads of the messages are views of it @throws UnreadableBatchError */
export function decodeBatch(batch: Buffer): StreamBatch {
  try {
    return readRecords(batch)
  } catch (error) {
    if (error instanceof RangeError) throw new UnreadableBatchError('it ends too early')
    throw error
  }
}

/** @throws UnreadableBatchError, RangeError */
function readRecords(batch: Buffer): StreamBatch {
  const reader = createReader(batch)
  const version = reader.readNumber(1)
  if (version !== VERSION) throw new UnreadableBatchError(`its format ${version} is not known`)
  const batchFlags = reader.readNumber(1)
  const batchId = reader.readText()
  const count = reader.readNumber(4)
  if (count === 0) throw new UnreadableBatchError('it has no messages')
  const records: StreamRecord[] = []
  while (records.length < count) {
    const flags = reader.readNumber(1)
    const [number, tenantNumber] = [reader.readNumber(4), reader.readNumber(4)]
    if (number > MAX_NUMBER) throw new UnreadableBatchError('a client has an impossible number')
    const receivedAtMs = reader.readNumber(6)
    const packetId = reader.readNumber(2)
    const [id, topic, payload] = [reader.readText(), reader.readText(), reader.readBytes()]
    const traceparent = flags & HAS_TRACEPARENT ? reader.readText() : undefined
    const letter =
      flags & IS_LETTER
        ? { reason: reader.readText() as DeadLetterReason, text: reader.readText() }
        : undefined
    const sender =
      flags & HAS_SENDER ? { number: reader.readNumber(6), generation: reader.readNumber(4) } : undefined
    if (sender && sender.generation > MAX_NUMBER)
      throw new UnreadableBatchError('a session has an impossible generation')
    records.push({
      client: { number, id, tenantNumber },
      topic,
      payload,
      receivedAtMs,
      packetId,
      // A message without an identifier is recognized by its place in the batch.
      ...(packetId === 0 && { arrivalKey: `${batchId}/${records.length}` }),
      isRepeat: Boolean(flags & IS_REPEAT),
      ...(traceparent !== undefined && { traceparent }),
      ...(sender && { sender }),
      letter,
    })
  }
  if (!reader.isAtEnd()) throw new UnreadableBatchError('it is longer than its messages')
  return {
    records,
    ...parseBatchId(batchId),
    isSentBefore: Boolean(batchFlags & SENT_BEFORE),
    mayBeLate: Boolean(batchFlags & MAY_BE_LATE),
  }
}

/** The functions throw a RangeError at the end of the bytes. */
function createReader(bytes: Buffer) {
  let at = 0
  const readNumber = (length: number): number => {
    const value = bytes.readUIntBE(at, length)
    at += length
    return value
  }
  const readBytes = (): Buffer => {
    const length = readNumber(4)
    if (length > bytes.length - at) throw new RangeError('the bytes end')
    return bytes.subarray(at, (at += length))
  }
  const readText = (): string => {
    const text = `${readBytes()}`
    if (text.includes('\0'))
      throw new UnreadableBatchError('a text has a NUL, which PostgreSQL does not store')
    return text
  }
  return { readNumber, readBytes, readText, isAtEnd: () => at === bytes.length }
}
