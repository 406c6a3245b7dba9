/** Parses a payload to readings of which every value can be stored, or throws the first reason why it cannot be. */
import type { Turn } from '../lib/take-turns.ts'
import { checkName, checkValue } from './json-object.ts'
import type { Parser, Reading, ReadingInPieces } from './parsers/parser.ts'
import { MAX_SIGNALS, tooManySignals } from './signal-limit.ts'

/** @throws UnreadableError */
export function readPayload(parse: Parser, payload: Buffer): Reading[] {
  const readings = finishReading(parse(payload))
  let count = 0
  for (const reading of readings) count = checkReading(reading, count)
  return readings
}

export function finishReading(parsed: Reading[] | ReadingInPieces): Reading[] {
  if (Array.isArray(parsed)) return parsed
  for (;;) {
    const { done, value } = parsed.next()
    if (done) return value
  }
}

/** Divides the work of a large payload. @throws UnreadableError */
export async function readPayloadInTurns(parse: Parser, payload: Buffer, turn: Turn): Promise<Reading[]> {
  const readings = await finishInTurns(parse(payload), turn)
  let count = 0
  for (const reading of readings) {
    const rest = turn()
    if (rest) await rest
    count = checkReading(reading, count)
  }
  const rest = turn()
  if (rest) await rest
  return readings
}

async function finishInTurns(parsed: Reading[] | ReadingInPieces, turn: Turn): Promise<Reading[]> {
  if (Array.isArray(parsed)) return parsed
  for (;;) {
    const { done, value } = parsed.next()
    if (done) return value
    const rest = turn()
    if (rest) await rest
  }
}

/** @returns the number of signals up to this reading */
function checkReading({ names, values }: Reading, countBefore: number): number {
  const count = countBefore + names.length
  if (count > MAX_SIGNALS) throw tooManySignals()
  for (let index = 0; index < names.length; index++) {
    checkName(names[index]!)
    checkValue(names[index]!, values[index])
  }
  return count
}
