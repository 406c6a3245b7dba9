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
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map((part) => Number(part ?? 0)) as Six
  if (hour > 23 || minute > 59 || second > 59) return undefined
  const local = new Date(0)
  // Date.UTC would read the years 0 to 99 as 1900 to 1999.
  local.setUTCFullYear(year, month - 1, day)
  if (local.getUTCMonth() !== month - 1 || local.getUTCDate() !== day) return undefined
  local.setUTCHours(hour, minute, second, Number((match[7] ?? '').padEnd(3, '0').slice(0, 3)))
  const offsetMinutes = parseOffset(match[8] ?? 'Z')
  if (offsetMinutes === undefined) return undefined
  const ms = local.getTime() - offsetMinutes * 60_000
  return isStorableTime(ms) ? ms : undefined
}

type Six = [number, number, number, number, number, number]

function parseOffset(text: string): number | undefined {
  if (text === 'Z' || text === 'z') return 0
  const [hours, minutes] = [Number(text.slice(1, 3)), Number(text.slice(3).replace(':', '') || 0)]
  if (hours > 23 || minutes > 59) return undefined
  return (text.startsWith('-') ? -1 : 1) * (hours * 60 + minutes)
}
