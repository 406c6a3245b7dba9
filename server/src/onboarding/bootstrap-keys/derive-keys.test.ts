import { afterAll, expect, test } from 'vitest'
import { makeGroup } from '../../../test/harness/enrollment-group.ts'
import { startPlatform } from '../../../test/harness/platform.ts'
import { makeUser } from '../../../test/harness/users.ts'
import { deriveKey } from './derive-key.ts'

const platform = await startPlatform()
afterAll(() => platform[Symbol.asyncDispose]())

const group = await makeGroup(platform)
const path = `/api/enrollment-groups/${group.groupId}/keys`
const derive = (key: string, deviceId: string) => deriveKey(Buffer.from(key, 'base64'), deviceId)
const ask = (device_ids: unknown, headers: Record<string, string> = {}, at = path) =>
  platform.post(`${at}/derive`, { device_ids }, { headers })

test('[docs/onboarding#keys-for-the-factory] one item for each id, in the order of the request', async () => {
  const answer = await ask(['b', 'a', 'b'])
  expect(answer.status).toBe(200)
  expect(answer.headers.get('cache-control')).toBe('no-store')
  expect(answer.body).toEqual({
    items: ['b', 'a', 'b'].map((device_id) => ({
      device_id,
      primary_key: derive(group.bootstrapKey, device_id),
      secondary_key: null,
    })),
  })
})

test('[docs/onboarding#keys-for-the-factory] both slots, 10,000 ids, as one JSON object per line', async () => {
  const rotating = await makeGroup(platform)
  const at = `/api/enrollment-groups/${rotating.groupId}/keys`
  const { body: keys } = await platform.post(`${at}/generate`)
  const ids = Array.from({ length: 10_000 }, (_, index) => `${'x'.repeat(120)}${index}`)
  const answer = await ask(ids, { accept: 'application/x-ndjson, application/json' }, at)
  expect(answer.headers.get('content-type')).toBe('application/x-ndjson')
  const lines = (answer.body as string).split('\n')
  expect(lines.pop()).toBe('')
  const items = lines.map((line) => JSON.parse(line))
  expect(items.map(({ device_id }) => device_id)).toEqual(ids)
  for (const { device_id, ...derived } of [items[0], items[9_999]])
    expect(derived).toEqual({
      primary_key: derive(keys.primary_key, device_id),
      secondary_key: derive(keys.secondary_key, device_id),
    })
  const { body: whole } = await ask(ids, {}, at)
  expect(whole.items).toEqual(items)
})

test.each([
  ['no ids', []],
  ['no list', 'pump-1'],
  ['nothing', undefined],
  ['an empty id', ['pump-1', '']],
  ['a colon', ['pump:1']],
  ['a line feed', ['pump-1\n']],
  ['two dots', ['..']],
  ['129 characters', ['x'.repeat(129)]],
  ['a number', [7]],
  ['null', [null]],
  ['a nested list', [['pump-1']]],
  ['text that is not ASCII', ['pümp']],
  ['10,001 ids', Array.from({ length: 10_001 }, (_, index) => `pump-${index}`)],
])('%s is refused', async (_what, ids) => {
  const answer = await ask(ids)
  expect(answer).toMatchObject({ status: 400, body: { error: 'validation_error' } })
  expect(answer.body.message).toContain('device_ids')
})

test('bodies that are too large, of another type or with unknown fields are refused', async () => {
  expect((await ask(['x'.repeat(3 * 1024 * 1024)])).status).toBe(413)
  const headers = { 'content-type': 'application/x-ndjson' }
  expect((await platform.post(`${path}/derive`, '{"device_ids":["a"]}', { headers })).status).toBe(415)
  const unknown = await platform.post(`${path}/derive`, { device_ids: ['a'], slot: 'primary' })
  expect(unknown).toMatchObject({ status: 400, body: { message: expect.stringContaining('slot') } })
})

test('[docs/onboarding#keys-for-the-factory] a group without a key is refused', async () => {
  const { body: empty } = await platform.post('/api/enrollment-groups', {
    name: 'empty',
    routing_target_id: group.targetId,
    response_template: {},
  })
  const answer = await ask(['a'], {}, `/api/enrollment-groups/${empty.id}/keys`)
  expect(answer).toMatchObject({ status: 409, body: { error: 'primary_key_empty' } })
})

test("only those who may read the group's keys derive keys, and another tenant finds no group", async () => {
  const { token } = await platform.makeTenant('strangers')
  const body = { device_ids: ['a'] }
  expect((await platform.post(`${path}/derive`, body, { token })).status).toBe(404)
  expect((await platform.post(`${path}/derive`, body, { token: null })).status).toBe(401)
  const user = await makeUser(platform)
  expect((await platform.post(`${path}/derive`, body, { token: user.token })).status).toBe(403)
  const unknown = '/api/enrollment-groups/01900000-0000-7000-8000-000000000000/keys'
  expect((await ask(['a'], {}, unknown)).status).toBe(404)
})

test('each device has an audit entry without its keys', async () => {
  const { body } = await ask(['audited-1', 'audited-2', 'audited-1'])
  for (const { device_id, primary_key } of body.items) {
    const { body: entries } = await platform.get(`/v1/audit-log?resourceId=${device_id}`)
    expect(entries).toMatchObject([
      { action: 'derive-keys', resourceType: 'onboarding_device', after: { device_id } },
    ])
    expect(JSON.stringify(entries)).not.toContain(primary_key)
  }
})
