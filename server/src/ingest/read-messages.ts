/** From payloads to what can be stored. A message goes in as a whole, or becomes a dead letter as a whole. */
import type { SeriesType } from '../timeseries/series.ts'
import { type DeadLetter, deadLetterOf } from './dead-letters/store.ts'
import { checkName, checkValue } from './json-object.ts'
import type { Device, DeviceMessage } from './message.ts'
import { idOfContent, idOfPacket } from './message-id.ts'
import type { Reading } from './parsers/parser.ts'
import { parseJson } from './parsers/json.ts'
import { UnreadableError } from './unreadable.ts'

const MAX_SIGNALS = 10_000

/** What is stored of one message at one time. */
export interface Samples {
  device: Device
  type: SeriesType
  timeMs: number
  messageId: string
  names: string[]
  /** One a name. A null stands for "nothing measured": there is no value to store. */
  values: unknown[]
}

export interface Measurement extends Samples {
  message: DeviceMessage
  /** Timed by its arrival, so that a repeat has another time and the unique key does not see it. */
  isTimedByArrival: boolean
}

export interface ReadMessages<T> {
  read: T[]
  deadLetters: DeadLetter[]
}

/** @param readOne throws UnreadableError */
export function readEach<T>(
  messages: DeviceMessage[],
  readOne: (message: DeviceMessage) => T,
): ReadMessages<T> {
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

function measurementOf(message: DeviceMessage, { timeMs, names, values }: Reading): Measurement {
  if (names.length > MAX_SIGNALS)
    throw new UnreadableError(
      'too_many_signals',
      `A message carries up to ${MAX_SIGNALS} signals, not ${names.length}.`,
    )
  for (let index = 0; index < names.length; index++) {
    checkName(names[index]!)
    checkValue(names[index]!, values[index])
  }
  const isTimedByArrival = timeMs === undefined
  return {
    message,
    device: message.device,
    type: 'telemetry',
    timeMs: timeMs ?? message.receivedAtMs,
    messageId: isTimedByArrival ? idOfPacket(message) : idOfContent(message),
    isTimedByArrival,
    names,
    values,
  }
}
