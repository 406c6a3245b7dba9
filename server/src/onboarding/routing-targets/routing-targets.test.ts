import { afterAll, expect, test } from 'vitest'
import { makeGroup } from '../../../test/harness/enrollment-group.ts'
import { startPlatform } from '../../../test/harness/platform.ts'

const platform = await startPlatform()
afterAll(() => platform[Symbol.asyncDispose]())

const body = {
  name: 'Factory',
  brokers: [{ host: 'mqtt.example.com', port: 8883 }],
  provider_base_url: 'https://provider.example.com/api',
  provider_api_key: 'the-api-key',
  webhook_secret: 'the webhook secret',
}
const create = async (fields = {}) =>
  (await platform.post('/api/routing-targets', { ...body, ...fields })).body

test('[docs/onboarding#routing-targets] create answers exactly its fields, and no secret', async () => {
  const { status, body: created } = await platform.post('/api/routing-targets', body)
  expect(status).toBe(201)
  expect(created).toEqual({
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    name: 'Factory',
    brokers: body.brokers,
    created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
  })
  const { body: read } = await platform.get(`/api/routing-targets/${created.id}`)
  expect(read).toEqual({ ...created, broker_selection: 'first', provider_base_url: body.provider_base_url })
})

test.each([
  ['no brokers', { brokers: [] }, 'brokers'],
  ['port 0', { brokers: [{ host: 'a', port: 0 }] }, 'brokers.0.port'],
  ['port 65536', { brokers: [{ host: 'a', port: 65536 }] }, 'brokers.0.port'],
  ['a port as text', { brokers: [{ host: 'a', port: '1883' }] }, 'brokers.0.port'],
  ['a URL as host', { brokers: [{ host: 'mqtt://a', port: 1883 }] }, 'brokers.0.host'],
  ['a host with spaces', { brokers: [{ host: 'a b', port: 1883 }] }, 'brokers.0.host'],
  ['an ftp URL', { provider_base_url: 'ftp://a' }, 'provider_base_url'],
  ['no URL', { provider_base_url: 'provider' }, 'provider_base_url'],
  ['a URL with a password', { provider_base_url: 'http://a:b@c' }, 'provider_base_url'],
  ['a key that is not a header value', { provider_api_key: 'a\r\nb' }, 'provider_api_key'],
  ['an empty secret', { webhook_secret: '' }, 'webhook_secret'],
  ['a blank name', { name: ' ' }, 'name'],
  ['an unknown selection', { broker_selection: 'random' }, 'broker_selection'],
  ['a missing name', { name: undefined }, 'name'],
])('[docs/onboarding#routing-targets] refuses %s', async (_what, fields, path) => {
  const { status, body: answer } = await platform.post('/api/routing-targets', { ...body, ...fields })
  expect(status).toBe(400)
  expect(answer).toEqual({ error: 'validation_error', message: expect.stringContaining(path) })
})

test.each(['192.0.2.7', '2001:db8::1', 'broker', 'my_broker.local'])(
  '%s is accepted as a host',
  async (host) => {
    expect(await create({ brokers: [{ host, port: 1883 }] })).toMatchObject({
      brokers: [{ host, port: 1883 }],
    })
  },
)

test('PUT keeps absent fields, including the secrets', async () => {
  const { id } = await create()
  const sealed = () =>
    platform.ctx.db.selectFrom('routing_targets').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
  const before = await sealed()
  const { status, body: changed } = await platform.put(`/api/routing-targets/${id}`, {
    name: 'New name',
    broker_selection: 'spread',
  })
  expect(status).toBe(200)
  expect(changed).toMatchObject({ id, name: 'New name', brokers: body.brokers, broker_selection: 'spread' })
  const after = await sealed()
  expect(after.provider_api_key_sealed).toEqual(before.provider_api_key_sealed)
  expect(after.webhook_secret_sealed).toEqual(before.webhook_secret_sealed)

  await platform.put(`/api/routing-targets/${id}`, { webhook_secret: 'another' })
  expect((await sealed()).webhook_secret_sealed).not.toEqual(before.webhook_secret_sealed)
  expect((await platform.put(`/api/routing-targets/${id}`, {})).status).toBe(200)
})

test('a new provider_base_url requires both secrets, so that none is sent to an address that it is not meant for', async () => {
  const { id } = await create()
  const path = `/api/routing-targets/${id}`
  const provider_base_url = 'https://stranger.example'
  const [provider_api_key, webhook_secret] = ['another-key', 'another secret']
  for (const [fields, missing] of [
    [{}, ['provider_api_key', 'webhook_secret']],
    [{ provider_api_key }, ['webhook_secret']],
    [{ webhook_secret }, ['provider_api_key']],
  ] as const) {
    const { status, body: answer } = await platform.put(path, { provider_base_url, ...fields })
    expect([status, answer.error]).toEqual([400, 'validation_error'])
    for (const name of missing) expect(answer.message).toContain(`${name}: is required`)
  }
  expect((await platform.get(path)).body.provider_base_url).toBe(body.provider_base_url)
  // The same address is not a change.
  const same = { provider_base_url: body.provider_base_url }
  expect((await platform.put(path, same)).status).toBe(200)
  const moved = await platform.put(path, { provider_base_url, provider_api_key, webhook_secret })
  expect(moved.body.provider_base_url).toBe(provider_base_url)
})

test('the audit log records the user and the change, without secrets', async () => {
  const { id } = await create()
  await platform.put(`/api/routing-targets/${id}`, { provider_api_key: 'another-api-key' })
  await platform.delete(`/api/routing-targets/${id}`)
  const { body: entries } = await platform.get(`/v1/audit-log?resourceId=${id}`)
  expect(entries.map((entry: { action: string }) => entry.action)).toEqual(['delete', 'update', 'create'])
  expect(entries[1].after).toMatchObject({ provider_api_key_changed: true, webhook_secret_changed: false })
  expect(JSON.stringify(entries)).not.toMatch(/the-api-key|another-api-key|the webhook secret/)
})

test('a target can be deleted only if no group uses it', async () => {
  const { targetId, groupId } = await makeGroup(platform)
  const refused = await platform.delete(`/api/routing-targets/${targetId}`)
  expect(refused).toMatchObject({ status: 409, body: { error: 'routing_target_in_use' } })
  await platform.delete(`/api/enrollment-groups/${groupId}`)
  expect((await platform.delete(`/api/routing-targets/${targetId}`)).status).toBe(204)
  expect((await platform.get(`/api/routing-targets/${targetId}`)).status).toBe(404)
})

test('a list is paged, and an invalid cursor is refused', async () => {
  const { token } = await platform.makeTenant('pages')
  const ids: string[] = []
  for (const name of ['a', 'b', 'c'])
    ids.push((await platform.post('/api/routing-targets', { ...body, name }, { token })).body.id)
  const first = await platform.get('/api/routing-targets?limit=2', { token })
  const next = first.body.continuation_token
  const second = await platform.get(`/api/routing-targets?limit=2&cursor=${next}`, { token })
  expect([...first.body.items, ...second.body.items].map((item) => item.id)).toEqual(ids)
  expect(second.body.continuation_token).toBeNull()
  for (const query of ['cursor=nonsense', 'limit=0', 'limit=1001', 'limit=many'])
    expect(await platform.get(`/api/routing-targets?${query}`, { token })).toMatchObject({
      status: 400,
      body: { error: 'validation_error' },
    })
})

test("another tenant's target is not found, and a token needs provider_management", async () => {
  const { id } = await create()
  const { token } = await platform.makeTenant('others')
  const path = `/api/routing-targets/${id}`
  for (const answer of [
    await platform.get(path, { token }),
    await platform.put(path, { name: 'mine' }, { token }),
    await platform.delete(path, { token }),
  ])
    expect(answer).toMatchObject({ status: 404, body: { error: 'not_found' } })
  expect((await platform.get('/api/routing-targets', { token })).body.items).toEqual([])

  const privileges = ['provider_client_management']
  const limited = (await platform.post('/v1/api-tokens', { displayName: 'limited', privileges })).body.token
  expect(await platform.get(path, { token: limited })).toMatchObject({
    status: 403,
    body: { error: 'forbidden' },
  })
  expect(await platform.get(path, { token: null })).toMatchObject({
    status: 401,
    body: { error: 'unauthorized' },
  })
})
