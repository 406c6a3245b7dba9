/** Text in expressions, with the cost of making, converting and searching it. */
import { MAX_JSON_DEPTH } from '../json-limits.ts'
import { type Budget, charge, chargeText, LogicError } from './budget.ts'

export const MAX_TEXT = 1024 * 1024
/** Formatting a number costs several steps. */
const FORMAT_STEPS = 4

/** Converts like JavaScript, except that null is empty and every object is `[object Object]`. */
export function toText(budget: Budget, value: unknown, depth = 0): string {
  if (typeof value === 'string') return value
  if (Array.isArray(value)) return listToText(budget, value, depth)
  charge(budget, FORMAT_STEPS)
  if (typeof value === 'object' && value !== null) return '[object Object]'
  return value === null || value === undefined ? '' : String(value)
}

function listToText(budget: Budget, list: unknown[], depth: number): string {
  if (depth > MAX_JSON_DEPTH)
    throw new LogicError(`results in text of more than ${MAX_JSON_DEPTH} levels of lists`)
  const parts: string[] = []
  let total = 0
  for (const item of list) {
    const part = toText(budget, item, depth + 1)
    chargeText(budget, 1 + part.length)
    if ((total += 1 + part.length) > MAX_TEXT) throw tooLong()
    parts.push(part)
  }
  return parts.join(',')
}

const tooLong = () => new LogicError(`results in more than ${MAX_TEXT} characters`)

/** V8 links long strings instead of copying them, so only the text that is added to the longest part is charged. */
export function joinTexts(budget: Budget, parts: string[]): string {
  let total = 0
  let longest = 0
  for (const { length } of parts) {
    total += length
    longest = Math.max(longest, length)
  }
  if (total > MAX_TEXT) throw tooLong()
  charge(budget, parts.length)
  chargeText(budget, total - longest)
  let text = ''
  for (const part of parts) text += part
  return text
}

/** @throws LogicError if the value is not a number */
export function toNumber(budget: Budget, value: unknown): number {
  if (typeof value === 'number') return value
  if (typeof value === 'string') chargeText(budget, value.length)
  const number = typeof value === 'object' && value !== null ? Number.NaN : Number(value)
  if (Number.isNaN(number)) throw new LogicError('does not result in a number')
  return number
}

/**
 * Searches with the Knuth-Morris-Pratt algorithm: the built-in search can take time proportional to the product of both
 * lengths, which is seconds for texts that fit into one message.
 */
export function includesText(budget: Budget, text: string, part: string): boolean {
  chargeText(budget, text.length + 2 * part.length)
  if (part.length > text.length) return false
  const borders = findBorders(part)
  let matched = 0
  for (let index = 0; index < text.length && matched < part.length; index++) {
    const character = text.charCodeAt(index)
    while (matched > 0 && part.charCodeAt(matched) !== character) matched = borders[matched - 1]!
    if (part.charCodeAt(matched) === character) matched++
  }
  return matched === part.length
}

/** For each prefix of the text, the length of its longest proper prefix that is also its suffix. */
function findBorders(text: string): Int32Array {
  const borders = new Int32Array(text.length)
  for (let index = 1, border = 0; index < text.length; index++) {
    while (border > 0 && text.charCodeAt(index) !== text.charCodeAt(border)) border = borders[border - 1]!
    if (text.charCodeAt(index) === text.charCodeAt(border)) border++
    borders[index] = border
  }
  return borders
}

/** @param length absent: up to the end; negative: without that many characters at the end */
export function sliceText(budget: Budget, text: string, start: number, length?: number): string {
  const from = Math.min(start < 0 ? Math.max(0, text.length + start) : start, text.length)
  const to = length === undefined ? text.length : length < 0 ? text.length + length : from + length
  chargeText(budget, text.length)
  const part = text.slice(from, Math.max(from, to))
  // A slice would keep the whole text in memory, possibly for long as the last value of a signal.
  return Buffer.from(part, 'utf16le').toString('utf16le')
}
