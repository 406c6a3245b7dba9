/** Requests of the client against a real server. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { adminPassword, type Platform, startPlatform } from '../../server/test/harness/platform.ts'
import { type ApiError, connect, type ConnectOptions } from '../src/index.ts'

let platform: Platform
beforeAll(async () => {
  platform = await startPlatform()
})
afterAll(() => platform?.[Symbol.asyncDispose]())

const connectAs = (options: Partial<ConnectOptions> = {}) =>
  connect({ url: platform.url, token: platform.adminToken, ...options })

const client = (id: string) => ({ id, displayName: id, organizationId: platform.organizationId })
const mqtt = { providerId: 'mqtt' }

test('a record is created, read, changed and deleted', async () => {
  const gangway = connectAs()
  const path = { ...mqtt, clientId: 'pump-7' }
  const created = await gangway.post('/v1/providers/{providerId}/clients', {
    path: mqtt,
    body: client('pump-7'),
  })
  expect(created.displayName).toBe('pump-7')
  const address = '/v1/providers/{providerId}/clients/{clientId}'
  await gangway.patch(address, { path, body: { displayName: 'Pump 7' } })
  expect(await gangway.get(address, { path })).toMatchObject({ id: 'pump-7', displayName: 'Pump 7' })
  expect(await gangway.delete(address, { path })).toBeUndefined()
})

test('a refusal has status, code, message, details and the request', async () => {
  await expect(connectAs().get('/v1/assets/{assetId}', { path: { assetId: 'none' } })).rejects.toMatchObject({
    name: 'ApiError',
    status: 404,
    code: 'not_found',
    message: 'There is no asset none.',
    details: {},
    request: 'GET /v1/assets/none',
    requestId: expect.stringMatching(/^[\da-f]{16}-/),
  })
})

test('an error has the request id that the caller set, in both APIs', async () => {
  const headers = { 'x-request-id': 'nightly-7' }
  const refusals = [
    connectAs().get('/v1/assets/{assetId}', { path: { assetId: 'none' }, headers }),
    connectAs().get('/api/enrollment-groups/{id}', { path: { id: 'none' }, headers }),
  ]
  for (const refusal of refusals) await expect(refusal).rejects.toMatchObject({ requestId: 'nightly-7' })
})

test('the issues of a refusal name the wrong fields, whichever API refused', async () => {
  const gangway = connectAs()
  const body = { displayName: 5 } as never
  const refusals = [
    gangway.post('/v1/providers/{providerId}/clients', { path: mqtt, body }),
    gangway.post('/api/enrollment-groups', { body: { name: 5 } as never }),
  ]
  const [platformIssues, onboardingIssues] = await Promise.all(
    refusals.map((refusal) =>
      refusal.then(
        () => [],
        (error: ApiError) => error.issues,
      ),
    ),
  )
  expect(platformIssues).toEqual([
    { path: 'body', message: 'must have id' },
    { path: 'displayName', message: 'must be a string; this is 5' },
  ])
  expect(onboardingIssues).toEqual([
    { path: 'body', message: 'must have routing_target_id, response_template' },
    { path: 'name', message: 'must be a string; this is 5' },
  ])
})

test('a list of the platform (an array and a Link) is read over all its pages', async () => {
  const gangway = connectAs()
  const ids = ['list-1', 'list-2', 'list-3', 'list-4', 'list-5']
  const path = { providerId: 'listed' }
  const provider = { type: 'import', displayName: 'Listed', organizationId: platform.organizationId } as const
  await gangway.put('/v1/providers/{providerId}', { path, body: provider })
  for (const id of ids)
    await gangway.post('/v1/providers/{providerId}/clients', { path, body: { id, displayName: id } })
  const found: string[] = []
  for await (const { id } of gangway.list('/v1/providers/{providerId}/clients', {
    path,
    query: { limit: 2 },
  }))
    found.push(id)
  expect(found).toEqual(ids)
  const first = await gangway.page('/v1/providers/{providerId}/clients', { path, query: { limit: 2 } })
  expect(first.items.map(({ id }) => id)).toEqual(ids.slice(0, 2))
  const query = { limit: 3, cursor: first.cursor! }
  const second = await gangway.page('/v1/providers/{providerId}/clients', { path, query })
  expect(second).toMatchObject({
    items: [{ id: 'list-3' }, { id: 'list-4' }, { id: 'list-5' }],
    cursor: null,
  })
})

test('a list of the onboarding service (an object with a continuation_token) is read over all its pages', async () => {
  const gangway = connectAs()
  const names = ['east', 'north', 'south', 'west']
  for (const name of names)
    await gangway.post('/api/routing-targets', {
      body: {
        name,
        brokers: [{ host: 'broker.example', port: 8883 }],
        provider_base_url: 'https://broker.example',
        provider_api_key: 'key',
        webhook_secret: 'secret',
      },
    })
  const found: string[] = []
  for await (const { name } of gangway.list('/api/routing-targets', { query: { limit: 3 } })) found.push(name)
  expect(found.toSorted()).toEqual(names)
})

test('text is answered as text, and the bytes and headers of an answer can be read', async () => {
  const gangway = connectAs()
  expect(await gangway.get('/metrics')).toContain('# TYPE')
  const response = await gangway.request('get', '/v1/auth/me')
  expect(response.headers.get('x-ratelimit-limit')).toEqual(expect.any(String))
})

test('a refused token is renewed once for all requests, and each is repeated, writes too', async () => {
  let token = 'expired'
  const renew = vi.fn<(refused?: string) => Promise<void>>(async () => {
    token = platform.adminToken
  })
  const gangway = connectAs({ token: () => token, renew })
  const answers = await Promise.all([
    gangway.get('/v1/auth/me'),
    gangway.get('/v1/assets'),
    gangway.post('/v1/providers/{providerId}/clients', { path: mqtt, body: client('renewed-1') }),
  ])
  expect(answers).toHaveLength(3)
  expect(renew).toHaveBeenCalledExactlyOnceWith('expired')
})

test('a request whose token cannot be renewed is refused with 401', async () => {
  const renew = vi.fn<() => void>()
  await expect(connectAs({ token: () => 'expired', renew }).get('/v1/auth/me')).rejects.toMatchObject({
    status: 401,
  })
  expect(renew).toHaveBeenCalledTimes(1)
  await expect(connectAs({ token: undefined }).get('/v1/auth/me')).rejects.toMatchObject({
    code: 'unauthorized',
  })
})

test('a wrong password renews nothing, and a renewal may sign in by the same client', async () => {
  let token: string | undefined
  const renew = vi.fn<(refused?: string) => Promise<void>>(async () => {
    const body = { username: 'admin@example.com', password: adminPassword }
    token = (await gangway.post('/v1/auth/login', { body })).accessToken
  })
  const gangway = connectAs({ token: () => token, renew })
  const wrong = gangway.post('/v1/auth/login', { body: { username: 'admin@example.com', password: 'wrong' } })
  await expect(wrong).rejects.toMatchObject({ status: 401 })
  expect(renew).not.toHaveBeenCalled()
  expect(await gangway.get('/v1/auth/me')).toMatchObject({ tenantId: 'default' })
})

test('an aborted request rejects with the reason of its signal', async () => {
  const reason = new Error('left the page')
  await expect(connectAs().get('/v1/auth/me', { signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
})

test('a server that cannot be reached is a ConnectionError', async () => {
  const gangway = connect({ url: 'http://127.0.0.1:1' })
  await expect(gangway.get('/v1/auth/me')).rejects.toMatchObject({
    name: 'ConnectionError',
    request: 'GET /v1/auth/me',
    message: 'GET /v1/auth/me had no answer: the server cannot be reached, or the connection broke.',
  })
})
