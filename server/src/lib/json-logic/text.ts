/** Text in expressions: what it costs to make, to read as a number and to search. */
import { MAX_JSON_DEPTH } from '../json-limits.ts'
import { type Budget, charge, chargeText, LogicError } from './budget.ts'

const MAX_TEXT = 1024 * 1024
/** Formatting a number takes longer than most. */
const FORMAT_STEPS = 4

/** As JavaScript converts it, but null is empty and an object of any kind is `[object Object]`. */
export function toText(budget: Budget, value: unknown, depth = 0): string {
  if (typeof value === 'string') return value
  if (Array.isArray(value)) return textOfList(budget, value, depth)
  charge(budget, FORMAT_STEPS)
  if (typeof value === 'object' && value !== null) return '[object Object]'
  return value === null || value === undefined ? '' : String(value)
}

function textOfList(budget: Budget, list: unknown[], depth: number): string {
  if (depth > MAX_JSON_DEPTH)
    throw new LogicError(`makes text of more than ${MAX_JSON_DEPTH} levels of lists`)
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

const tooLong = () => new LogicError(`comes to more than ${MAX_TEXT} characters`)

/** The engine links long texts instead of copying them, so that only what is added to the longest one costs something. */
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

/** @throws LogicError where it is none */
export function toNumber(budget: Budget, value: unknown): number {
  if (typeof value === 'number') return value
  if (typeof value === 'string') chargeText(budget, value.length)
  const number = typeof value === 'object' && value !== null ? Number.NaN : Number(value)
  if (Number.isNaN(number)) throw new LogicError('comes to no number')
  return number
}

/**
 * By Knuth, Morris and Pratt: the language's own search takes the product of both lengths for some texts, and seconds
 * for what fits into one message.
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

/** For each beginning of the text, how long the longest shorter one is that it also ends with. */
function findBorders(text: string): Int32Array {
  const borders = new Int32Array(text.length)
  for (let index = 1, border = 0; index < text.length; index++) {
    while (border > 0 && text.charCodeAt(index) !== text.charCodeAt(border)) border = borders[border - 1]!
    if (text.charCodeAt(index) === text.charCodeAt(border)) border++
    borders[index] = border
  }
  return borders
}

/** @param length up to the end where it is absent; negative: without so many characters at the end */
export function partOfText(budget: Budget, text: string, start: number, length?: number): string {
  const from = Math.min(start < 0 ? Math.max(0, text.length + start) : start, text.length)
  const to = length === undefined ? text.length : length < 0 ? text.length + length : from + length
  chargeText(budget, text.length)
  const part = text.slice(from, Math.max(from, to))
  // A slice keeps the whole text in memory for as long as it lives, which may be the last known value of a signal.
  return Buffer.from(part, 'utf16le').toString('utf16le')
}
