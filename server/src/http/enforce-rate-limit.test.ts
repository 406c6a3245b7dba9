import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { type Platform, startPlatform } from '../../test/harness/platform.ts'

let platform: Platform
beforeAll(async () => {
  platform = await startPlatform({
    GANGWAY_RATE_LIMIT_STANDARD: '60',
    GANGWAY_RATE_LIMIT_ENTERPRISE: '200',
    GANGWAY_RATE_LIMIT_DATA_VIEW: '7',
  })
})
afterAll(() => platform[Symbol.asyncDispose]())

const limits = (headers: Headers) =>
  ['limit', 'remaining', 'reset'].map((name) => Number(headers.get(`x-ratelimit-${name}`)))

test('every platform response has the three headers, refusals too [docs/api#rate-limits]', async () => {
  const before = Date.now() / 1000
  for (const answer of [
    await platform.get('/v1/auth/me'),
    await platform.get('/v1/auth/me', { token: null }),
    await platform.get('/v1/tenants/nowhere'),
    await platform.post('/v1/api-tokens', {}),
    await platform.post('/v1/auth/login', {}, { token: null }),
    await platform.get('/v1/nothing'),
    await platform.get('/v1/assets/%zz'),
    await platform.request('PUT', '/v1/auth/me'),
    await platform.post('/v1/api-tokens', 'a', { headers: { 'content-type': 'text/plain' } }),
  ]) {
    const [limit, remaining, reset] = limits(answer.headers)
    expect(limit).toBe(60)
    expect(remaining).toBeLessThanOrEqual(60)
    expect(reset).toBeGreaterThan(before)
    expect(reset).toBeLessThanOrEqual(before + 3601)
  }
})

test('a signed link has the headers of its caller and is not counted', async () => {
  const remaining = async () => limits((await platform.get('/v1/files/nonsense', { token: null })).headers)[1]
  expect(await remaining()).toBe(await remaining())
})

test('the onboarding service is not counted there', async () => {
  expect((await platform.get('/healthz')).headers.has('x-ratelimit-limit')).toBe(false)
  expect((await platform.get('/api/nothing')).headers.has('x-ratelimit-limit')).toBe(false)
})

test('each user and each token has its own count; a refusal says when the limit is reset', async () => {
  // Stops the clock, so that no new hour begins during the test.
  vi.useFakeTimers({ toFake: ['Date'] })
  onTestFinished(() => void vi.useRealTimers())
  const { body } = await platform.post('/v1/api-tokens', { displayName: 'busy' })
  const answers = []
  for (let index = 0; index < 61; index++)
    answers.push(await platform.get('/v1/auth/me', { token: body.token }))
  expect(answers.slice(0, 60).every((answer) => answer.status === 200)).toBe(true)
  const refused = answers[60]!
  expect([refused.status, refused.body.error, limits(refused.headers)[1]]).toEqual([429, 'rate_limited', 0])
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  expect((await platform.get('/v1/auth/me')).status).toBe(200)
})

test('an enterprise tenant has a higher limit', async () => {
  const { token } = await platform.makeTenant('large')
  expect(limits((await platform.get('/v1/auth/me', { token })).headers)[0]).toBe(60)
  await platform.patch('/v1/tenants/large', { plan: 'enterprise' })
  expect(limits((await platform.get('/v1/auth/me', { token })).headers)[0]).toBe(200)
})

test('a token with data_view alone has its own limit; one with another privilege has that of its plan', async () => {
  const readLimit = async (...privileges: string[]) => {
    const { body } = await platform.post('/v1/api-tokens', { displayName: 'chart', privileges })
    return limits((await platform.get('/v1/auth/me', { token: body.token })).headers)[0]
  }
  expect(await readLimit('data_view')).toBe(7)
  expect(await readLimit('data_view', 'asset_management')).toBe(60)
  expect(await readLimit('asset_management')).toBe(60)
})
