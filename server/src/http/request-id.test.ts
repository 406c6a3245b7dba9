import { pino } from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Platform, startPlatform } from '../../test/harness/platform.ts'
import { type Guards, open } from './access.ts'
import { route } from './route.ts'
import { createHttpServer } from './server.ts'

let platform: Platform
beforeAll(async () => {
  platform = await startPlatform({ GANGWAY_CORS_ORIGINS: 'https://app.example' })
})
afterAll(() => platform[Symbol.asyncDispose]())

const readId = async (path: string, headers: Record<string, string> = {}, token?: null) =>
  (await platform.get(path, { headers, token })).headers.get('x-request-id')

test.each([
  ['success', '/v1/auth/me'],
  ['a refusal', '/v1/assets/none'],
  ['a path without a route', '/nowhere'],
  ['a path that cannot be decoded', '/v1/assets/%zz'],
  ['the onboarding service', '/api/enrollment-groups'],
  ['a device', '/get_settings'],
  ['health', '/healthz'],
  ['the description of the API', '/openapi.json'],
])('an answer has the id of its request: %s [docs/api#request-ids]', async (_what, path) => {
  const ids = [await readId(path), await readId(path), await readId(path, {}, null)]
  for (const id of ids) expect(id).toMatch(/^[\da-f]{16}-[\da-z]+$/)
  expect(new Set(ids).size).toBe(3)
  expect(await readId(path, { 'x-request-id': 'of-the-proxy:7' })).toBe('of-the-proxy:7')
})

test('a preflight request and a revoked token have ids, too', async () => {
  const headers = { origin: 'https://app.example', 'access-control-request-method': 'GET' }
  const preflight = await platform.request('OPTIONS', '/v1/assets', undefined, { headers, token: null })
  expect([preflight.status, preflight.headers.has('x-request-id')]).toEqual([204, true])
  const refused = await platform.get('/v1/assets', { token: 'revoked' })
  expect([refused.status, refused.headers.has('x-request-id')]).toEqual([401, true])
})

test.each([
  ['short ones', 'a', true],
  ['UUIDs', '018f5a6e-7b1c-7d3e-9f00-1a2b3c4d5e6f', true],
  ['base64', 'q83vEjRWeJCrze8SNFZ4kA==', true],
  ['128 characters', 'a'.repeat(128), true],
  ['longer ones', 'a'.repeat(129), false],
  ['empty ones', '', false],
  ['spaces', 'a b', false],
  ['quotes', '"a"', false],
  ['letters outside of ASCII', 'é', false],
])('ids of callers are taken or replaced: %s', async (_what, given, isTaken) => {
  const id = await readId('/v1/auth/me', { 'x-request-id': given })
  expect(id === given).toBe(isTaken)
  expect(id).not.toBe('')
})

test('the audit log has the id', async () => {
  const headers = { 'x-request-id': 'audited-1' }
  await platform.post('/v1/groups', { displayName: 'Night shift' }, { headers })
  const [entry] = (await platform.get('/v1/audit-log?resourceType=group&limit=1')).body
  expect(entry.requestId).toBe('audited-1')
})

test('the lines of the log about a request have its id', async () => {
  const lines: { reqId: string; msg: string }[] = []
  const broken = route({
    method: 'GET',
    url: '/v1/broken',
    summary: 'Fail',
    access: open(),
    response: { 200: null },
    handler: () => Promise.reject(new Error('a fault')),
  })
  const server = createHttpServer({
    routes: [broken],
    guards: { open: async () => undefined } as unknown as Guards,
    log: pino({ base: null }, { write: (line: string) => void lines.push(JSON.parse(line)) }),
    trustProxy: false,
  })
  try {
    const url = await server.listen({ host: '127.0.0.1', port: 0 })
    const answer = await fetch(`${url}/v1/broken`, { headers: { 'x-request-id': 'fault-1' } })
    expect([answer.status, answer.headers.get('x-request-id')]).toEqual([500, 'fault-1'])
    expect(await answer.json()).toMatchObject({
      error: 'internal_error',
      message: expect.stringContaining('fault-1'),
    })
    expect(lines.find(({ msg }) => msg === 'request failed')).toMatchObject({ reqId: 'fault-1' })
  } finally {
    await server.close()
  }
})
