import { DeviceError } from './device-error.ts'
import { encodeMessage } from './encode-message.ts'
import type { JsonObject } from './json.ts'
import { isJsonObject } from './json.ts'

/** Signal name to value. [docs/mqtt#telemetry]: number, boolean, string, object, array. Undefined ones are left out. */
export type Signals = Record<string, number | boolean | string | object | undefined>

export interface TelemetryOptions {
  /** Time of measurement. Default: now, by the device's clock. With null the time of receipt counts. */
  timestamp?: Date | string | null
}

/**
 * The telemetry message for `signals`, with the measurement time to the millisecond.
 *
 * Every message has a timestamp: a message whose acknowledgement was lost is sent twice, and the platform recognizes the
 * duplicate by its time.
 *
 * Throws DeviceError `invalid_message` or `message_too_large`.
 */
export function encodeTelemetry(
  topic: string,
  signals: Signals,
  options: TelemetryOptions,
  nowMs: number,
): Buffer {
  if (!isJsonObject(signals))
    throw new DeviceError('invalid_message', 'telemetry is an object of signal names')
  const { timestamp: ownTimestamp, ...values } = signals
  const message: JsonObject = {}
  for (const [name, value] of Object.entries(values)) {
    if (value !== undefined) message[name] = checkedValue(name, value)
  }
  if (Object.keys(message).length === 0) throw new DeviceError('invalid_message', 'telemetry holds no signal')
  const timestamp = options.timestamp === undefined ? (ownTimestamp ?? new Date(nowMs)) : options.timestamp
  if (timestamp !== null) message.timestamp = isoTime(timestamp)
  return encodeMessage(topic, message)
}

/** JSON would silently turn NaN and infinities into null. */
function checkedValue(name: string, value: unknown): unknown {
  if (Number.isFinite(value) || typeof value === 'boolean' || typeof value === 'string') return value
  if (typeof value === 'object' && value !== null) return value
  const shown = typeof value === 'number' || value === null ? String(value) : typeof value
  throw new DeviceError(
    'invalid_message',
    `signal ${JSON.stringify(name)} must be a finite number, boolean, string, object or array, not ${shown}`,
  )
}

function isoTime(timestamp: unknown): string {
  const time =
    timestamp instanceof Date ? timestamp : new Date(typeof timestamp === 'string' ? timestamp : NaN)
  if (!Number.isNaN(time.getTime())) return time.toISOString()
  throw new DeviceError('invalid_message', 'timestamp must be a Date or an ISO 8601 string')
}
