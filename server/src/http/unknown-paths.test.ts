import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Platform, startPlatform } from '../../test/harness/platform.ts'

let platform: Platform
beforeAll(async () => {
  platform = await startPlatform()
})
afterAll(() => platform[Symbol.asyncDispose]())

test.each([
  ['PATCH', '/v1/alarms', 'POST, GET, HEAD'],
  ['POST', '/assets/pump', 'GET, HEAD, PATCH, DELETE'],
  ['DELETE', '/v1/auth/login', 'POST'],
  ['OPTIONS', '/v1/auth/me', 'GET, HEAD'],
])('%s on %s is refused with 405 and the allowed methods', async (method, path, allow) => {
  const { status, headers, body } = await platform.request(method, path)
  expect([status, headers.get('allow')]).toEqual([405, allow])
  expect(body).toEqual({
    error: 'method_not_allowed',
    message: `${path} takes ${allow}, not ${method}.`,
    details: { allow: allow.split(', ') },
  })
})

test('a wrong method on a path of the onboarding service is refused in its shape', async () => {
  const { status, headers, body } = await platform.request('PUT', '/get_settings')
  expect([status, headers.get('allow')]).toEqual([405, 'GET, HEAD'])
  expect(body).toEqual({ error: 'method_not_allowed', message: expect.any(String) })
})

test('a request without a route counts against the rate limit of its caller, and its body is not read', async () => {
  const remaining = (headers: Headers) => Number(headers.get('x-ratelimit-remaining'))
  const before = await platform.get('/v1/auth/me')
  const answers = [
    await platform.get('/v1/nothing'),
    await platform.request('PUT', '/v1/auth/me'),
    await platform.post('/v1/nothing', '{', { headers: { 'content-type': 'application/json' } }),
  ]
  expect(answers.map(({ status }) => status)).toEqual([404, 405, 404])
  expect(remaining(answers[2]!.headers)).toBe(remaining(before.headers) - 3)
})
