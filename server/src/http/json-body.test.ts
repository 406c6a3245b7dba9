import type { FastifyReply, FastifyRequest } from 'fastify'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeGroup, type TestGroup } from '../../test/harness/enrollment-group.ts'
import { type Platform, startPlatform } from '../../test/harness/platform.ts'
import { apiRoutes } from '../routes.ts'
import { requestExamples } from '../system/examples.ts'
import type { ApiError, Issue } from './errors.ts'
import { inputReader } from './read-input.ts'

let platform: Platform
let group: TestGroup
beforeAll(async () => {
  platform = await startPlatform()
  group = await makeGroup(platform)
})
afterAll(() => platform[Symbol.asyncDispose]())

const typed = (type: string) => ({ headers: { 'content-type': type } })
const send = (body: string | Uint8Array, type = 'application/json') =>
  platform.post('/v1/api-tokens', body, typed(type))

test.each([
  'application/json',
  'application/json; charset=utf-8',
  'text/plain',
  'application/x-www-form-urlencoded',
])('an empty body of type %s is no body', async (type) => {
  const generated = await platform.post(
    `/api/enrollment-groups/${group.groupId}/keys/generate`,
    '',
    typed(type),
  )
  expect([201, 409]).toContain(generated.status)
  const flipped = await platform.post(`/api/enrollment-groups/${group.groupId}/keys/flip`, '', typed(type))
  expect([200, 409]).toContain(flipped.status)
  const { body } = await platform.post('/v1/api-tokens', { displayName: 'short' })
  const deleted = await platform.request('DELETE', `/v1/api-tokens/${body.id}`, undefined, typed(type))
  expect(deleted.status).toBe(204)
})

test('an empty body in chunks is no body either', async () => {
  const chunks = new ReadableStream({ start: (controller) => controller.close() })
  const response = await fetch(`${platform.url}/api/enrollment-groups/${group.groupId}/keys/generate`, {
    method: 'POST',
    body: chunks,
    duplex: 'half',
    headers: { authorization: `Bearer ${platform.adminToken}`, 'content-type': 'application/json' },
  })
  expect([201, 409]).toContain(response.status)
})

test('an empty body is refused if a body is required', async () => {
  const { status, body } = await send('')
  expect([status, body.error]).toEqual([400, 'validation_error'])
})

test.each([
  ['text/plain', '{"displayName":"a"}'],
  ['text/csv', 'a=b'],
  ['application/xml', '<a/>'],
  ['application/x-www-form-urlencoded', 'displayName=a'],
  ['nonsense', '{}'],
])('a body of type %s is refused with 415 and the accepted type', async (type, text) => {
  const { status, body, headers } = await send(text, type)
  expect([status, body.error, body.details]).toEqual([
    415,
    'unsupported_media_type',
    { accepted: 'application/json' },
  ])
  expect(body.message).toContain(type)
  expect(headers.has('x-ratelimit-limit')).toBe(true)
})

test('a body without a type, and one of a wrong type on a form route, is refused with the accepted type', async () => {
  const untyped = await send(Buffer.from('{}'), '')
  expect([untyped.status, untyped.body.details]).toEqual([415, { accepted: 'application/json' }])
  const form = await platform.post('/v1/resources/upload', { displayName: 'a' })
  expect([form.status, form.body.details]).toEqual([415, { accepted: 'multipart/form-data' }])
})

test('a compressed body is refused', async () => {
  const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' }
  const { status, body } = await platform.post('/v1/api-tokens', Buffer.from([0x1f, 0x8b]), { headers })
  expect([status, body.error]).toEqual([415, 'unsupported_media_type'])
  expect(body.message).toContain('gzip')
})

test('the error for a body that is too large names the limit', async () => {
  const { status, body, headers } = await send(JSON.stringify({ displayName: 'a'.repeat(1024 * 1024) }))
  expect([status, body.error]).toEqual([413, 'payload_too_large'])
  expect(body.message).toContain('1048576')
  expect(headers.has('x-ratelimit-limit')).toBe(true)
})

test('invalid UTF-8 is refused, and not replaced', async () => {
  const { status, body } = await send(Buffer.from('{"displayName":"\xe4"}', 'latin1'))
  expect([status, body.details.issues]).toEqual([400, [{ path: 'body', message: 'is not UTF-8 text' }]])
})

test.each([
  ['a lone surrogate', { username: 'a\ud800', password: 'b' }, 'username', 'holds'],
  ['a NUL character', { username: 'a', password: 'b\u0000' }, 'password', 'holds'],
  [
    'a lone surrogate in a field that is not known',
    { username: 'a', password: 'b', more: ['\udc00'] },
    'more.0',
    'holds',
  ],
  ['a lone surrogate in a name', { username: 'a', password: 'b', 'x\ud800': 1 }, 'body', 'has a key with'],
  [
    'a NUL character in a name',
    { username: 'a', password: 'b', more: { '\u0000': 1 } },
    'more',
    'has a key with',
  ],
])('%s is refused with its path, also without authentication', async (_what, given, path, verb) => {
  const { status, body } = await platform.post('/v1/auth/login', given, { token: null })
  expect([status, body.details.issues]).toEqual([
    400,
    [{ path, message: `${verb} a NUL character or a lone surrogate, which cannot be stored` }],
  ])
})

test.each(['\ud800', '\u0000'])(
  'every route refuses %j in each text and name of its body, with the path',
  (bad) => {
    const wrong = apiRoutes(platform.ctx, platform.parts).flatMap((route) => {
      const name = `${route.method} ${route.url}`
      const read = inputReader({ ...route, params: undefined, query: undefined })
      return spoiled(requestExamples[name], bad).filter(({ body, path }) => {
        try {
          read({ query: {}, url: '', body } as unknown as FastifyRequest, {} as FastifyReply)
          return true
        } catch (error) {
          const [issue] = (error as ApiError).details.issues as Issue[]
          return issue?.path !== (path.join('.') || 'body') || !issue.message.includes('cannot be stored')
        }
      })
    })
    expect(wrong).toEqual([])
  },
)

/** Copies of a body, each with one invalid text or name. */
function spoiled(body: unknown, bad: string): { body: unknown; path: string[] }[] {
  if (typeof body === 'string') return [{ body: body + bad, path: [] }]
  if (typeof body !== 'object' || body === null) return []
  const renamed = Array.isArray(body) ? [] : [{ body: { ...body, [bad]: 1 }, path: [] }]
  const within = Object.entries(body).flatMap(([key, value]) =>
    spoiled(value, bad).map((part) => {
      const copy = Array.isArray(body) ? [...(body as unknown[])] : { ...body }
      return { body: Object.assign(copy, { [key]: part.body }), path: [key, ...part.path] }
    }),
  )
  return [...renamed, ...within]
}

test('characters beyond the basic plane, written as two escapes, are text like any other', async () => {
  const { status, body } = await send('{"displayName":"\\ud83d\\ude00"}')
  expect([status, body.displayName]).toEqual([201, '😀'])
})
