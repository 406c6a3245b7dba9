import { afterAll, afterEach, expect, test } from 'vitest'
import { fakeCredentials, fakeProviderKey, startFakeProvider } from '../../../test/harness/fake-provider.ts'
import { createOutbound } from '../../lib/outbound.ts'
import { httpProviderApi } from './http.ts'

const provider = await startFakeProvider()
const outbound = createOutbound(['loopback'])
afterAll(async () => {
  await provider[Symbol.asyncDispose]()
  await outbound.close()
})
afterEach(() => provider.behave())

const api = httpProviderApi(outbound, `${provider.url}/`, fakeProviderKey)
const impatientApi = httpProviderApi(outbound, `${provider.url}/`, fakeProviderKey, { timeoutMs: 500 })
const verdictOn = async (id: string, { validate } = api) => (await validate([id]))[0]

test('[docs/providers#provider-api] validates, creates and reads credentials', async () => {
  provider.calls.length = 0
  expect(await verdictOn('a')).toBeUndefined()
  expect(await api.createClient('a', 'request')).toEqual({ created: true })
  expect(await api.createClient('a', 'request')).toEqual({ created: false })
  expect(await api.credentials('a')).toEqual(fakeCredentials('a'))
  expect(provider.calls).toEqual([
    'POST /clients/validate {"id":"a"}',
    'POST /clients {"id":"a","displayName":"a","enabled":true}',
    'POST /clients {"id":"a","displayName":"a","enabled":true}',
    'GET /clients/a/credentials',
  ])
})

const json = (status: number, body: unknown) =>
  provider.behave((_request, response) => void response.writeHead(status).end(JSON.stringify(body)))

test('a device that the provider refuses is provider_rejected, with the truncated and cleaned reason', async () => {
  json(200, { valid: false, error: 'taken', message: `taken\u0000\u001b[31m\u202e ${'x'.repeat(500)}` })
  const verdict = await verdictOn('a')
  expect(verdict).toMatchObject({
    code: 'provider_rejected',
    message: expect.stringMatching(/^taken \[31m x{50,200}$/),
  })
  json(200, { valid: false, message: { deep: true } })
  expect(await verdictOn('a')).toMatchObject({ code: 'provider_rejected' })
})

test.each([
  [400, 'provider_rejected'],
  [422, 'provider_rejected'],
  [401, 'provider_unavailable'],
  [403, 'provider_unavailable'],
  [404, 'provider_unavailable'],
  [418, 'provider_unavailable'],
  [429, 'provider_unavailable'],
  [500, 'provider_unavailable'],
])('an answer of %i is %s, and its body is not shown', async (status, code) => {
  json(status, { message: 'inner secret' })
  const problems = [
    await verdictOn('a'),
    await api.createClient('a', 'request').catch((error: unknown) => error),
    await api.credentials('a').catch((error: unknown) => error),
  ]
  for (const problem of problems) {
    expect(problem).toMatchObject({ code })
    expect((problem as Error).message).not.toContain('inner secret')
  }
})

test.each<[string, () => void]>([
  ['lies with 200 and nothing of the shape', () => json(200, { ok: true })],
  ['lies about types', () => json(200, { valid: 'yes', primaryKey: 1, secondaryKey: null })],
  ['answers an array', () => json(200, [true])],
  [
    'answers HTML',
    () => provider.behave((_request, response) => void response.end('<html>inner secret</html>')),
  ],
  ['answers nothing', () => provider.behave((_request, response) => void response.end())],
  [
    'answers JSON nested a thousandfold',
    () => provider.behave((_request, response) => void response.end('['.repeat(20_000))),
  ],
  [
    'redirects',
    () =>
      provider.behave(
        (_request, response) => void response.writeHead(302, { location: '/clients/elsewhere' }).end(),
      ),
  ],
  ['answers 100 MB', () => provider.behave((_request, response) => flood(response, 100))],
  ['hangs', () => provider.behave(() => {})],
  ['hangs in the middle', () => provider.behave((_request, response) => void response.write('{"valid":'))],
  ['hangs up', () => provider.behave((request) => void request.socket.destroy())],
])(
  'a provider that %s is provider_unavailable, and the message reveals no internals of it',
  async (what, misbehave) => {
    misbehave()
    provider.calls.length = 0
    const asked = what.startsWith('hangs') ? impatientApi : api
    const problems = [
      await verdictOn('a', asked),
      await asked.credentials('a').catch((error: unknown) => error),
    ]
    for (const problem of problems) {
      expect(problem).toMatchObject({ code: 'provider_unavailable', retryAfterSeconds: expect.any(Number) })
      expect((problem as Error).message).not.toMatch(/inner secret|127\.0\.0\.1|\/clients/)
    }
    expect(provider.calls).toHaveLength(2)
  },
)

function flood(
  response: { write(chunk: Buffer): boolean; once(event: 'drain', go: () => void): void },
  megabytes: number,
) {
  const chunk = Buffer.alloc(1024 * 1024, 0x20)
  let left = megabytes
  const more = () => {
    while (left-- > 0) if (!response.write(chunk)) return response.once('drain', more)
  }
  more()
}

test('an address that is neither public nor allowed is not called', async () => {
  const closed = createOutbound([])
  provider.calls.length = 0
  const [verdict] = await httpProviderApi(closed, provider.url, fakeProviderKey).validate(['a'])
  expect(verdict).toMatchObject({
    code: 'provider_unavailable',
    message: expect.stringContaining('GANGWAY_OUTBOUND_ALLOW'),
  })
  expect(provider.calls).toEqual([])
  await closed.close()
})

test('[docs/onboarding#limits] at most 20 validations run at once', async () => {
  const ids = Array.from({ length: 100 }, (_, index) => `d-${index}`)
  const waiting: (() => void)[] = []
  let mostWaiting = 0
  // If a twenty-first request had been sent with them, it would arrive during these requests.
  const answerAll = async () => {
    for (let round = 0; round < 5; round++) await fetch(provider.url)
    for (const answer of waiting.splice(0)) answer()
  }
  provider.behave((request, response) => {
    if (request.method === 'GET') return void response.end()
    const { id } = request.json as { id: string }
    waiting.push(() => response.end(JSON.stringify({ valid: id !== 'd-7', message: 'not this one' })))
    mostWaiting = Math.max(mostWaiting, waiting.length)
    // No request is answered before twenty are waiting.
    return waiting.length === 20 ? answerAll() : undefined
  })
  const verdicts = await api.validate(ids)
  expect(mostWaiting).toBe(20)
  expect(verdicts.flatMap((verdict, index) => (verdict ? [[ids[index], verdict.message]] : []))).toEqual([
    ['d-7', 'not this one'],
  ])
})

test('validation stops at a provider that answers no request', async () => {
  provider.behave(() => {})
  provider.calls.length = 0
  const verdicts = await api.validate(Array.from({ length: 1000 }, (_, index) => `d-${index}`))
  expect(provider.calls.length).toBeLessThanOrEqual(40)
  expect(verdicts.filter((verdict) => verdict?.code === 'provider_unavailable')).toHaveLength(1000)
})
