/** Conditional requests and ranges. [RFC 9110, 13 and 14] */
import type { IncomingHttpHeaders } from 'node:http'
import type { ByteRange } from '../files/storage.ts'

/** The version of a resource that a client may have. */
export interface Version {
  /** A strong validator, with its quotes. */
  etag: string
  changedAt: Date
  size: number
}

/** Whether the client has this version. */
export function isUnchanged(headers: IncomingHttpHeaders, { etag, changedAt }: Version): boolean {
  const known = headers['if-none-match']
  if (known !== undefined)
    return known.split(',').some((tag) => ['*', etag].includes(tag.trim().replace(/^W\//, '')))
  const since = Date.parse(headers['if-modified-since'] ?? '')
  return !Number.isNaN(since) && wholeSeconds(changedAt) <= since
}

/**
 * Reads a single requested range. Several ranges and malformed ones are ignored, which is allowed: the whole content is
 * always a correct answer.
 */
export function readRange(
  headers: IncomingHttpHeaders,
  version: Version,
): ByteRange | 'none' | 'unsatisfiable' {
  const { range = '' } = headers
  const [, first = '', last = ''] = /^bytes=\s*(\d{0,15})-(\d{0,15})\s*$/i.exec(range) ?? []
  if ((first === '' && last === '') || !isForVersion(headers['if-range'], version)) return 'none'
  if (first !== '' && last !== '' && Number(last) < Number(first)) return 'none'
  const { size } = version
  const start = first === '' ? Math.max(0, size - Number(last)) : Number(first)
  const end = first === '' || last === '' ? size - 1 : Math.min(Number(last), size - 1)
  return start > end ? 'unsatisfiable' : { start, end }
}

/** A range of another version would not fit the bytes that the client has. */
function isForVersion(condition: string | string[] | undefined, { etag, changedAt }: Version) {
  if (condition === undefined) return true
  return condition === etag || Date.parse(String(condition)) === wholeSeconds(changedAt)
}

/** HTTP dates have a precision of one second. */
const wholeSeconds = (date: Date) => Math.floor(date.getTime() / 1000) * 1000
