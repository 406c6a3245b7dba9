import { afterAll, expect, test } from 'vitest'
import { makeGroup } from '../../../test/harness/enrollment-group.ts'
import { startPlatform } from '../../../test/harness/platform.ts'

const platform = await startPlatform()
afterAll(() => platform[Symbol.asyncDispose]())
const { targetId } = await makeGroup(platform)
const body = {
  name: 'Pumps',
  routing_target_id: targetId,
  response_template: { id: '{{device.id}}', n: [1, null] },
}

test('[docs/onboarding#enrollment-groups] create answers exactly its fields, and the template is returned unchanged', async () => {
  const { status, body: created } = await platform.post('/api/enrollment-groups', body)
  expect(status).toBe(201)
  expect(created).toEqual({
    id: expect.any(String),
    name: 'Pumps',
    auth_method: 'shared_key',
    status: 'enabled',
    routing_target_id: targetId,
    created_at: expect.any(String),
  })
  const { body: read } = await platform.get(`/api/enrollment-groups/${created.id}`)
  expect(read).toEqual({ ...created, response_template: body.response_template })
})

test.each([
  ['an unknown variable', { response_template: { a: ['{{device.secret}}'] } }, 'response_template.a.0'],
  ['a template that is not an object', { response_template: ['{{device.id}}'] }, 'response_template'],
  ['another auth_method', { auth_method: 'password' }, 'auth_method'],
  ['another status', { status: 'paused' }, 'status'],
  ['a target that is not a UUID', { routing_target_id: 'x' }, 'routing_target_id'],
  ['a missing template', { response_template: undefined }, 'response_template'],
])('refuses %s, on create and on update', async (_what, fields, path) => {
  const created = await platform.post('/api/enrollment-groups', { ...body, ...fields })
  expect(created).toMatchObject({ status: 400, body: { error: 'validation_error' } })
  expect(created.body.message).toContain(path)
  if (Object.values(fields)[0] === undefined) return
  const { body: group } = await platform.post('/api/enrollment-groups', body)
  expect((await platform.put(`/api/enrollment-groups/${group.id}`, fields)).status).toBe(400)
})

test('refuses a routing target that does not exist', async () => {
  const routing_target_id = '01900000-0000-7000-8000-000000000000'
  const answer = await platform.post('/api/enrollment-groups', { ...body, routing_target_id })
  expect(answer).toMatchObject({ status: 404, body: { error: 'not_found' } })
})

test('a template may have unusual keys and text that needs escaping, and keeps its order', async () => {
  const text = '{"z":{"toJSON":"{{device.id}}"},"constructor":1,"ünï":"\\"\\\\\\u0007"}'
  const { body: group } = await platform.post(
    '/api/enrollment-groups',
    `{"name":"odd","routing_target_id":"${targetId}","response_template":${text}}`,
    { headers: { 'content-type': 'application/json' } },
  )
  const { body: read } = await platform.get(`/api/enrollment-groups/${group.id}`)
  expect(JSON.stringify(read.response_template)).toBe(text)
})

test('PUT changes only the given fields', async () => {
  const { groupId } = await makeGroup(platform)
  const before = (await platform.get(`/api/enrollment-groups/${groupId}`)).body
  const { status, body: after } = await platform.put(`/api/enrollment-groups/${groupId}`, {
    status: 'disabled',
  })
  expect(status).toBe(200)
  expect(after).toEqual({ ...before, status: 'disabled' })
})

test('a list of groups is paged, and has each group once', async () => {
  const { token } = await platform.makeTenant('pages')
  const ids: string[] = []
  for (let count = 0; count < 3; count++) ids.push((await makeGroup(platform, { token })).groupId)
  const first = await platform.get('/api/enrollment-groups?limit=2', { token })
  const next = first.body.continuation_token
  const second = await platform.get(`/api/enrollment-groups?limit=2&cursor=${next}`, { token })
  expect([...first.body.items, ...second.body.items].map(({ id }) => id)).toEqual(ids)
  expect(second.body.continuation_token).toBeNull()
})

test('[docs/onboarding#enrollment-groups] a group can be deleted only after its devices are removed', async () => {
  const { groupId, add } = await makeGroup(platform)
  await add('tenant-of-the-group')
  const path = `/api/enrollment-groups/${groupId}`
  expect(await platform.delete(path)).toMatchObject({
    status: 409,
    body: { error: 'enrollment_group_not_empty' },
  })
  expect((await platform.delete(`${path}/devices/tenant-of-the-group`)).status).toBe(204)
  expect((await platform.delete(path)).status).toBe(204)
  expect((await platform.get(path)).status).toBe(404)
})

test("another tenant's group is not found, and a group cannot refer to another tenant's target", async () => {
  const { groupId } = await makeGroup(platform)
  const { token } = await platform.makeTenant('others')
  const path = `/api/enrollment-groups/${groupId}`
  for (const answer of [
    await platform.get(path, { token }),
    await platform.put(path, { name: 'mine' }, { token }),
    await platform.delete(path, { token }),
    await platform.get(`${path}/keys`, { token }),
    await platform.post(`${path}/keys/generate`, undefined, { token }),
    await platform.post(`${path}/keys/flip`, undefined, { token }),
    await platform.get(`${path}/devices`, { token }),
    await platform.post(`${path}/devices`, { device_id: 'a' }, { token }),
    await platform.delete(`${path}/devices/a`, { token }),
    await platform.post(`${path}/devices/bulk`, '{"device_id":"a"}', {
      token,
      headers: { 'content-type': 'application/x-ndjson' },
    }),
    await platform.post('/provision_device', { device_id: 'a', enrollment_group_id: groupId }, { token }),
    await platform.post('/api/enrollment-groups', body, { token }),
  ])
    expect(answer).toMatchObject({ status: 404, body: { error: 'not_found' } })

  const own = await makeGroup(platform, { token })
  const stolen = await platform.put(
    `/api/enrollment-groups/${own.groupId}`,
    { routing_target_id: targetId },
    { token },
  )
  expect(stolen).toMatchObject({ status: 404, body: { error: 'not_found' } })
})
