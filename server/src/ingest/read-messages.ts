/** Parses payloads to measurements. A message is stored as a whole, or becomes a dead letter as a whole. */
import { type Budget, newBudget } from '../lib/json-logic/budget.ts'
import type { Turn } from '../lib/take-turns.ts'
import { createDeadLetter } from './dead-letters/store.ts'
import type { DeadLetter, DeviceMessage } from './message.ts'
import { contentId, arrivalId, readingId } from './message-id.ts'
import type { Reading } from './parsers/parser.ts'
import { readPayloadInTurns } from './read-payload.ts'
import { UnreadableError } from './unreadable.ts'

/** The values of a message that were measured at one time. */
export interface Measurement {
  message: DeviceMessage
  timeMs: number
  messageId: bigint
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
  readOne: (message: DeviceMessage, turn: Turn) => T | Promise<T>,
  turn: Turn,
): Promise<ReadMessages<T>> {
  const result: ReadMessages<T> = { read: [], deadLetters: [] }
  for (const message of messages) {
    const rest = turn()
    if (rest) await rest
    try {
      result.read.push(await readOne(message, turn))
    } catch (error) {
      if (!(error instanceof UnreadableError)) throw error
      result.deadLetters.push(createDeadLetter(message, error))
    }
  }
  return result
}

/** @throws UnreadableError */
export async function readTelemetry(message: DeviceMessage, turn: Turn): Promise<Measurement[]> {
  const readings = await readPayloadInTurns(message.device.parse, message.payload, turn)
  const shared = { message, isOnly: readings.length === 1, budget: newBudget() }
  const measurements: Measurement[] = []
  for (const reading of readings) {
    const rest = turn()
    if (rest) await rest
    measurements.push(createMeasurement(shared, reading))
  }
  return measurements
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
