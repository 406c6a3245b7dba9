import { afterAll, expect, test } from 'vitest'
import { makeGroup } from '../../../test/harness/enrollment-group.ts'
import { fakeProviderKey, startFakeProvider } from '../../../test/harness/fake-provider.ts'
import { startPlatform } from '../../../test/harness/platform.ts'
import { untilBlocked } from '../../../test/harness/until-blocked.ts'

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
  expect(read).toEqual({
    ...created,
    key_policy: 'any',
    offline_settings: false,
    offline_settings_max_age_seconds: 2_592_000,
    response_template: body.response_template,
  })
})

test.each([
  ['an unknown variable', { response_template: { a: ['{{device.secret}}'] } }, 'response_template.a.0'],
  ['a template that is not an object', { response_template: ['{{device.id}}'] }, 'response_template'],
  ['another auth_method', { auth_method: 'password' }, 'auth_method'],
  ['another status', { status: 'paused' }, 'status'],
  ['another key policy', { key_policy: 'raw_only' }, 'key_policy'],
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

test('[docs/onboarding#response-templates] an update is refused if the stored template is not the expected one', async () => {
  const { body: group } = await platform.post('/api/enrollment-groups', body)
  const path = `/api/enrollment-groups/${group.id}`
  const first = { host: '{{target.host}}', port: 1 }
  const saved = await platform.put(path, {
    response_template: first,
    expected_response_template: body.response_template,
  })
  expect(saved).toMatchObject({ status: 200, body: { response_template: first } })
  expect(saved.body).not.toHaveProperty('expected_response_template')
  const late = await platform.put(path, {
    name: 'late',
    response_template: { late: true },
    expected_response_template: body.response_template,
  })
  expect(late).toMatchObject({ status: 409, body: { error: 'conflict' } })
  expect((await platform.get(path)).body).toMatchObject({ name: 'Pumps', response_template: first })
  // Two templates that differ in the order of their keys are the same.
  const again = { port: 1, host: '{{target.host}}' }
  const renamed = await platform.put(path, { name: 'renamed', expected_response_template: again })
  expect(renamed).toMatchObject({ status: 200, body: { name: 'renamed', response_template: first } })
  expect(await platform.put(path, { expected_response_template: 'text' })).toMatchObject({ status: 400 })
})

test('of two updates at once that expect the same template, one is refused', async () => {
  const { body: group } = await platform.post('/api/enrollment-groups', body)
  const answers = await Promise.all(
    ['a', 'b'].map((name) =>
      platform.put(`/api/enrollment-groups/${group.id}`, {
        response_template: { name },
        expected_response_template: body.response_template,
      }),
    ),
  )
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409])
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

test('of two concurrent changes both apply', async () => {
  const { groupId } = await makeGroup(platform)
  const change = await platform.ctx.db.transaction().execute(async (tx) => {
    await tx.updateTable('enrollment_groups').set({ name: 'renamed' }).where('id', '=', groupId).execute()
    const answer = platform.put(`/api/enrollment-groups/${groupId}`, { status: 'disabled' })
    await untilBlocked(platform.ctx.pool)
    return { answer }
  })
  expect((await change.answer).body).toMatchObject({ name: 'renamed', status: 'disabled' })
})

test('a group that is deleted while the provider validates a new device is not found', async () => {
  await using provider = await startFakeProvider()
  const target = { provider_base_url: provider.url, provider_api_key: fakeProviderKey }
  const group = await makeGroup(platform, { target })
  let deletion: Promise<void> | undefined
  provider.behave((_request, response) => {
    deletion = platform.ctx.db.transaction().execute(async (tx) => {
      await tx.deleteFrom('enrollment_groups').where('id', '=', group.groupId).execute()
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"valid":true}')
      await untilBlocked(platform.ctx.pool)
    })
  })
  expect(await group.add('late')).toMatchObject({ status: 404, body: { error: 'not_found' } })
  await deletion
})
