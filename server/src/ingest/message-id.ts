/**
 * The identity of a message: 63 bits that a repeat of it has again, in this process or the next one. It keeps QoS 1
 * repeats out, and keeps two messages with one timestamp apart. [docs/telemetry#repeats]
 */
import { hash, randomUUID } from 'node:crypto'
import type { DeviceMessage } from './message.ts'
import type { Reading } from './parsers/parser.ts'

/**
 * A message with a time of its own is the same whenever its content is, whatever packet brought it.
 * @returns a bigint as text, as PostgreSQL takes it
 */
export const contentId = ({ device, payload }: DeviceMessage): string => hashId(`${device.number}`, payload)

/**
 * One of several readings in a message, with a time of its own, is the same whichever message brings it: a meter sends
 * the last hour's gas with every telegram until there is another.
 */
export const readingId = ({ device }: DeviceMessage, { timeMs, names, values }: Reading): string =>
  hashId(`${device.number}`, Buffer.from(JSON.stringify([timeMs, names, values])))

/**
 * A message that is timed by its arrival: only the packet that brought it tells a repeat from the same values measured
 * again. Without a packet identifier there are no repeats, so that each is a message of its own.
 */
export const arrivalId = ({ device, packetId, payload }: DeviceMessage): string =>
  hashId(`${device.number}/${packetId > 0 ? packetId : uniqueId(payload)}`, payload)

const uniques = new WeakMap<Buffer, string>()

/** One for all tries to store the message: one whose answer was lost may have stored it. */
function uniqueId(payload: Buffer): string {
  const unique = uniques.get(payload) ?? randomUUID()
  uniques.set(payload, unique)
  return unique
}

function hashId(prefix: string, payload: Buffer): string {
  const text = Buffer.allocUnsafe(prefix.length + 1 + payload.length)
  text.write(prefix, 'latin1')
  text[prefix.length] = 0
  payload.copy(text, prefix.length + 1)
  // The sign is taken off: a positive number reads better where somebody looks for it.
  return BigInt.asUintN(63, hash('sha256', text, 'buffer').readBigUInt64BE(0)).toString()
}
