/** Parses a payload that must be one JSON object, and checks that its values can be stored. */
import { isUtf8 } from 'node:buffer'
import { findExcess, isUnstorableText, MAX_JSON_DEPTH, UNSTORABLE_TEXT } from '../lib/json-limits.ts'
import { tooManySignals } from './signal-limit.ts'
import { UnreadableError } from './unreadable.ts'

export const MAX_NAME_LENGTH = 256

/** Text up to this size parses quickly however deep it nests. */
const QUICK_BYTES = 64 * 1024
/**
 * Payloads that nest deeper are refused without parsing. Up to this depth they are parsed, so that the error can name
 * the signal.
 */
const MAX_PARSED_DEPTH = 1000
/**
 * Lists, objects and keys of a payload: parsing more of them would hold the event loop for too long. A message of 10,000
 * records with five fields each has fewer.
 */
const MAX_PARTS = 64_000
/**
 * Maximum number of distinct keys of a payload. A distinct key costs several times as much as a repeated one, from
 * parsing to storing.
 */
const MAX_KEYS = 16_000

/**
 * @param maxOuterKeys more keys of the object itself are refused without parsing, as `too_many_signals`
 * @throws UnreadableError
 */
export function parseJsonObject(payload: Buffer, maxOuterKeys = Infinity): Record<string, unknown> {
  const value = parseJson(payload, maxOuterKeys)
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new UnreadableError('not_an_object', 'The payload must be one JSON object: {"name": value, …}.')
  return value as Record<string, unknown>
}

/** @throws UnreadableError */
export function parseJson(payload: Buffer, maxOuterKeys = Infinity): unknown {
  if (!isUtf8(payload)) throw new UnreadableError('not_json', 'The payload is not UTF-8 text.')
  if (payload.length > QUICK_BYTES) checkText(payload, maxOuterKeys)
  try {
    return JSON.parse(payload.toString())
  } catch (error) {
    throw new UnreadableError('not_json', `The payload is not JSON: ${printable((error as Error).message)}.`)
  }
}

function checkText(payload: Buffer, maxOuterKeys: number): void {
  const excess = findExcess(payload, {
    maxDepth: MAX_PARSED_DEPTH,
    maxParts: MAX_PARTS,
    maxKeys: MAX_KEYS,
    maxOuterKeys,
  })
  if (excess === 'maxDepth')
    throw new UnreadableError('bad_value', `The payload nests deeper than ${MAX_JSON_DEPTH} levels.`)
  if (excess === 'maxParts') throw tooManyParts()
  if (excess === 'maxKeys')
    throw new UnreadableError(
      'too_much_work',
      `The payload holds more than ${MAX_KEYS} different keys. Divide it.`,
    )
  if (excess === 'maxOuterKeys') throw tooManySignals()
}

export const tooManyParts = (most = MAX_PARTS) =>
  new UnreadableError(
    'too_much_work',
    `The payload holds more than ${most} lists, objects and keys. Divide it.`,
  )

/** Cleans text from a device for messages, since it may contain characters that PostgreSQL refuses. */
export const printable = (text: string, maxLength = 200) =>
  text
    .slice(0, maxLength)
    // Runs after the cut, which may split a surrogate pair.
    .toWellFormed()
    .replaceAll(/\p{Cc}/gu, ' ')

/** @throws UnreadableError for a name that no series or property can have */
export function checkName(name: string): void {
  if (name.length === 0 || name.length > MAX_NAME_LENGTH)
    throw new UnreadableError(
      'bad_name',
      `A name has 1 to ${MAX_NAME_LENGTH} characters, not ${name.length}.`,
    )
  if (isUnstorableText(name))
    throw new UnreadableError('bad_name', `The name ${printable(name)} holds ${UNSTORABLE_TEXT}.`)
}

/** @throws UnreadableError for a value that would be read back differently, or could not be stored at all */
export function checkValue(name: string, value: unknown): void {
  const found = findProblem(value, MAX_JSON_DEPTH)
  if (!found) return
  const place = found.isPlaceNamed ? printable([name, ...found.path].join('.')) : name
  throw new UnreadableError('bad_value', `${place} ${found.text}.`)
}

interface Problem {
  /** Keys and indices that lead to it. */
  path: string[]
  text: string
  /** Whether the message names its place, and not only the name of the value. */
  isPlaceNamed: boolean
}

/** One walk for all checks, since a value may have a hundred thousand parts. */
function findProblem(value: unknown, depth: number): Problem | undefined {
  if (typeof value === 'string') return isUnstorableText(value) ? textProblem('holds') : undefined
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : tooLarge()
  if (typeof value !== 'object' || value === null) return undefined
  if (depth < 0) return tooDeep()
  return Array.isArray(value)
    ? findInList(value, depth)
    : findInObject(value as Record<string, unknown>, depth)
}

/** Plain loops: a list of the keys of a list would cost more than checking its values. */
function findInList(list: unknown[], depth: number): Problem | undefined {
  for (let index = 0; index < list.length; index++) {
    const found = findProblem(list[index], depth - 1)
    if (found) return { ...found, path: [String(index), ...found.path] }
  }
  return undefined
}

function findInObject(value: Record<string, unknown>, depth: number): Problem | undefined {
  for (const key in value) {
    if (isUnstorableText(key)) return textProblem('has a key with')
    const found = findProblem(value[key], depth - 1)
    if (found) return { ...found, path: [key, ...found.path] }
  }
  return undefined
}

const textProblem = (verb: string): Problem => ({
  path: [],
  text: `${verb} ${UNSTORABLE_TEXT}`,
  isPlaceNamed: true,
})
const tooLarge = (): Problem => ({
  path: [],
  text: 'has a number that is too large for a double',
  isPlaceNamed: false,
})
const tooDeep = (): Problem => ({
  path: [],
  text: `nests deeper than ${MAX_JSON_DEPTH} levels`,
  isPlaceNamed: false,
})
