/** From payloads to what can be stored. A message goes in as a whole, or becomes a dead letter as a whole. */
import type { SeriesKey } from '../timeseries/series.ts'
import { type DeadLetter, deadLetterOf } from './dead-letters/store.ts'
import { checkName, checkValue } from './json-object.ts'
import type { DeviceMessage } from './message.ts'
import { idOfContent, idOfPacket } from './message-id.ts'
import type { Reading } from './parsers/parser.ts'
import { parseJson } from './parsers/json.ts'
import { UnreadableError } from './unreadable.ts'

const MAX_SIGNALS = 10_000

export interface Sample {
  key: SeriesKey
  value: unknown
}

/** The samples of one message at one time. */
export interface Measurement {
  message: DeviceMessage
  timeMs: number
  messageId: string
  /** Timed by its arrival, so that a repeat has another time and the unique key does not see it. */
  isTimedByArrival: boolean
  samples: Sample[]
}

export interface ReadMessages<T> {
  read: T[]
  deadLetters: DeadLetter[]
}

/** @param readOne throws UnreadableError */
export function readEach<T>(messages: DeviceMessage[], readOne: (message: DeviceMessage) => T): ReadMessages<T> {
  const result: ReadMessages<T> = { read: [], deadLetters: [] }
  for (const message of messages) {
    try {
      result.read.push(readOne(message))
    } catch (error) {
      if (!(error instanceof UnreadableError)) throw error
      result.deadLetters.push(deadLetterOf(message, error))
    }
  }
  return result
}

/** @throws UnreadableError */
export const readTelemetry = (message: DeviceMessage): Measurement[] =>
  parseJson(message.payload).map((reading) => measurementOf(message, reading))

function measurementOf(message: DeviceMessage, { timeMs, signals }: Reading): Measurement {
  if (signals.length > MAX_SIGNALS)
    throw new UnreadableError('too_many_signals', `A message carries up to ${MAX_SIGNALS} signals, not ${signals.length}.`)
  const isTimedByArrival = timeMs === undefined
  return {
    message,
    timeMs: timeMs ?? message.receivedAtMs,
    messageId: isTimedByArrival ? idOfPacket(message) : idOfContent(message),
    isTimedByArrival,
    samples: samplesOf(message, signals),
  }
}

/** A null stands for "nothing measured": there is no value to store. */
function samplesOf({ device }: DeviceMessage, signals: [string, unknown][]): Sample[] {
  const samples: Sample[] = []
  for (const [name, value] of signals) {
    checkName(name)
    checkValue(name, value)
    if (value !== null) samples.push({ key: seriesKey(device, name, 'telemetry'), value })
  }
  return samples
}

export const seriesKey = (device: DeviceMessage['device'], name: string, type: SeriesKey['type']): SeriesKey => ({
  tenantNumber: device.tenantNumber,
  ownerType: 'client',
  ownerId: device.id,
  componentId: '',
  name,
  type,
})
