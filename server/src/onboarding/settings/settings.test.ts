import { afterAll, expect, test } from 'vitest'
import { fakeCredentials, fakeProviderKey, startFakeProvider } from '../../../test/harness/fake-provider.ts'
import { fetchSettings, makeGroup, type TestGroup } from '../../../test/harness/enrollment-group.ts'
import { startPlatform } from '../../../test/harness/platform.ts'
import type { ProviderApi } from '../provider-api/provider-api.ts'
import { createGroupCache } from './group-cache.ts'

const platform = await startPlatform()
const provider = await startFakeProvider()
afterAll(async () => {
  await platform[Symbol.asyncDispose]()
  await provider[Symbol.asyncDispose]()
})
const elsewhere = { provider_base_url: provider.url, provider_api_key: fakeProviderKey }

async function admit({ add, provision }: TestGroup, deviceId: string) {
  await add(deviceId)
  await provision(deviceId)
}

test('[docs/onboarding#settings] the template is rendered with the credentials of the provider', async () => {
  const group = await makeGroup(platform)
  await admit(group, 'pump-1')
  const { status, headers, body } = await group.settings('pump-1')
  const { body: keys } = await platform.get('/v1/providers/mqtt/clients/pump-1/credentials')
  expect(status).toBe(200)
  expect(headers.get('cache-control')).toBe('no-store')
  expect(body).toEqual({
    device_id: 'pump-1',
    mqtt: {
      host: 'mqtt.example.com',
      port: 1883,
      password: keys.primaryKey,
      next_password: keys.secondaryKey,
    },
  })
})

test('[docs/onboarding#settings] credentials are read from the provider for each request', async () => {
  const group = await makeGroup(platform)
  await admit(group, 'rotating')
  const before = await group.settings('rotating')
  await platform.post('/v1/providers/mqtt/clients/rotating/credentials/rotate')
  const after = await group.settings('rotating')
  expect(after.body.mqtt.password).toBe(before.body.mqtt.next_password)
})

test('[docs/onboarding#settings] either key is valid; after a flip the previous primary key is not', async () => {
  const group = await makeGroup(platform)
  await admit(group, 'keyed')
  const { body: keys } = await platform.post(`/api/enrollment-groups/${group.groupId}/keys/generate`)
  expect((await group.settings('keyed', keys.primary_key)).status).toBe(200)
  expect(await group.record('keyed')).toMatchObject({ last_key_slot: 'primary' })
  expect((await group.settings('keyed', keys.secondary_key)).status).toBe(200)
  expect(await group.record('keyed')).toMatchObject({
    last_key_slot: 'secondary',
    last_settings_at: expect.any(String),
  })
  await platform.post(`/api/enrollment-groups/${group.groupId}/keys/flip`)
  expect((await group.settings('keyed', keys.primary_key)).status).toBe(401)
  expect((await group.settings('keyed', keys.secondary_key)).status).toBe(200)
  expect(await group.record('keyed')).toMatchObject({ last_key_slot: 'primary' })
})

test('[docs/onboarding#settings] an unknown device, a wrong key and a key of another group have the same answer', async () => {
  const group = await makeGroup(platform)
  const other = await makeGroup(platform)
  await admit(group, 'guarded')
  const answers = await Promise.all([
    group.settings('unknown'),
    group.settings('guarded', 'wrong'),
    group.settings('guarded', ''),
    group.settings('guarded', other.bootstrapKey),
    group.settings("x' or '1'='1"),
    group.settings('x'.repeat(5000)),
    group.settings('guarded', `${group.bootstrapKey} `),
  ])
  for (const { status, headers, body } of answers) {
    expect({ status, body }).toEqual({ status: 401, body: answers[0]!.body })
    expect(headers.get('www-authenticate')).toMatch(/^Basic/)
  }
  expect(answers[0]!.body.error).toBe('unauthorized')
})

test.each([undefined, 'Basic', 'Basic !!!', 'Basic bm9jb2xvbg==', 'Bearer abc', 'Basic OnB3'])(
  'the header %s is unauthorized',
  async (authorization) => {
    const headers: Record<string, string> = authorization ? { authorization } : {}
    expect(await platform.get('/get_settings', { token: null, headers })).toMatchObject({
      status: 401,
      body: { error: 'unauthorized' },
    })
  },
)

test('[docs/onboarding#settings] a bootstrap key is not valid for another tenant, even if both have a device with that id', async () => {
  const { token } = await platform.makeTenant('neighbour')
  const ours = await makeGroup(platform, { target: elsewhere, group: { response_template: { of: 'us' } } })
  const theirs = await makeGroup(platform, {
    token,
    target: elsewhere,
    group: { response_template: { of: 'them' } },
  })
  await admit(ours, 'shared-name')
  await admit(theirs, 'shared-name')
  expect((await fetchSettings(platform, 'shared-name', ours.bootstrapKey)).body).toEqual({ of: 'us' })
  expect((await fetchSettings(platform, 'shared-name', theirs.bootstrapKey)).body).toEqual({ of: 'them' })
})

test.each([0, 1])(
  'a settings request is recorded for the device, not for one with the same id in another group (%i)',
  async (asking) => {
    const groups = [await makeGroup(platform), await makeGroup(platform)]
    const deviceId = `in-two-groups-${asking}`
    for (const group of groups) await admit(group, deviceId)
    expect((await groups[asking]!.settings(deviceId)).status).toBe(200)
    expect(await groups[asking]!.record(deviceId)).toMatchObject({ last_key_slot: 'primary' })
    expect(await groups[1 - asking]!.record(deviceId)).toMatchObject({
      last_key_slot: null,
      last_settings_at: null,
    })
  },
)

test('a device that is not provisioned gets Retry-After; with a wrong key it only gets unauthorized', async () => {
  const group = await makeGroup(platform)
  await group.add('early')
  const answer = await group.settings('early')
  expect(answer).toMatchObject({ status: 409, body: { error: 'device_not_provisioned' } })
  expect(answer.headers.get('retry-after')).toBe('30')
  expect((await group.settings('early', 'wrong')).status).toBe(401)
  expect(await group.record('early')).toMatchObject({ last_settings_at: null, last_key_slot: null })
})

test('a disabled group rejects all its devices until it is enabled again', async () => {
  const group = await makeGroup(platform)
  await admit(group, 'paused')
  await group.add('paused-early')
  const path = `/api/enrollment-groups/${group.groupId}`
  await platform.put(path, { status: 'disabled' })
  for (const id of ['paused', 'paused-early'])
    expect(await group.settings(id)).toMatchObject({
      status: 403,
      body: { error: 'enrollment_group_disabled' },
    })
  expect((await group.settings('paused', 'wrong')).status).toBe(401)
  await platform.put(path, { status: 'enabled' })
  expect((await group.settings('paused')).status).toBe(200)
})

test('a change of template, broker or provider applies to the next request', async () => {
  const group = await makeGroup(platform)
  await admit(group, 'changing')
  expect((await group.settings('changing')).body.mqtt.host).toBe('mqtt.example.com')
  await platform.put(`/api/routing-targets/${group.targetId}`, {
    brokers: [{ host: 'new.example.com', port: 8883 }],
  })
  expect((await group.settings('changing')).body.mqtt).toMatchObject({ host: 'new.example.com', port: 8883 })
  await platform.put(`/api/enrollment-groups/${group.groupId}`, {
    response_template: { key: '{{device.primary_key}}' },
  })
  const secrets = { webhook_secret: 'of the new provider' }
  await platform.put(`/api/routing-targets/${group.targetId}`, { ...elsewhere, ...secrets })
  provider.clients.add('changing')
  expect((await group.settings('changing')).body).toEqual({ key: fakeCredentials('changing').primaryKey })
})

test('a group that could not be loaded is loaded again by the next request', async () => {
  const { groupId } = await makeGroup(platform)
  const failures = [new Error('not reachable')]
  const getGroup = createGroupCache(platform.ctx, () => {
    for (const failure of failures.splice(0)) throw failure
    return {} as ProviderApi
  })
  const enrollment = {
    tenantId: 'default',
    groupId,
    status: 'registered',
    registeredAt: '2026-01-01',
    groupVersion: '1',
  } as const
  await expect(getGroup(enrollment)).rejects.toThrow('not reachable')
  expect((await getGroup(enrollment)).id).toBe(groupId)
})

test('an id in capitals is the same id: secrets saved with it can be opened', async () => {
  const group = await makeGroup(platform, { target: { provider_base_url: provider.url } })
  await platform.put(`/api/routing-targets/${group.targetId.toUpperCase()}`, {
    provider_api_key: fakeProviderKey,
  })
  await platform.post(`/api/enrollment-groups/${group.groupId.toUpperCase()}/keys/generate`)
  const { body: keys } = await platform.post(
    `/api/enrollment-groups/${group.groupId.toUpperCase()}/keys/flip`,
  )
  await admit(group, 'capital')
  expect((await group.settings('capital', keys.primary_key)).status).toBe(200)
})

test('unusual keys of a template are in the settings', async () => {
  const response_template = { constructor: '{{device.id}}', toString: { length: '{{target.port}}' } }
  const group = await makeGroup(platform, { group: { response_template } })
  await admit(group, 'odd')
  const { body } = await group.settings('odd')
  expect(body).toEqual({ constructor: 'odd', toString: { length: 1883 } })
})

test('[docs/onboarding#routing-targets] with `spread`, each device always gets the same broker', async () => {
  const brokers = ['a', 'b', 'c'].map((host) => ({ host, port: 1883 }))
  const target = { ...elsewhere, brokers, broker_selection: 'spread' }
  const group = await makeGroup(platform, {
    target,
    group: { response_template: { host: '{{target.host}}' } },
  })
  const ids = Array.from({ length: 30 }, (_, n) => `spread-${n}`)
  for (const id of ids) await admit(group, id)
  const listHosts = () => Promise.all(ids.map(async (id) => (await group.settings(id)).body.host))
  const hosts = await listHosts()
  expect(new Set(hosts)).toEqual(new Set(['a', 'b', 'c']))
  expect(await listHosts()).toEqual(hosts)
})

test('an unavailable provider is answered with 502 and Retry-After, and nothing is recorded', async () => {
  const group = await makeGroup(platform, { target: elsewhere })
  await admit(group, 'waiting')
  provider.behave((request) => void request.socket.destroy())
  const answer = await group.settings('waiting')
  provider.behave()
  expect(answer).toMatchObject({ status: 502, body: { error: 'provider_unavailable' } })
  expect(answer.headers.get('retry-after')).toBe('10')
  expect(await group.record('waiting')).toMatchObject({ last_settings_at: null })
  expect((await group.settings('waiting')).status).toBe(200)
})

test('a removed device is unknown', async () => {
  const group = await makeGroup(platform)
  await admit(group, 'gone')
  await platform.delete(`/api/enrollment-groups/${group.groupId}/devices/gone`)
  expect((await group.settings('gone')).status).toBe(401)
})

test('[docs/onboarding#settings] failures are rate-limited for the guessed device, but not a boot storm behind the same address', async () => {
  const group = await makeGroup(platform)
  const ids = Array.from({ length: 60 }, (_, n) => `storm-${n}`)
  for (const id of ids) await admit(group, id)
  await admit(group, 'guessed')
  const guesses = []
  for (let guess = 0; guess < 12; guess++) guesses.push(await group.settings('guessed', `guess ${guess}`))
  expect(guesses.map(({ status }) => status)).toEqual([...Array(10).fill(401), 429, 429])
  expect(guesses[11]!.body.error).toBe('rate_limited')
  expect(Number(guesses[11]!.headers.get('retry-after'))).toBeGreaterThan(0)
  // Other devices of this address cause more failures than an address may have.
  const fail = () => Promise.all(Array.from({ length: 320 }, (_, n) => group.settings(`nobody-${n}`)))
  // They are counted by the minute, which may end among them.
  await expect.poll(async () => (await fail()).some(({ status }) => status === 429)).toBe(true)
  const storm = await Promise.all(ids.map((id) => group.settings(id)))
  expect(storm.every(({ status }) => status === 200)).toBe(true)
  expect(storm.map(({ body }) => body.device_id)).toEqual(ids)
})
