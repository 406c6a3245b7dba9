/** Conditional requests and ranges. [RFC 9110, 13 and 14] */
import type { IncomingHttpHeaders } from 'node:http'
import type { ByteRange } from '../files/storage.ts'

/** What a client can have seen of it before. */
export interface Version {
  /** With its quotes; a strong one. */
  etag: string
  changedAt: Date
  size: number
}

/** Whether the client has just this version. */
export function isUnchanged(headers: IncomingHttpHeaders, { etag, changedAt }: Version): boolean {
  const known = headers['if-none-match']
  if (known !== undefined)
    return known.split(',').some((tag) => ['*', etag].includes(tag.trim().replace(/^W\//, '')))
  const since = Date.parse(headers['if-modified-since'] ?? '')
  return !Number.isNaN(since) && wholeSeconds(changedAt) <= since
}

/**
 * The one range that is asked for. Several at once, and what is none, count as if nothing was asked: the whole is always
 * a right answer.
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

/** A part of another version would not fit what the client has. */
function isForVersion(condition: string | string[] | undefined, { etag, changedAt }: Version) {
  if (condition === undefined) return true
  return condition === etag || Date.parse(String(condition)) === wholeSeconds(changedAt)
}

/** As precise as HTTP dates are. */
const wholeSeconds = (date: Date) => Math.floor(date.getTime() / 1000) * 1000
