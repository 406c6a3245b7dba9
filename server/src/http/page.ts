/** Paging of lists. A page that is not the last one always names the cursor of the next page. */
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

/** [docs/api#search] */
const search = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: 128,
    description: 'A part of the name, or of an id that was chosen, in upper or lower case',
  }),
)
export const OnboardingSearchQuery = Type.Object({ ...OnboardingPageQuery.properties, search })
export const PlatformSearchQuery = Type.Object({ ...PlatformPageQuery.properties, search })

export const OnboardingPage = <T extends TSchema>(item: T) =>
  Type.Object({ items: Type.Array(item), continuation_token: Type.Union([Type.String(), Type.Null()]) })

export interface PageRequest {
  limit: number
  /** Key of the last entry of the previous page. */
  after: string | undefined
}

/** @throws validation_error for a cursor that this list did not issue */
export function pageRequest(
  query: { limit: number; cursor?: string },
  isKey: (key: string) => boolean,
): PageRequest {
  if (query.cursor === undefined) return { limit: query.limit, after: undefined }
  const after = Buffer.from(query.cursor, 'base64url').toString()
  if (!isKey(after) || makeCursor(after) !== query.cursor)
    throw validationError({ path: 'cursor', message: 'is not a continuation_token of this list' })
  return { limit: query.limit, after }
}

const makeCursor = (key: string) => Buffer.from(key).toString('base64url')

export const isUuid = (key: string) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(key)

const [suppliedId, deviceId] = [new RegExp(SUPPLIED_ID_PATTERN), new RegExp(DEVICE_ID_PATTERN)]
export const isSuppliedId = (key: string) => suppliedId.test(key)
export const isDeviceId = (key: string) => deviceId.test(key)

/** `key` is required for rows without an `id`. */
type Page<Row, Item> = {
  /** One row more than the limit means that there are more. */
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
    next: rows.length > limit && last !== undefined ? makeCursor(key(last)) : null,
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

/** Limit of the free JSON on one page. */
const PAGE_BYTES = 8 * 1024 * 1024

/**
 * Number of rows that fit on a page whose rows may be large: at least one, so that the list advances.
 */
export function countFitting(rows: { bytes: number }[], limit: number): number {
  let sum = 0
  const over = rows.findIndex(({ bytes }) => (sum += bytes) > PAGE_BYTES)
  return Math.min(limit, over === -1 ? rows.length : Math.max(1, over))
}

function nextUrl(request: FastifyRequest, cursor: string) {
  const url = new URL(request.originalUrl, 'http://host')
  url.searchParams.set('cursor', cursor)
  return `${url.pathname}${url.search}`
}
