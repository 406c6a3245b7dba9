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

test('[docs/onboarding#devices] adding a new device answers 201 with its record, adding it again 200 with the same record', async () => {
  const { groupId, add } = await makeGroup(platform)
  const first = await add('pump-1')
  expect(first.status).toBe(201)
  expect(first.body).toEqual({
    device_id: 'pump-1',
    enrollment_group_id: groupId,
    status: 'registered',
    created_at: expect.any(String),
    provisioned_at: null,
    last_settings_at: null,
    last_key_slot: null,
    last_key_kind: null,
  })
  expect(await add('pump-1')).toMatchObject({ status: 200, body: first.body })
})

test('a soft-deleted device that is added again is registered with a new creation time', async () => {
  const { groupId, add } = await makeGroup(platform)
  const first = (await add('returns')).body
  await platform.ctx.db
    .updateTable('onboarding_devices')
    .set({ status: 'deleted', provisioned_at: new Date(), last_settings_at: new Date() })
    .where('enrollment_group_id', '=', groupId)
    .execute()
  const again = await add('returns')
  expect(again).toMatchObject({
    status: 201,
    body: { status: 'registered', provisioned_at: null, last_settings_at: null },
  })
  expect(Date.parse(again.body.created_at)).toBeGreaterThan(Date.parse(first.created_at))
})

test('concurrent requests for the same device add it once', async () => {
  const { add } = await makeGroup(platform)
  const answers = await Promise.all(Array.from({ length: 10 }, () => add('raced')))
  expect(answers.map(({ status }) => status).toSorted()).toEqual([...Array(9).fill(200), 201])
})

test.each([
  '',
  'a b',
  'a/b',
  "a'b",
  'a"b',
  'a;b',
  'a:b',
  '../etc',
  '.',
  '..',
  'a\u0000b',
  'ü',
  'x'.repeat(129),
  '#',
  '+',
])('[docs/api#ids] %j is not a device id', async (id) => {
  const { add, groupId } = await makeGroup(platform)
  expect(await add(id)).toMatchObject({ status: 400, body: { error: 'validation_error' } })
  const answer = await platform.delete(`/api/enrollment-groups/${groupId}/devices/${encodeURIComponent(id)}`)
  expect([400, 404]).toContain(answer.status)
})

test('a device that the provider refuses is not added: 422, or 502 if the provider does not answer', async () => {
  const { add, record } = await makeGroup(platform, { target: elsewhere })
  provider.behave(
    (_request, response) => void response.end(JSON.stringify({ valid: false, message: 'not mine' })),
  )
  expect(await add('refused')).toMatchObject({
    status: 422,
    body: { error: 'provider_rejected', message: 'not mine' },
  })
  provider.behave((request) => void request.socket.destroy())
  const away = await add('refused')
  expect(away).toMatchObject({ status: 502, body: { error: 'provider_unavailable' } })
  expect(away.headers.get('retry-after')).toBe('10')
  provider.behave()
  expect(await record('refused')).toBeUndefined()
  expect((await add('refused')).status).toBe(201)
})

test("[docs/onboarding#devices] a device of another tenant's broker is refused", async () => {
  const { token } = await platform.makeTenant('rival')
  const theirs = await makeGroup(platform, { token })
  await theirs.add('contested')
  await theirs.provision('contested')
  const ours = await makeGroup(platform)
  const answer = await ours.add('contested')
  expect(answer).toMatchObject({ status: 422, body: { error: 'provider_rejected' } })
  expect(answer.body.message).not.toContain('rival')
})

test('[docs/onboarding#device-states] a registered or provisioned device is removed once', async () => {
  const { groupId, add, provision, record } = await makeGroup(platform)
  const path = `/api/enrollment-groups/${groupId}/devices/removable`
  await add('removable')
  expect((await platform.delete(path)).status).toBe(204)
  expect(await platform.delete(path)).toMatchObject({ status: 404, body: { error: 'device_not_registered' } })
  expect((await add('removable')).status).toBe(201)
  await provision('removable')
  expect((await platform.delete(path)).status).toBe(204)
  expect(await record('removable')).toBeUndefined()
})

test('a list is paged by device id, and an invalid cursor is refused', async () => {
  const { groupId, add } = await makeGroup(platform)
  for (const id of ['b', 'B', 'a', 'a.1', 'c']) await add(id)
  const ids: string[] = []
  let cursor: string | null = ''
  while (cursor !== null) {
    const query = `limit=2${cursor && `&cursor=${cursor}`}`
    const { body } = await platform.get(`/api/enrollment-groups/${groupId}/devices?${query}`)
    ids.push(...body.items.map((item: { device_id: string }) => item.device_id))
    cursor = body.continuation_token
  }
  expect(ids).toEqual(['B', 'a', 'a.1', 'b', 'c'])
  for (const bad of ['nonsense', Buffer.from("a' or 1=1").toString('base64url')])
    expect((await platform.get(`/api/enrollment-groups/${groupId}/devices?cursor=${bad}`)).status).toBe(400)
})
