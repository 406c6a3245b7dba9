/** Parses a payload to readings of which every value can be stored, or throws the first reason why it cannot be. */
import type { Turn } from '../lib/take-turns.ts'
import { checkName, checkValue } from './json-object.ts'
import { MAX_SIGNALS, tooManySignals } from './parsers/collect-readings.ts'
import type { Parser, Reading } from './parsers/parser.ts'

/** @throws UnreadableError */
export function readPayload(parse: Parser, payload: Buffer): Reading[] {
  const readings = parse(payload)
  checkReadings(readings)
  return readings
}

/** Divides the work of a large payload. @throws UnreadableError */
export async function readPayloadInTurns(parse: Parser, payload: Buffer, turn: Turn): Promise<Reading[]> {
  const readings = parse(payload)
  await turn()
  checkReadings(readings)
  await turn()
  return readings
}

function checkReadings(readings: Reading[]): void {
  let count = 0
  for (const { names, values } of readings) {
    count += names.length
    if (count > MAX_SIGNALS) throw tooManySignals()
    for (let index = 0; index < names.length; index++) {
      checkName(names[index]!)
      checkValue(names[index]!, values[index])
    }
  }
}
