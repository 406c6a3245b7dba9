import { expect, test } from 'vitest'
import type { Reply } from '../test/onboarding-service.ts'
import { startOnboarding } from '../test/onboarding-service.ts'
import { quickClock } from '../test/quick-clock.ts'
import { deriveDeviceKey } from './device-key.ts'
import type { OnboardAttempt } from './onboard.ts'
import { onboard } from './onboard.ts'

const settings = { broker: { host: 'broker.example', port: 1883 }, key: 'k1' }
const success: Reply = { status: 200, body: settings }
const failure = (status: number, error: string, headers?: Record<string, string>): Reply => ({
  status,
  body: { error, message: `because of ${error}` },
  ...(headers && { headers }),
})
const device = { deviceId: 'pump-7', bootstrapKey: 'c2VjcmV0' }

test('requests the settings with Basic credentials and returns the rendered template', async () => {
  await using service = await startOnboarding(success)
  expect(await onboard({ ...device, onboardingUrl: service.url })).toEqual(settings)
  expect(service.requests).toEqual([{ path: '/get_settings', credentials: 'pump-7:c2VjcmV0' }])
})

test('keeps the path of the onboarding address, and can derive the key of the device', async () => {
  await using service = await startOnboarding(success)
  const bootstrapKey = 'AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8='
  await onboard({
    deviceId: 'pump-21',
    bootstrapKey,
    onboardingUrl: `${service.url}/onboarding`,
    deriveKey: true,
  })
  const credentials = `pump-21:${deriveDeviceKey(bootstrapKey, 'pump-21')}`
  expect(service.requests).toEqual([{ path: '/onboarding/get_settings', credentials }])
})

test('sends a derived key as it is', async () => {
  await using service = await startOnboarding(success)
  await onboard({ deviceId: 'pump-7', key: 'derived=', onboardingUrl: service.url })
  expect(service.requests).toEqual([{ path: '/get_settings', credentials: 'pump-7:derived=' }])
})

test('waits while the device is not provisioned, and never less than Retry-After', async () => {
  const notYet = failure(409, 'device_not_provisioned', { 'retry-after': '5' })
  await using service = await startOnboarding(notYet, notYet, success)
  const clock = quickClock(0.5)
  const attempts: OnboardAttempt[] = []
  await onboard({
    ...device,
    onboardingUrl: service.url,
    clock,
    onAttempt: (attempt) => attempts.push(attempt),
  })
  expect(clock.asked).toEqual([5_250, 5_250])
  expect(attempts).toEqual([
    expect.objectContaining({ attempt: 1, status: 409, code: 'device_not_provisioned', retryInMs: 5_250 }),
    expect.objectContaining({ attempt: 2, status: 409, retryInMs: 5_250 }),
    { attempt: 3, status: 200, code: null, message: null, retryInMs: null },
  ])
})

test('backs off on 429, 5xx and network errors', async () => {
  await using service = await startOnboarding(
    failure(429, 'rate_limited'),
    failure(503, 'unavailable'),
    { status: 502, body: '<html>' },
    success,
  )
  const clock = quickClock(0.5)
  let requests = 0
  const flaky: typeof fetch = (...request) =>
    ++requests === 1 ? Promise.reject(new TypeError('fetch failed')) : fetch(...request)
  expect(await onboard({ ...device, onboardingUrl: service.url, clock, fetch: flaky })).toEqual(settings)
  expect(clock.asked).toEqual([500, 1_000, 2_000, 4_000])
})

test.each([
  [failure(401, 'unauthorized'), 401, 'unauthorized'],
  [failure(403, 'enrollment_group_disabled'), 403, 'enrollment_group_disabled'],
  [failure(400, 'validation_error'), 400, 'validation_error'],
  [failure(409, 'conflict'), 409, 'conflict'],
  [{ status: 404, body: 'not here' }, 404, 'http_404'],
  [{ status: 302, headers: { location: 'http://127.0.0.1:9/' }, body: '' }, 302, 'http_302'],
  [{ status: 200, body: '<html>please log in</html>' }, 200, 'invalid_settings'],
] as [Reply, number, string][])('does not retry after %j', async (reply, status, code) => {
  await using service = await startOnboarding(reply)
  const refused = onboard({ ...device, onboardingUrl: service.url })
  await expect(refused).rejects.toMatchObject({ name: 'OnboardingError', status, code })
  expect(service.requests).toHaveLength(1)
})

test('a request that takes too long is aborted and repeated', async () => {
  let requests = 0
  const stuck: typeof fetch = (_url, init) =>
    ++requests === 1
      ? new Promise((_resolve, reject) =>
          init?.signal?.addEventListener('abort', () => reject(init.signal?.reason)),
        )
      : Promise.resolve(Response.json(settings))
  const messages: (string | null)[] = []
  await onboard({
    ...device,
    onboardingUrl: 'http://onboarding.example',
    timeoutMs: 10,
    clock: quickClock(),
    fetch: stuck,
    onAttempt: ({ message }) => messages.push(message),
  })
  expect(messages).toEqual(['no answer within 10 ms', null])
})

test('an aborted signal rejects it with its reason', async () => {
  await using service = await startOnboarding(failure(503, 'unavailable'))
  const stop = new AbortController()
  const reason = new Error('power off')
  const attempt = onboard({
    ...device,
    onboardingUrl: service.url,
    signal: stop.signal,
    onAttempt: () => stop.abort(reason),
  })
  await expect(attempt).rejects.toBe(reason)
})

test.each([
  { ...device, onboardingUrl: 'ftp://onboarding.example' },
  { ...device, onboardingUrl: 'http://onboarding.example', deviceId: 'a:b' },
  { ...device, onboardingUrl: 'http://onboarding.example', deviceId: '.' },
  { ...device, onboardingUrl: 'http://onboarding.example', bootstrapKey: '' },
  { ...device, onboardingUrl: 'http://onboarding.example', key: 'derived=' },
  { ...device, onboardingUrl: 'http://onboarding.example', deriveKey: true },
  { deviceId: 'pump-7', onboardingUrl: 'http://onboarding.example' },
  { deviceId: 'pump-7', onboardingUrl: 'http://onboarding.example', key: '' },
  { deviceId: 'pump-7', onboardingUrl: 'http://onboarding.example', key: 'derived=', deriveKey: true },
])('refuses invalid options: %j', async (options) => {
  await expect(onboard(options)).rejects.toThrow(TypeError)
})
