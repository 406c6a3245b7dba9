/** The value in the brackets of a data set: a number with its unit, a plain number, or text. */
export interface MeterValue {
  /** null where the brackets are empty. */
  value: number | string | null
  unit?: string
}

const withUnit = /^([+-]?\d{1,32}(?:\.\d{1,32})?)\*([^*]{1,16})$/
const plain = /^[+-]?\d{1,15}(?:\.\d{1,15})?$/
/**
 * Codes of identities, statuses and messages (0, 96.1, 96.13, letters) have text values: leading zeros count, and not
 * all characters are digits.
 */
const textCodes = /^(?:\d+-\d+:)?(?:0|96\.1|96\.13|[A-Z]+)(?:\.|$)/

export function meterValue(code: string, text: string): MeterValue {
  const [, number, unit] = withUnit.exec(text) ?? []
  if (unit !== undefined) return { value: Number(number), unit }
  if (plain.test(text) && !textCodes.test(code)) return { value: Number(text) }
  return { value: text.trim() || null }
}
