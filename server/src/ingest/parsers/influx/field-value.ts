/** Parses unquoted field values of line protocol: float, integer `1i`, unsigned `1u`, boolean. */
import { lineError, type LineReader } from './line-reader.ts'

const booleans = new Map([
  ...['t', 'T', 'true', 'True', 'TRUE'].map((text) => [text, true] as const),
  ...['f', 'F', 'false', 'False', 'FALSE'].map((text) => [text, false] as const),
])

/** @throws UnreadableError */
export function parseFieldValue(text: string, reader: LineReader): number | boolean {
  const boolean = booleans.get(text)
  if (boolean !== undefined) return boolean
  if (/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text)) return Number(text)
  const integer = /^(-?)0*(\d{1,20})([iu])$/.exec(text)
  if (!integer)
    throw lineError(reader, 'bad_format', `the field value ${text.slice(0, 40)} is of no known type`)
  const [, sign, digits, type] = integer as unknown as [string, string, string, 'i' | 'u']
  const value = BigInt(sign + digits)
  const fits = type === 'i' ? BigInt.asIntN(64, value) === value : BigInt.asUintN(64, value) === value
  if (!fits) throw lineError(reader, 'bad_value', `${text} does not fit 64 bits`)
  return Number(value)
}
