/** JSON that parses is not yet JSON that can be stored: it may be too deep, or hold text that PostgreSQL refuses. */

export const MAX_JSON_DEPTH = 64

/** Whether objects and arrays nest deeper than `maxDepth`. It recurses no deeper, so that no depth overflows the stack. */
export function isTooDeep(value: unknown, maxDepth = MAX_JSON_DEPTH): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (maxDepth < 0) return true
  // Loops over the keys or places alone: lists of the values would cost more than the look at them.
  if (Array.isArray(value)) {
    for (const child of value) if (isTooDeep(child, maxDepth - 1)) return true
    return false
  }
  for (const key in value) if (isTooDeep((value as Record<string, unknown>)[key], maxDepth - 1)) return true
  return false
}

const [QUOTE, BACKSLASH] = [0x22, 0x5c]
const [OPENING, CLOSING] = [new Set([0x5b, 0x7b]), new Set([0x5d, 0x7d])]

/**
 * The same for JSON text ahead of its parsing, which takes V8 a hundred times as long as this where a megabyte nests
 * half a million levels deep. Of text that is no JSON it may say either.
 */
export function isTextTooDeep(json: Buffer, maxDepth: number): boolean {
  let depth = 0
  for (let place = 0; place < json.length; place++) {
    const byte = json[place]!
    if (byte === QUOTE) place = endOfString(json, place)
    else if (byte < 0x5b) continue
    else if (OPENING.has(byte) && ++depth > maxDepth) return true
    else if (CLOSING.has(byte)) depth--
  }
  return false
}

/** @returns the place of its closing quote, or the end of what has none */
function endOfString(json: Buffer, from: number): number {
  for (let place = from + 1; place < json.length; place++) {
    const byte = json[place]!
    if (byte === QUOTE) return place
    if (byte === BACKSLASH) place++
  }
  return json.length
}

/** Text with NUL or a lone surrogate: legal in JSON, refused by PostgreSQL. */
export const isUnstorableText = (text: string): boolean => text.includes('\u0000') || !text.isWellFormed()

/** Ends a message that begins with the place. */
export const UNSTORABLE_TEXT = 'a NUL character or a lone surrogate, which cannot be stored'

/** The same for a whole JSON value, keys included. The value must not be too deep. */
export const holdsUnstorableText = (value: unknown): boolean => findUnstorableText(value) !== undefined

export interface UnstorableText {
  /** Keys and indices from the value down to the text, or to the object that has such a key. */
  path: string[]
  isKey: boolean
}

/** @param value must not be too deep @returns where the first such text is */
export function findUnstorableText(value: unknown): UnstorableText | undefined {
  if (typeof value === 'string') return isUnstorableText(value) ? { path: [], isKey: false } : undefined
  if (typeof value !== 'object' || value === null) return undefined
  if (Array.isArray(value)) return findInList(value)
  for (const key of Object.keys(value)) {
    if (isUnstorableText(key)) return { path: [], isKey: true }
    const found = findUnstorableText((value as Record<string, unknown>)[key])
    if (found) return { ...found, path: [key, ...found.path] }
  }
  return undefined
}

/** Without the keys of the list: making them takes longer than the search. */
function findInList(list: unknown[]): UnstorableText | undefined {
  for (let index = 0; index < list.length; index++) {
    const found = findUnstorableText(list[index])
    if (found) return { ...found, path: [String(index), ...found.path] }
  }
  return undefined
}
