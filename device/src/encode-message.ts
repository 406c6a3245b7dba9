import { DeviceError } from './device-error.ts'

// [docs/mqtt#limits]. Counted as the strictest reader of "1 MB per message" would: a million bytes for the
// whole packet. A broker closes the connection over a message that is too large, and it would be sent again for ever.
const MAX_PACKET_BYTES = 1_000_000
// Fixed header with the longest remaining length, length of the topic, packet id.
const PACKET_OVERHEAD_BYTES = 9

/**
 * The bytes of a JSON message for `topic`.
 * Throws DeviceError `invalid_message` (no JSON) or `message_too_large` (over 1,000,000 bytes with topic and header).
 */
export function encodeMessage(topic: string, message: object): Buffer {
  const payload = Buffer.from(stringify(message))
  const bytes = payload.length + Buffer.byteLength(topic) + PACKET_OVERHEAD_BYTES
  if (bytes <= MAX_PACKET_BYTES) return payload
  throw new DeviceError(
    'message_too_large',
    `the message for ${topic} is ${bytes} bytes and the limit is ${MAX_PACKET_BYTES}; split it`,
  )
}

function stringify(message: object): string {
  try {
    return JSON.stringify(message)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new DeviceError('invalid_message', `the message cannot be written as JSON: ${reason}`, {
      cause: error,
    })
  }
}
