/**
 * The identity of a message: 63 bits that are the same for each repeat of it, in this process or a later one. It
 * excludes QoS 1 repeats, and separates two messages with the same timestamp. [docs/telemetry#repeats]
 */
import { hash, randomUUID } from 'node:crypto'
import type { DeviceMessage } from './message.ts'
import type { Reading } from './parsers/parser.ts'

/** Returns the id of a message with its own timestamp, which depends only on its content, whatever packet carried it. */
export const contentId = ({ device, payload }: DeviceMessage): bigint => hashId(`${device.number}`, payload)

/**
 * Returns the id of one of several readings in a message. A reading with its own timestamp is the same whichever
 * message carries it: a meter repeats the last hourly gas reading in every telegram until there is a new one.
 */
export const readingId = ({ device }: DeviceMessage, { timeMs, names, values }: Reading): bigint =>
  hashId(`${device.number}`, Buffer.from(JSON.stringify([timeMs, names, values])))

/**
 * Returns the id of a message that is timed by its arrival. Only its packet identifier distinguishes a repeat from
 * equal values that were measured again. A message without a packet identifier has no repeats and is always new.
 */
export const arrivalId = ({ device, packetId, arrivalKey, payload }: DeviceMessage): bigint =>
  hashId(`${device.number}/${packetId > 0 ? packetId : (arrivalKey ?? uniqueId(payload))}`, payload)

const uniques = new WeakMap<Buffer, string>()

/** The id stays the same for all attempts to store the message: an attempt whose answer was lost may have stored it. */
function uniqueId(payload: Buffer): string {
  const unique = uniques.get(payload) ?? randomUUID()
  uniques.set(payload, unique)
  return unique
}

function hashId(prefix: string, payload: Buffer): bigint {
  const text = Buffer.allocUnsafe(prefix.length + 1 + payload.length)
  text.write(prefix, 'latin1')
  text[prefix.length] = 0
  payload.copy(text, prefix.length + 1)
  // The sign bit is removed, since positive numbers are easier to read.
  return BigInt.asUintN(63, hash('sha256', text, 'buffer').readBigUInt64BE(0))
}
