/**
 * Parses ISO 8601 timestamps of requests. This is stricter than Date.parse, which reads February 30 as March 2, and a
 * time without an offset in the time zone of the server.
 */
const date = String.raw`(\d{4})-(\d{2})-(\d{2})`
const time = String.raw`(\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?`
const offset = String.raw`(Z|[+-]\d{2}(?::?\d{2})?)`
const pattern = new RegExp(`^${date}(?:[T ]${time}${offset}?)?$`, 'i')

/** ISO 8601 with four digits ends at the year 9999, and PostgreSQL has no year 0. */
const EARLIEST = Date.parse('0001-01-01T00:00:00.000Z')
const LATEST = Date.parse('9999-12-31T23:59:59.999Z')

/** @param ms milliseconds since 1970 */
export const isStorableTime = (ms: number): boolean => ms >= EARLIEST && ms <= LATEST

export const timestampHint = 'an ISO 8601 timestamp such as 2026-01-31T08:00:00Z'

/**
 * A timestamp without an offset is in UTC, and one without a time means midnight. Fractions of a millisecond are cut off.
 * @returns milliseconds since 1970, or undefined if the text is not a timestamp of the years 1 to 9999
 */
export function parseTimestamp(text: string): number | undefined {
  const match = pattern.exec(text)
  if (!match) return undefined
  const dayMs = startOfDay(Number(match[1]), Number(match[2]), Number(match[3]))
  const [hour, minute, second] = [Number(match[4] ?? 0), Number(match[5] ?? 0), Number(match[6] ?? 0)]
  if (dayMs === undefined || hour > 23 || minute > 59 || second > 59) return undefined
  const offsetMinutes = match[8] === undefined ? 0 : parseOffset(match[8])
  if (offsetMinutes === undefined) return undefined
  const fractionMs = match[7] === undefined ? 0 : Number(match[7].padEnd(3, '0').slice(0, 3))
  const ms = dayMs + ((hour * 60 + minute - offsetMinutes) * 60 + second) * 1000 + fractionMs
  return isStorableTime(ms) ? ms : undefined
}

/** The calendar repeats itself after 400 years. */
const FOUR_CENTURIES_MS = 146_097 * 86_400_000

/** @returns undefined for an invalid date */
function startOfDay(year: number, month: number, day: number): number | undefined {
  // Date.UTC interprets the years 0 to 99 as 1900 to 1999.
  const ms = Date.UTC(year + 400, month - 1, day) - FOUR_CENTURIES_MS
  const found = new Date(ms)
  return found.getUTCMonth() === month - 1 && found.getUTCDate() === day ? ms : undefined
}

function parseOffset(text: string): number | undefined {
  if (text === 'Z' || text === 'z') return 0
  const [hours, minutes] = [Number(text.slice(1, 3)), Number(text.slice(3).replace(':', '') || 0)]
  if (hours > 23 || minutes > 59) return undefined
  return (text.startsWith('-') ? -1 : 1) * (hours * 60 + minutes)
}
