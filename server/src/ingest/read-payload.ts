/** Parses a payload to readings of which every value can be stored, or throws the first reason why it cannot be. */
import { checkName, checkValue } from './json-object.ts'
import { MAX_SIGNALS, tooManySignals } from './parsers/collect-readings.ts'
import type { Parser, Reading } from './parsers/parser.ts'

/** @throws UnreadableError */
export function readPayload(parse: Parser, payload: Buffer): Reading[] {
  const readings = parse(payload)
  let count = 0
  for (const { names, values } of readings) {
    count += names.length
    if (count > MAX_SIGNALS) throw tooManySignals()
    for (let index = 0; index < names.length; index++) {
      checkName(names[index]!)
      checkValue(names[index]!, values[index])
    }
  }
  return readings
}
