/** Lists, page by page. A list is never cut silently: it says where it goes on. */
import type { FastifyRequest } from 'fastify'
import Type, { type TSchema } from 'typebox'
import { type Answer, answer } from './route.ts'
import { validationError } from './errors.ts'
import { DEVICE_ID_PATTERN, SUPPLIED_ID_PATTERN } from './shapes.ts'

export const OnboardingPageQuery = Type.Object({
  limit: Type.Integer({ minimum: 1, maximum: 1000, default: 100 }),
  cursor: Type.Optional(Type.String({ maxLength: 1024 })),
})
export const PlatformPageQuery = Type.Object({
  limit: Type.Integer({ minimum: 1, maximum: 1000, default: 1000 }),
  cursor: Type.Optional(Type.String({ maxLength: 1024 })),
})

export const OnboardingPage = <T extends TSchema>(item: T) =>
  Type.Object({ items: Type.Array(item), continuation_token: Type.Union([Type.String(), Type.Null()]) })

export interface PageRequest {
  limit: number
  /** The key of the last entry of the page before. */
  after: string | undefined
}

/** @throws validation_error for a cursor that is none of ours */
export function pageRequest(
  query: { limit: number; cursor?: string },
  isKey: (key: string) => boolean,
): PageRequest {
  if (query.cursor === undefined) return { limit: query.limit, after: undefined }
  const after = Buffer.from(query.cursor, 'base64url').toString()
  if (!isKey(after) || cursorOf(after) !== query.cursor)
    throw validationError({ path: 'cursor', message: 'is not a continuation_token of this list' })
  return { limit: query.limit, after }
}

const cursorOf = (key: string) => Buffer.from(key).toString('base64url')

export const isUuid = (key: string) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(key)

const [suppliedId, deviceId] = [new RegExp(SUPPLIED_ID_PATTERN), new RegExp(DEVICE_ID_PATTERN)]
export const isSuppliedId = (key: string) => suppliedId.test(key)
export const isDeviceId = (key: string) => deviceId.test(key)

/** @param rows up to `limit + 1` of them: one too many says that more follow */
function cut<T>(rows: T[], limit: number, keyOf: (row: T) => string) {
  const items = rows.slice(0, limit)
  const last = items.at(-1)
  return { items, next: rows.length > limit && last !== undefined ? cursorOf(keyOf(last)) : null }
}

export function onboardingPage<T, R>(
  rows: T[],
  limit: number,
  keyOf: (row: T) => string,
  shape: (row: T) => R,
) {
  const { items, next } = cut(rows, limit, keyOf)
  return { items: items.map(shape), continuation_token: next }
}

export function platformPage<T, R>(
  rows: T[],
  limit: number,
  keyOf: (row: T) => string,
  shape: (row: T) => R,
  request: FastifyRequest,
): Answer {
  const { items, next } = cut(rows, limit, keyOf)
  return answer(
    200,
    items.map(shape),
    next === null ? {} : { link: `<${nextUrl(request, next)}>; rel="next"` },
  )
}

/** Of the free JSON of one page together. */
const PAGE_BYTES = 8 * 1024 * 1024

/**
 * How many rows fit on a page whose rows may be large: a page ends early rather than being cut. One at least, or the
 * list would never go on.
 */
export function countFitting(rows: { bytes: number }[], limit: number): number {
  let sum = 0
  const over = rows.findIndex(({ bytes }) => (sum += bytes) > PAGE_BYTES)
  return Math.min(limit, over === -1 ? rows.length : Math.max(1, over))
}

function nextUrl(request: FastifyRequest, cursor: string) {
  const url = new URL(request.url, 'http://host')
  url.searchParams.set('cursor', cursor)
  return `${url.pathname}${url.search}`
}
