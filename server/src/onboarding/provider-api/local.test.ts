import { afterAll, expect, test } from 'vitest'
import { makeGroup } from '../../../test/harness/enrollment-group.ts'
import { startPlatform } from '../../../test/harness/platform.ts'
import { makeOrganization, makeUser, relate } from '../../../test/harness/users.ts'
import { httpProviderApi } from './http.ts'
import { createLocalProviderApi } from './local.ts'
import { localProviderId } from './local-provider-id.ts'

const platform = await startPlatform()
afterAll(() => platform[Symbol.asyncDispose]())
const { ctx } = platform

test('a base URL is local only with an origin of this platform and the path of a provider', () => {
  const here = {
    config: { ...ctx.config, publicUrl: 'https://gangway.example.com' },
    endpoints: { http: 'http://127.0.0.1:8080' },
  }
  const readId = (url: string) => localProviderId(here, url)
  expect(readId('http://localhost:8080/v1/providers/mqtt')).toBe('mqtt')
  expect(readId('http://127.0.0.1:8080/providers/mqtt/')).toBe('mqtt')
  expect(readId('http://[::1]:8080/v1/providers/a;b')).toBe('a;b')
  expect(readId('https://gangway.example.com/v1/providers/mqtt')).toBe('mqtt')
  for (const elsewhere of [
    'http://localhost:8081/v1/providers/mqtt',
    'https://localhost:8080/v1/providers/mqtt',
    'http://gangway.example.com/v1/providers/mqtt',
    'https://gangway.example.com.evil.example/v1/providers/mqtt',
    'http://localhost:8080/v2/providers/mqtt',
    'http://localhost:8080/v1/providers/mqtt/clients',
    'http://localhost:8080/v1/providers/',
    'http://localhost:8080/v1/providers/a%2Fb',
  ])
    expect(readId(elsewhere)).toBeUndefined()
})

/** The same provider over HTTP and in the process has to answer the same. */
const both = (apiKey: string, providerId = 'mqtt') => [
  createLocalProviderApi(ctx)(providerId, apiKey),
  httpProviderApi(ctx.outbound, `${platform.url}/v1/providers/${providerId}`, apiKey),
]
const tokenWith = async (fields: object, token = platform.adminToken) =>
  (await platform.post('/v1/api-tokens', { displayName: 'provider', ...fields }, { token })).body
    .token as string

test('the provider behaves the same in the process and over HTTP', async () => {
  const apiKey = await tokenWith({ privileges: ['provider_client_management'] })
  const [local, http] = both(apiKey)
  expect(await local!.createClient('one', 'r')).toEqual({ created: true })
  expect(await http!.createClient('one', 'r')).toEqual({ created: false })
  expect(await http!.createClient('two', 'r')).toEqual({ created: true })
  expect(await local!.createClient('two', 'r')).toEqual({ created: false })
  expect(await local!.credentials('two')).toEqual(await http!.credentials('two'))
  expect(await local!.validate(['one', 'three'])).toEqual(await http!.validate(['one', 'three']))
})

test('access is decided as in the route: wrong, limited and revoked keys, and other tenants', async () => {
  const { token: otherAdmin } = await platform.makeTenant('elsewhere')
  const limited = await tokenWith({ privileges: ['alarm_management'] })
  const dataView = await tokenWith({ privileges: ['data_view'] })
  const foreign = await tokenWith({}, otherAdmin)
  const apiKey = await tokenWith({})
  await both(apiKey)[0]!.createClient('kept', 'r')
  for (const [key, provider] of [
    ['no-token', 'mqtt'],
    [limited, 'mqtt'],
    [dataView, 'mqtt'],
    [apiKey, 'no-such-provider'],
  ] as const)
    for (const api of both(key, provider)) {
      expect((await api.validate(['kept']))[0]).toMatchObject({ code: 'provider_unavailable' })
      await expect(api.createClient('kept', 'r')).rejects.toMatchObject({ code: 'provider_unavailable' })
      await expect(api.credentials('kept')).rejects.toMatchObject({ code: 'provider_unavailable' })
    }
  for (const api of both(foreign)) {
    // The other tenant's broker does not have the device, and cannot use its id. [docs/onboarding#devices]
    await expect(api.credentials('kept')).rejects.toMatchObject({ code: 'provider_unavailable' })
    expect((await api.validate(['kept']))[0]).toMatchObject({ code: 'provider_rejected' })
    await expect(api.createClient('kept', 'r')).rejects.toMatchObject({ code: 'provider_rejected' })
  }
})

test('a key without the privilege reads only the credentials of clients that its user manages', async () => {
  const api = both(await tokenWith({}))[0]!
  for (const id of ['managed', 'not-managed']) await api.createClient(id, 'r')
  const user = await makeUser(platform)
  await relate(platform, `${user.id} manager provider_client:managed`)
  const apis = both(await tokenWith({}, user.token))
  const refusal = { code: 'provider_unavailable', message: expect.stringContaining('refuses the API key') }
  for (const one of apis) {
    expect(await one.credentials('managed')).toEqual(await api.credentials('managed'))
    await expect(one.credentials('not-managed')).rejects.toMatchObject(refusal)
  }
  // Within one batch, access to each client is decided separately.
  const local = apis[0]!
  const together = await Promise.allSettled(['managed', 'not-managed'].map((id) => local.credentials(id)))
  expect(together.map(({ status }) => status)).toEqual(['fulfilled', 'rejected'])
})

test('the first request after a rotation answers the new keys', async () => {
  const api = both(await tokenWith({}))[0]!
  await api.createClient('rotated', 'r')
  const before = await api.credentials('rotated')
  await platform.post('/v1/providers/mqtt/clients/rotated/credentials/rotate', {})
  const after = await api.credentials('rotated')
  expect(after.primaryKey).toBe(before.secondaryKey)
  expect(after.secondaryKey).not.toBe(before.secondaryKey)
})

test('the first settings request after a revocation of the token fails', async () => {
  const made = await platform.post('/v1/api-tokens', { displayName: 'to revoke' })
  const group = await makeGroup(platform, { target: { provider_api_key: made.body.token } })
  await group.add('revoked-1')
  await group.provision('revoked-1')
  expect((await group.settings('revoked-1')).status).toBe(200)
  await platform.delete(`/v1/api-tokens/${made.body.id}`)
  const answer = await group.settings('revoked-1')
  expect(answer).toMatchObject({ status: 502, body: { error: 'provider_unavailable' } })
  expect(answer.headers.get('retry-after')).toBe('10')
})

test('concurrent requests for credentials each get those of their device', async () => {
  const api = both(await tokenWith({}))[0]!
  const ids = Array.from({ length: 30 }, (_, index) => `many-${index}`)
  for (const id of ids) await api.createClient(id, 'r')
  const together = await Promise.all(ids.map((id) => api.credentials(id)))
  for (const [index, id] of ids.entries()) expect(together[index]).toEqual(await api.credentials(id))
  const absent = await Promise.allSettled([api.credentials('many-0'), api.credentials('absent')])
  expect(absent.map(({ status }) => status)).toEqual(['fulfilled', 'rejected'])
})

test('the organization of clients and the access to them are decided for each request', async () => {
  const [here, there] = [await makeOrganization(platform), await makeOrganization(platform)]
  for (const [id, organizationId] of [
    ['here', here],
    ['there', there],
  ])
    await platform.post('/v1/providers/mqtt/clients', { id, displayName: id, organizationId })
  const user = await makeUser(platform)
  const held = await relate(platform, `${user.id} provider_client_manager organization:${here}`)
  const local = both(await tokenWith({}, user.token))[0]!
  const opened = async () =>
    (await Promise.allSettled(['here', 'there'].map((id) => local.credentials(id)))).map(
      ({ status }) => status === 'fulfilled',
    )
  expect([await opened(), await opened()]).toEqual([
    [true, false],
    [true, false],
  ])
  await relate(platform, `${user.id} provider_client_manager organization:${there}`)
  expect([await opened(), await opened()]).toEqual([
    [true, true],
    [true, true],
  ])
  await platform.post('/v1/relations/delete', held.body)
  expect([await opened(), await opened()]).toEqual([
    [false, true],
    [false, true],
  ])
})
