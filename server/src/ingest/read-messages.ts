/** From payloads to what can be stored. A message goes in as a whole, or becomes a dead letter as a whole. */
import { type Budget, newBudget } from '../lib/json-logic/budget.ts'
import { takeTurns } from '../lib/take-turns.ts'
import { createDeadLetter } from './dead-letters/store.ts'
import type { DeadLetter, DeviceMessage } from './message.ts'
import { contentId, arrivalId, readingId } from './message-id.ts'
import type { Reading } from './parsers/parser.ts'
import { readPayload } from './read-payload.ts'
import { UnreadableError } from './unreadable.ts'

/** What a message says was measured at one time. */
export interface Measurement {
  message: DeviceMessage
  timeMs: number
  messageId: string
  names: string[]
  /** One a name. A null stands for "nothing measured". */
  values: unknown[]
  /** Timed by its arrival, so that a repeat has another time and the unique key does not see it. */
  isTimedByArrival: boolean
  /** Of work, for all that comes of the message: its other measurements share it. */
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
