import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Platform, startPlatform } from '../../test/harness/platform.ts'
import { exchange } from '../../test/harness/raw-http.ts'

let platform: Platform
beforeAll(async () => {
  platform = await startPlatform()
})
afterAll(() => platform[Symbol.asyncDispose]())

const request = (path: string, headers = 'host: a\r\n') =>
  `GET ${path} HTTP/1.1\r\n${headers}connection: close\r\n\r\n`
const long = (length: number) => 'a'.repeat(length)

test.each([
  ['a path that is no percent-encoding', request('/v1/assets/%zz'), 400, 'validation_error'],
  ['half of a surrogate pair in the path', request('/v1/assets/%ED%A0%80'), 400, 'validation_error'],
  ['a NUL character in the path', request('/v1/models/%00'), 400, 'validation_error'],
  ['a path of 9,000 characters', request(`/v1/assets/${long(9000)}`), 400, 'validation_error'],
  ['a path of 9,000 characters that no route has', request(`/v1/${long(9000)}`), 404, 'not_found'],
  ['a path of 20,000 characters', request(`/v1/assets/${long(20_000)}`), 431, 'headers_too_large'],
  ['20 kB of headers', request('/v1/assets', `host: a\r\nx: ${long(20_000)}\r\n`), 431, 'headers_too_large'],
  ['an invalid request line', 'nonsense\r\n\r\n', 400, 'validation_error'],
  ['an unknown method', 'FETCH /v1/assets HTTP/1.1\r\nhost: a\r\n\r\n', 400, 'validation_error'],
  [
    'a method of other protocols',
    'PROPFIND /v1/assets HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n',
    405,
    'method_not_allowed',
  ],
  ['a wrong version', 'GET /v1/assets HTTP/7.7\r\nhost: a\r\n\r\n', 400, 'validation_error'],
  ['a header without a colon', request('/v1/assets', 'host: a\r\nnonsense\r\n'), 400, 'validation_error'],
  ['an unknown expectation', request('/v1/assets', 'host: a\r\nexpect: wonders\r\n'), 401, 'unauthorized'],
  ['no Host header', request('/v1/assets', ''), 400, 'validation_error'],
  [
    'two lengths',
    request('/v1/assets', 'host: a\r\ncontent-length: 1\r\ncontent-length: 2\r\n'),
    400,
    'validation_error',
  ],
  [
    'a WebSocket where there is none',
    request('/v1/assets', 'host: a\r\nupgrade: websocket\r\nconnection: upgrade\r\n'),
    404,
    'not_found',
  ],
  ['TLS where none is spoken', '\x16\x03\x01\x02\x00\x01\x00', 400, 'validation_error'],
])(
  '%s is answered in the shape of the platform, with its rate limits',
  async (_what, text, status, error) => {
    const answer = await exchange(platform.url, text)
    expect([answer.status, answer.body.error]).toEqual([status, error])
    expect(answer.body).toEqual({ error, message: expect.any(String), details: expect.any(Object) })
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
    for (const name of ['limit', 'remaining', 'reset'])
      expect(Number(answer.headers.get(`x-ratelimit-${name}`))).toBeGreaterThan(0)
  },
)

test.each([
  ['a path that is no percent-encoding', request('/api/routing-targets/%zz')],
  ['headers without a colon', request('/get_settings', 'nonsense\r\n')],
])('%s is answered in the shape of the onboarding service on its paths', async (_what, text) => {
  const { status, body, headers } = await exchange(platform.url, text)
  expect([status, body]).toEqual([400, { error: 'validation_error', message: expect.any(String) }])
  expect(headers.has('x-ratelimit-limit')).toBe(false)
})

test('a query with invalid percent-encoding is refused', async () => {
  for (const query of ['%zz', 'limit=%', 'cursor=%ED%A0%80', 'cursor=a%00b']) {
    const { status, body } = await platform.get(`/v1/assets?${query}`)
    expect([query, status, body.error]).toEqual([query, 400, 'validation_error'])
  }
})
