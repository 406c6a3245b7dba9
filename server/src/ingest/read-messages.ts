/** Parses payloads to measurements. A message is stored as a whole, or becomes a dead letter as a whole. */
import { type Budget, newBudget } from '../lib/json-logic/budget.ts'
import { takeTurns } from '../lib/take-turns.ts'
import { createDeadLetter } from './dead-letters/store.ts'
import type { DeadLetter, DeviceMessage } from './message.ts'
import { contentId, arrivalId, readingId } from './message-id.ts'
import type { Reading } from './parsers/parser.ts'
import { readPayload } from './read-payload.ts'
import { UnreadableError } from './unreadable.ts'

/** The values of a message that were measured at one time. */
export interface Measurement {
  message: DeviceMessage
  timeMs: number
  messageId: string
  names: string[]
  /** One value for each name. Null stands for "nothing measured". */
  values: unknown[]
  /** The message is timed by its arrival, so a repeat has another time and the unique key does not detect it. */
  isTimedByArrival: boolean
  /** Budget of work for all results of the message; its other measurements share it. */
  budget: Budget
}

export interface ReadMessages<T> {
  read: T[]
  deadLetters: DeadLetter[]
}

/** @param readOne throws UnreadableError */
export async function readMessages<T>(
  messages: DeviceMessage[],
  readOne: (message: DeviceMessage) => T,
): Promise<ReadMessages<T>> {
  const result: ReadMessages<T> = { read: [], deadLetters: [] }
  const turn = takeTurns()
  for (const message of messages) {
    const rest = turn()
    if (rest) await rest
    try {
      result.read.push(readOne(message))
    } catch (error) {
      if (!(error instanceof UnreadableError)) throw error
      result.deadLetters.push(createDeadLetter(message, error))
    }
  }
  return result
}

/** @throws UnreadableError */
export function readTelemetry(message: DeviceMessage): Measurement[] {
  const readings = readPayload(message.device.parse, message.payload)
  const shared = { message, isOnly: readings.length === 1, budget: newBudget() }
  return readings.map((reading) => createMeasurement(shared, reading))
}

interface Shared {
  message: DeviceMessage
  isOnly: boolean
  budget: Budget
}

function createMeasurement({ message, isOnly, budget }: Shared, reading: Reading): Measurement {
  const { timeMs, ageMs = 0, names, values } = reading
  const isTimedByArrival = timeMs === undefined
  return {
    message,
    timeMs: timeMs ?? message.receivedAtMs - ageMs,
    messageId: isTimedByArrival
      ? arrivalId(message)
      : isOnly
        ? contentId(message)
        : readingId(message, reading),
    isTimedByArrival,
    names,
    values,
    budget,
  }
}
