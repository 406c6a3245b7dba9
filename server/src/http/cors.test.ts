import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Platform, startPlatform } from '../../test/harness/platform.ts'
import { exchange } from '../../test/harness/raw-http.ts'
import { ConfigurationError, readConfig } from '../config.ts'

const APP = 'https://app.example.com'
const OTHER = 'https://other.example.com'
const open = (origins?: string) =>
  startPlatform({
    GANGWAY_RATE_LIMIT_DATA_VIEW: '1',
    ...(origins !== undefined && { GANGWAY_CORS_ORIGINS: origins }),
  })

let platform: Platform
let anyOrigin: Platform
let none: Platform
beforeAll(async () => {
  platform = await open(`${APP}, http://localhost:5173`)
  anyOrigin = await open('*')
  none = await open()
})
afterAll(async () => {
  for (const each of [platform, anyOrigin, none]) await each[Symbol.asyncDispose]()
})

const preflight = (at: Platform, path: string, origin: string) =>
  at.request('OPTIONS', path, undefined, {
    token: null,
    headers: {
      origin,
      'access-control-request-method': 'PUT',
      'access-control-request-headers': 'authorization,content-type',
    },
  })
const from = (origin: string, token?: string | null) => ({
  headers: { origin },
  ...(token !== undefined && { token }),
})
const allowed = ({ headers }: { headers: Headers }) => headers.get('access-control-allow-origin')

test('a preflight request is answered without authentication on every path', async () => {
  for (const path of [
    '/v1/assets/pump',
    '/assets',
    '/api/enrollment-groups',
    '/get_settings',
    '/v1/nothing',
  ]) {
    const { status, headers, body } = await preflight(platform, path, APP)
    expect([path, status, body]).toEqual([path, 204, undefined])
    expect(Object.fromEntries(headers)).toMatchObject({
      'access-control-allow-origin': APP,
      'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
      'access-control-allow-headers': 'authorization,content-type',
      'access-control-max-age': '7200',
      vary: 'Origin',
    })
    expect(headers.has('access-control-allow-credentials')).toBe(false)
    // A preflight request has no caller, and counts for no rate limit.
    expect(headers.has('x-ratelimit-limit')).toBe(false)
  }
})

test('an origin that is not listed is refused by name in a preflight, and gets no header otherwise', async () => {
  const refused = await preflight(platform, '/v1/assets', OTHER)
  expect([refused.status, refused.body.error, allowed(refused)]).toEqual([403, 'forbidden', null])
  expect(refused.body.message).toContain(OTHER)
  const answer = await platform.get('/v1/assets', from(OTHER))
  expect([answer.status, allowed(answer), answer.headers.get('vary')]).toEqual([200, null, 'Origin'])
  for (const near of [`${APP}.evil.example`, 'http://app.example.com', `${APP}:444`, 'null'])
    expect([near, allowed(await platform.get('/v1/assets', from(near)))]).toEqual([near, null])
})

test('answers and errors of every kind have the headers, so that an application can read the reason', async () => {
  const { body } = await platform.post('/v1/api-tokens', { displayName: 'a', privileges: ['data_view'] })
  const answers = {
    200: await platform.get('/v1/assets', from(APP)),
    401: await platform.get('/v1/assets', from(APP, null)),
    403: await platform.get('/v1/users', from(APP, body.token)),
    429: await platform.get('/v1/users', from(APP, body.token)),
    404: await platform.get('/v1/nothing', from(APP)),
    405: await platform.request('DELETE', '/v1/assets', undefined, from(APP)),
    415: await platform.post('/v1/api-tokens', 'a', {
      headers: { origin: APP, 'content-type': 'text/plain' },
    }),
    400: await platform.get('/v1/assets/%zz', from(APP)),
  }
  for (const [expected, answer] of Object.entries(answers)) {
    expect([answer.status, allowed(answer)]).toEqual([Number(expected), APP])
    const exposed = answer.headers.get('access-control-expose-headers')
    for (const name of ['X-RateLimit-Remaining', 'X-Request-Id', 'Retry-After', 'Link', 'ETag'])
      expect(exposed).toContain(name)
  }
})

test('* allows every origin, without the credentials of a browser', async () => {
  const answer = await anyOrigin.get('/v1/assets', from(OTHER))
  expect([allowed(answer), answer.headers.get('vary')]).toEqual(['*', null])
  expect(answer.headers.has('access-control-allow-credentials')).toBe(false)
  expect((await preflight(anyOrigin, '/v1/assets', OTHER)).status).toBe(204)
})

test('without GANGWAY_CORS_ORIGINS no origin is allowed, and OPTIONS is a wrong method', async () => {
  expect(allowed(await none.get('/v1/assets', from(APP)))).toBe(null)
  expect((await preflight(none, '/v1/assets', APP)).status).toBe(405)
})

test('OPTIONS without a preflight request is a wrong method', async () => {
  const { status, headers } = await platform.request('OPTIONS', '/v1/assets', undefined, from(APP))
  expect([status, headers.get('allow')]).toEqual([405, 'POST, GET, HEAD'])
})

test('an origin with line breaks is not copied into the answer', async () => {
  const request = `GET /v1/assets HTTP/1.1\r\nhost: a\r\norigin: ${APP}\t\x01\r\nconnection: close\r\n\r\n`
  const { status, headers } = await exchange(platform.url, request)
  expect([status, headers.get('access-control-allow-origin')]).toEqual([400, null])
})

test.each([
  [`${APP}/`, `${APP}/ is no origin: write ${APP}`],
  [`${APP}/app`, `write ${APP}`],
  ['https://APP.example.com', `write ${APP}`],
  ['https://app.example.com:443', `write ${APP}`],
  ['app.example.com', 'write it like https://app.example.com'],
  ['https://*.example.com', 'write it like https://app.example.com'],
  ['null', 'null is no origin'],
  ['file:///tmp', 'is no origin'],
  [`*,${APP}`, '* stands alone'],
])('GANGWAY_CORS_ORIGINS=%s is refused at start', (origins, reason) => {
  expect(() => readConfig({ GANGWAY_CORS_ORIGINS: origins })).toThrow(ConfigurationError)
  expect(() => readConfig({ GANGWAY_CORS_ORIGINS: origins })).toThrow(reason)
})
