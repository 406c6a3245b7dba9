/** Limits of JSON that can be stored: its depth, and text that PostgreSQL refuses. */

export const MAX_JSON_DEPTH = 64

/** Whether objects and arrays nest deeper than `maxDepth`. The recursion stops there, so that it cannot overflow the stack. */
export function isTooDeep(value: unknown, maxDepth = MAX_JSON_DEPTH): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (maxDepth < 0) return true
  // Plain loops: lists of the values would cost more than checking them.
  if (Array.isArray(value)) {
    for (const child of value) if (isTooDeep(child, maxDepth - 1)) return true
    return false
  }
  for (const key in value) if (isTooDeep((value as Record<string, unknown>)[key], maxDepth - 1)) return true
  return false
}

const [QUOTE, COLON, BACKSLASH] = [0x22, 0x3a, 0x5c]
const [OPENING, CLOSING] = [new Set([0x5b, 0x7b]), new Set([0x5d, 0x7d])]

export interface TextLimits {
  maxDepth: number
  /** Lists, objects and keys together. */
  maxParts: number
  /** Maximum number of distinct keys at all levels together. */
  maxKeys: number
  /** Maximum number of distinct keys of the outermost object. */
  maxOuterKeys: number
}

/**
 * Checks JSON text before it is parsed: a megabyte that nests half a million levels deep, or that consists of very many
 * small objects or different keys, takes V8 up to a hundred times longer than one of numbers. For text that is not JSON
 * the result is undefined.
 * @returns the first limit that the text exceeds; keys are counted slightly too low
 */
export function findExcess(json: Buffer, limits: TextLimits): keyof TextLimits | undefined {
  const { maxDepth, maxParts, maxKeys, maxOuterKeys } = limits
  const isNew = createKeyFilter(json)
  let depth = 0
  let parts = 0
  let keys = 0
  let outerKeys = 0
  let [start, end] = [0, 0]
  for (let place = 0; place < json.length; place++) {
    const byte = json[place]!
    if (byte === QUOTE) {
      start = place
      place = end = findEndOfString(json, place)
    } else if (byte < COLON) continue
    else if (byte === COLON) {
      parts++
      if (isNew(start, end)) {
        if (depth === 1 && ++outerKeys > maxOuterKeys) return 'maxOuterKeys'
        if (++keys > maxKeys) return 'maxKeys'
      }
      // Text that is not JSON may have many colons after one long string.
      start = end
    } else if (OPENING.has(byte)) {
      parts++
      if (++depth > maxDepth) return 'maxDepth'
    } else if (CLOSING.has(byte)) depth--
    if (parts > maxParts) return 'maxParts'
  }
  return undefined
}

/** A multiple of the maximum number of keys in a message, so that hash collisions are rare. */
const FILTER_SIZE = 2 ** 18

/** @returns a function that tells whether a key is new; because of hash collisions it misses a few new keys */
function createKeyFilter(json: Buffer): (start: number, end: number) => boolean {
  const seen = new Uint8Array(FILTER_SIZE)
  // A random factor, so that senders cannot choose keys that collide.
  const factor = (Math.random() * 2 ** 31) | 1
  return (start, end) => {
    let sum = 0
    for (let place = start; place < end; place++) sum = (Math.imul(sum, factor) + json[place]!) | 0
    const index = (sum ^ (sum >>> 15)) & (FILTER_SIZE - 1)
    if (seen[index] === 1) return false
    seen[index] = 1
    return true
  }
}

/** @returns the index of the closing quote, or the length of the text without one */
function findEndOfString(json: Buffer, from: number): number {
  for (let place = from + 1; place < json.length; place++) {
    const byte = json[place]!
    if (byte === QUOTE) return place
    if (byte === BACKSLASH) place++
  }
  return json.length
}

/** Text with NUL or a lone surrogate: legal in JSON, refused by PostgreSQL. */
export const isUnstorableText = (text: string): boolean => text.includes('\u0000') || !text.isWellFormed()

/** Ends an error message that begins with the path. */
export const UNSTORABLE_TEXT = 'a NUL character or a lone surrogate, which cannot be stored'

/** The same for a whole JSON value with its keys. The value must not be too deep. */
export const holdsUnstorableText = (value: unknown): boolean => findUnstorableText(value) !== undefined

export interface UnstorableText {
  /** Keys and indices that lead to the text, or to the object with such a key. */
  path: string[]
  isKey: boolean
}

/** @param value must not be too deep @returns the location of the first such text */
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

/** Lists have an own loop: making their keys takes longer than the search. */
function findInList(list: unknown[]): UnstorableText | undefined {
  for (let index = 0; index < list.length; index++) {
    const found = findUnstorableText(list[index])
    if (found) return { ...found, path: [String(index), ...found.path] }
  }
  return undefined
}
