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

/** Rows without an `id` name another key. */
type Page<Row, Item> = {
  /** At most one more than the limit, which says that more follow. */
  rows: Row[]
  limit: number
  shape: (row: Row) => Item
} & (Row extends { id: string } ? { key?: (row: Row) => string } : { key: (row: Row) => string })

const rowId = (row: unknown) => (row as { id: string }).id

function cut<Row, Item>({ rows, limit, shape, key = rowId }: Page<Row, Item>) {
  const shown = rows.slice(0, limit)
  const last = shown.at(-1)
  return {
    items: shown.map(shape),
    next: rows.length > limit && last !== undefined ? cursorOf(key(last)) : null,
  }
}

export function onboardingPage<Row, Item>(page: Page<Row, Item>) {
  const { items, next } = cut(page)
  return { items, continuation_token: next }
}

export function platformPage<Row, Item>(page: Page<Row, Item> & { request: FastifyRequest }): Answer {
  const { items, next } = cut(page)
  return answer(200, items, next === null ? {} : { link: `<${nextUrl(page.request, next)}>; rel="next"` })
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
