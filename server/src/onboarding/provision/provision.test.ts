import { afterAll, expect, test } from 'vitest'
import { fakeProviderKey, startFakeProvider } from '../../../test/harness/fake-provider.ts'
import { makeGroup } from '../../../test/harness/enrollment-group.ts'
import { startPlatform } from '../../../test/harness/platform.ts'

const platform = await startPlatform()
const provider = await startFakeProvider()
afterAll(async () => {
  await platform[Symbol.asyncDispose]()
  await provider[Symbol.asyncDispose]()
})
const elsewhere = { provider_base_url: provider.url, provider_api_key: fakeProviderKey }

test('[docs/onboarding#provisioning] answers 201 for a new enrollment and 200 for an existing one', async () => {
  const { groupId, add, provision, record } = await makeGroup(platform)
  await add('pump-1')
  const first = await provision('pump-1')
  expect(first.status).toBe(201)
  expect(first.body).toEqual({
    device_id: 'pump-1',
    enrollment_group_id: groupId,
    provider_client_created: true,
    enrollment_created: true,
    provisioned_at: expect.stringMatching(/Z$/),
  })
  expect(await provision('pump-1')).toMatchObject({
    status: 200,
    body: { ...first.body, provider_client_created: false, enrollment_created: false },
  })
  expect(await record('pump-1')).toMatchObject({
    status: 'provisioned',
    provisioned_at: first.body.provisioned_at,
  })
  expect((await platform.get('/v1/providers/mqtt/clients/pump-1')).status).toBe(200)
})

test('an unregistered device is device_not_registered, an unknown group not_found', async () => {
  const { provision } = await makeGroup(platform)
  expect(await provision('nobody')).toMatchObject({ status: 404, body: { error: 'device_not_registered' } })
  const enrollment_group_id = '01900000-0000-7000-8000-000000000000'
  const answer = await platform.post('/provision_device', { device_id: 'nobody', enrollment_group_id })
  expect(answer).toMatchObject({ status: 404, body: { error: 'not_found' } })
  for (const body of [
    {},
    { device_id: 'a' },
    { device_id: 'a', enrollment_group_id: 'x' },
    { device_id: 'a/b', enrollment_group_id },
  ])
    expect((await platform.post('/provision_device', body)).status).toBe(400)
})

test('a disabled group does not provision devices', async () => {
  const { groupId, add, provision } = await makeGroup(platform)
  await add('held')
  await platform.put(`/api/enrollment-groups/${groupId}`, { status: 'disabled' })
  expect(await provision('held')).toMatchObject({ status: 403, body: { error: 'enrollment_group_disabled' } })
})

test('provisioning that failed after the provider call can be repeated: the client exists, the enrollment is new', async () => {
  const { add, provision } = await makeGroup(platform, { target: elsewhere })
  await add('broke-off')
  provider.clients.add('broke-off')
  expect(await provision('broke-off')).toMatchObject({
    status: 201,
    body: { provider_client_created: false, enrollment_created: true },
  })
})

test('concurrent calls provision a device once', async () => {
  const { add, provision } = await makeGroup(platform)
  await add('raced')
  const answers = await Promise.all(Array.from({ length: 8 }, () => provision('raced')))
  expect(answers.map(({ status }) => status).toSorted()).toEqual([...Array(7).fill(200), 201])
  expect(answers.filter(({ body }) => body.provider_client_created)).toHaveLength(1)
  expect(new Set(answers.map(({ body }) => body.provisioned_at)).size).toBe(1)
})

test('a provider that refuses or fails leaves the device registered', async () => {
  const { add, provision, record } = await makeGroup(platform, { target: elsewhere })
  await add('unlucky')
  provider.behave((_request, response) => void response.writeHead(422).end('{}'))
  expect(await provision('unlucky')).toMatchObject({ status: 422, body: { error: 'provider_rejected' } })
  provider.behave((_request, response) => void response.writeHead(500).end('{}'))
  expect(await provision('unlucky')).toMatchObject({ status: 502, body: { error: 'provider_unavailable' } })
  provider.behave()
  expect(await record('unlucky')).toMatchObject({ status: 'registered', provisioned_at: null })
  expect((await provision('unlucky')).status).toBe(201)
})

test('provisioning requires a token with provider_client_management', async () => {
  const { groupId } = await makeGroup(platform)
  const made = await platform.post('/v1/api-tokens', {
    displayName: 'limited',
    privileges: ['alarm_management'],
  })
  const call = (token: string | null) =>
    platform.post('/provision_device', { device_id: 'a', enrollment_group_id: groupId }, { token })
  expect(await call(null)).toMatchObject({ status: 401, body: { error: 'unauthorized' } })
  expect(await call(made.body.token)).toMatchObject({ status: 403, body: { error: 'forbidden' } })
})
