import { afterAll, expect, test } from 'vitest'
import { startFakeProvider, fakeProviderKey } from '../../../test/harness/fake-provider.ts'
import { makeGroup, type TestGroup } from '../../../test/harness/enrollment-group.ts'
import { startPlatform } from '../../../test/harness/platform.ts'
import { deriveKey } from './derive-key.ts'

const platform = await startPlatform()
const provider = await startFakeProvider()
afterAll(async () => {
  await platform[Symbol.asyncDispose]()
  await provider[Symbol.asyncDispose]()
})
// A provider of its own, so that the same ids are free in each test.
const target = { provider_base_url: provider.url, provider_api_key: fakeProviderKey }

const derive = (key: string, deviceId: string) => deriveKey(Buffer.from(key, 'base64'), deviceId)
const groupPath = ({ groupId }: TestGroup) => `/api/enrollment-groups/${groupId}`
const readiness = async (group: TestGroup, query = '') =>
  (await platform.get(`${groupPath(group)}/keys/readiness${query}`)).body
const listIds = async (group: TestGroup, list: string) =>
  (await readiness(group, `?list=${list}`)).items.map(({ device_id }: { device_id: string }) => device_id)
const flip = (group: TestGroup, query = '') => platform.post(`${groupPath(group)}/keys/flip${query}`)
const generate = async (group: TestGroup) => (await platform.post(`${groupPath(group)}/keys/generate`)).body

async function makeDevices(group: TestGroup, ids: string[]) {
  for (const id of ids) {
    await group.add(id)
    await group.provision(id)
  }
}

/** A group with two keys, whose devices are named after what they used. */
async function makeFleet() {
  const group = await makeGroup(platform, { target, group: { response_template: {} } })
  await makeDevices(group, ['new-derived', 'new-raw', 'old-derived', 'old-raw', 'unseen'])
  const keys = await generate(group)
  await group.settings('old-raw', keys.primary_key)
  await group.settings('old-derived', derive(keys.primary_key, 'old-derived'))
  await group.settings('new-raw', keys.secondary_key)
  await group.settings('new-derived', derive(keys.secondary_key, 'new-derived'))
  return { group, keys }
}

test('[docs/onboarding#readiness] counts devices by slot and kind, and lists them', async () => {
  const { group } = await makeFleet()
  const { items, ...counts } = await readiness(group)
  expect(counts).toEqual({
    devices: 5,
    primary: { bootstrap: 1, derived: 1 },
    secondary: { bootstrap: 1, derived: 1 },
    replaced: { bootstrap: 0, derived: 0 },
    unseen: 1,
    ready_to_flip: false,
    ready_for_derived_only: false,
    continuation_token: null,
  })
  expect(items[0]).toEqual(await group.record('old-derived'))
  expect(items[0]).toMatchObject({ last_key_slot: 'primary', last_key_kind: 'derived' })
  expect(await listIds(group, 'not_ready')).toEqual(['old-derived', 'old-raw', 'unseen'])
  expect(await listIds(group, 'old_key')).toEqual(['old-derived', 'old-raw'])
  expect(await listIds(group, 'replaced_key')).toEqual([])
  expect(await listIds(group, 'raw_key')).toEqual(['new-raw', 'old-raw'])
  expect(await listIds(group, 'unseen')).toEqual(['unseen'])
})

test('[docs/onboarding#readiness] a flip moves the devices to the new slot, and keeps those of the old key apart', async () => {
  const { group } = await makeFleet()
  expect((await flip(group)).status).toBe(200)
  expect(await readiness(group)).toMatchObject({
    primary: { bootstrap: 1, derived: 1 },
    secondary: { bootstrap: 0, derived: 0 },
    replaced: { bootstrap: 1, derived: 1 },
    unseen: 1,
  })
  expect(await listIds(group, 'replaced_key')).toEqual(['old-derived', 'old-raw'])
  expect(await listIds(group, 'old_key')).toEqual(['new-derived', 'new-raw'])
  expect(await group.record('old-raw')).toMatchObject({ last_key_slot: null, last_key_kind: 'bootstrap' })
  expect(await group.record('new-raw')).toMatchObject({ last_key_slot: 'primary' })
  // Devices that used the former secondary key are not ready for the next one.
  await generate(group)
  expect(await readiness(group)).toMatchObject({ secondary: { bootstrap: 0, derived: 0 } })
  expect(await listIds(group, 'not_ready')).toHaveLength(5)
})

test('[docs/onboarding#readiness] the list is paged, and each page has the counts', async () => {
  const { group } = await makeFleet()
  const first = await readiness(group, '?limit=2')
  expect(first.items).toHaveLength(2)
  const second = await readiness(group, `?limit=2&cursor=${first.continuation_token}`)
  expect(second).toMatchObject({ items: [{ device_id: 'unseen' }], continuation_token: null, devices: 5 })
})

test.each(['?list=everything', '?limit=0', '?limit=1001', '?cursor=x', '?lst=unseen'])(
  '%s is refused',
  async (query) => {
    const group = await makeGroup(platform, { target })
    const answer = await platform.get(`${groupPath(group)}/keys/readiness${query}`)
    expect(answer).toMatchObject({ status: 400, body: { error: 'validation_error' } })
  },
)

test('[docs/onboarding#readiness] flip with if_ready is refused with the devices, until all use the new key', async () => {
  const { group, keys } = await makeFleet()
  const refused = await flip(group, '?if_ready=true')
  expect(refused).toMatchObject({
    status: 409,
    body: {
      error: 'devices_not_ready',
      details: { devices: 5, unseen: 1, device_ids: ['old-derived', 'old-raw', 'unseen'] },
    },
  })
  expect(refused.body.message).toContain('Of 5 devices, 2 last used the primary key, 1 have not fetched')
  expect(JSON.stringify(refused.body)).not.toContain(keys.primary_key)
  expect((await platform.get(`${groupPath(group)}/keys`)).body).toMatchObject(keys)

  for (const id of ['old-derived', 'old-raw', 'unseen']) await group.settings(id, keys.secondary_key)
  expect(await readiness(group)).toMatchObject({ ready_to_flip: true, items: [] })
  expect(await flip(group, '?if_ready=true')).toMatchObject({
    status: 200,
    body: { primary_key: keys.secondary_key, secondary_key: null },
  })
  expect(await flip(group, '?if_ready=true')).toMatchObject({
    status: 409,
    body: { error: 'secondary_key_empty' },
  })
})

test('flip with if_ready=false takes place, and other values are refused', async () => {
  const { group } = await makeFleet()
  expect((await flip(group, '?if_ready=perhaps')).status).toBe(400)
  expect((await flip(group, '?if_ready=false')).status).toBe(200)
})

test('[docs/onboarding#readiness] soft-deleted devices do not hold up a flip; a group without devices is ready', async () => {
  const group = await makeGroup(platform, { target })
  await generate(group)
  await group.add('gone')
  expect((await flip(group, '?if_ready=true')).status).toBe(409)
  await platform.ctx.db
    .updateTable('onboarding_devices')
    .set({ status: 'deleted' })
    .where('enrollment_group_id', '=', group.groupId)
    .execute()
  expect(await readiness(group)).toMatchObject({ devices: 0, ready_to_flip: true, items: [] })
  expect((await flip(group, '?if_ready=true')).status).toBe(200)
})

test('[docs/onboarding#readiness] derived_only with if_ready says who uses the bootstrap key itself', async () => {
  const { group, keys } = await makeFleet()
  const put = (query: string, body: object = { key_policy: 'derived_only' }) =>
    platform.put(`${groupPath(group)}${query}`, body)
  const refused = await put('?if_ready=true', { key_policy: 'derived_only', name: 'renamed' })
  expect(refused).toMatchObject({
    status: 409,
    body: { error: 'devices_not_ready', details: { device_ids: ['new-raw', 'old-raw', 'unseen'] } },
  })
  expect(refused.body.message).toContain('2 last used a bootstrap key itself, 1 have not fetched')
  expect((await platform.get(groupPath(group))).body).toMatchObject({ name: 'group', key_policy: 'any' })
  // Other fields do not need ready devices.
  expect((await put('?if_ready=true', { name: 'renamed' })).status).toBe(200)

  for (const id of ['new-raw', 'old-raw', 'unseen']) await group.settings(id, derive(keys.secondary_key, id))
  expect(await readiness(group)).toMatchObject({ ready_for_derived_only: true, ready_to_flip: false })
  expect((await put('?if_ready=true')).body).toMatchObject({ key_policy: 'derived_only' })
})

test('[docs/onboarding#readiness] a device whose bootstrap key is gone is not ready for derived_only', async () => {
  const { group, keys } = await makeFleet()
  for (const id of ['new-raw', 'unseen']) await group.settings(id, derive(keys.secondary_key, id))
  await flip(group)
  expect(await readiness(group)).toMatchObject({
    replaced: { bootstrap: 1 },
    unseen: 0,
    ready_for_derived_only: false,
  })
  expect(await listIds(group, 'raw_key')).toEqual(['old-raw'])
})

test('[docs/onboarding#readiness] without if_ready the policy changes at once', async () => {
  const { group } = await makeFleet()
  const changed = await platform.put(groupPath(group), { key_policy: 'derived_only' })
  expect(changed).toMatchObject({ status: 200, body: { key_policy: 'derived_only' } })
})

test('[docs/onboarding#key-slots] the keys show when each was generated and last used', async () => {
  const group = await makeGroup(platform, { target, group: { response_template: {} } })
  await makeDevices(group, ['user'])
  const read = async () => (await platform.get(`${groupPath(group)}/keys`)).body
  expect(await read()).toEqual({
    primary_key: group.bootstrapKey,
    secondary_key: null,
    primary_created_at: expect.any(String),
    primary_last_used_at: null,
    secondary_created_at: null,
    secondary_last_used_at: null,
  })
  const keys = await generate(group)
  await group.settings('user', derive(keys.secondary_key, 'user'))
  const used = await read()
  expect(used).toMatchObject({ primary_last_used_at: null, secondary_last_used_at: expect.any(String) })
  await flip(group)
  expect(await read()).toMatchObject({
    primary_created_at: used.secondary_created_at,
    primary_last_used_at: used.secondary_last_used_at,
    secondary_created_at: null,
    secondary_last_used_at: null,
  })
})

test("another tenant's group has no readiness", async () => {
  const group = await makeGroup(platform, { target })
  const { token } = await platform.makeTenant('curious')
  const answer = await platform.get(`${groupPath(group)}/keys/readiness`, { token })
  expect(answer).toMatchObject({ status: 404, body: { error: 'not_found' } })
})
