/** Parses a payload that must be one JSON object, and checks that its values can be stored. */
import { isUtf8 } from 'node:buffer'
import {
  findUnstorableText,
  isTextTooDeep,
  isTooDeep,
  isUnstorableText,
  MAX_JSON_DEPTH,
  UNSTORABLE_TEXT,
} from '../lib/json-limits.ts'
import { UnreadableError } from './unreadable.ts'

export const MAX_NAME_LENGTH = 256

/** Text up to this size parses quickly however deep it nests. */
const QUICK_BYTES = 64 * 1024
/**
 * Payloads that nest deeper are refused without parsing. Up to this depth they are parsed, so that the error can name
 * the signal.
 */
const MAX_PARSED_DEPTH = 1000

/** @throws UnreadableError */
export function parseJsonObject(payload: Buffer): Record<string, unknown> {
  const value = parseJson(payload)
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new UnreadableError('not_an_object', 'The payload must be one JSON object: {"name": value, …}.')
  return value as Record<string, unknown>
}

/** @throws UnreadableError */
export function parseJson(payload: Buffer): unknown {
  if (!isUtf8(payload)) throw new UnreadableError('not_json', 'The payload is not UTF-8 text.')
  if (payload.length > QUICK_BYTES && isTextTooDeep(payload, MAX_PARSED_DEPTH))
    throw new UnreadableError('bad_value', `The payload nests deeper than ${MAX_JSON_DEPTH} levels.`)
  try {
    return JSON.parse(payload.toString())
  } catch (error) {
    throw new UnreadableError('not_json', `The payload is not JSON: ${printable((error as Error).message)}.`)
  }
}

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
  if (typeof value === 'number' && !Number.isFinite(value))
    throw new UnreadableError('bad_value', `${name} has a number that is too large for a double.`)
  if (typeof value === 'string' && isUnstorableText(value))
    throw new UnreadableError('bad_value', `${name} holds ${UNSTORABLE_TEXT}.`)
  if (typeof value === 'object' && value !== null) checkNested(name, value)
}

function checkNested(name: string, value: object): void {
  if (isTooDeep(value))
    throw new UnreadableError('bad_value', `${name} nests deeper than ${MAX_JSON_DEPTH} levels.`)
  const found = findUnstorableText(value)
  if (found) {
    const place = printable([name, ...found.path].join('.'))
    throw new UnreadableError(
      'bad_value',
      `${place} ${found.isKey ? 'has a key with' : 'holds'} ${UNSTORABLE_TEXT}.`,
    )
  }
  checkNumbers(name, value)
}

function checkNumbers(name: string, value: object): void {
  for (const child of Array.isArray(value) ? (value as unknown[]) : Object.values(value)) {
    if (typeof child === 'object' && child !== null) checkNumbers(name, child)
    else if (typeof child === 'number') checkValue(name, child)
  }
}
