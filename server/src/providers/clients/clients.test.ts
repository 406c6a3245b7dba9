import { afterAll, beforeAll, expect, test } from 'vitest'
import { connectClients, insertNode } from '../../../test/harness/other-node.ts'
import { makeImportProvider } from '../../../test/harness/import-provider.ts'
import { connectSession } from '../../../test/harness/live-session.ts'
import { type Platform, startPlatform } from '../../../test/harness/platform.ts'

let platform: Platform
let other: { token: string; organizationId: string }
beforeAll(async () => {
  platform = await startPlatform()
  other = await platform.makeTenant('neighbour')
})
afterAll(() => platform[Symbol.asyncDispose]())

const clients = '/v1/providers/mqtt/clients'
const create = (id: string, fields: object = {}) => platform.post(clients, { id, displayName: id, ...fields })

test('creates a client: enabled, in the organization of its provider, never connected, and without its keys', async () => {
  const { status, body } = await create('first', { description: 'A pump' })
  expect(status).toBe(201)
  expect(body).toEqual({
    id: 'first',
    providerId: 'mqtt',
    displayName: 'first',
    description: 'A pump',
    enabled: true,
    organizationId: platform.organizationId,
    templateId: null,
    templateApplied: null,
    providerData: {},
    firmwareRelease: null,
    connection: {
      connected: false,
      connectedAt: null,
      remoteAddress: null,
      disconnectedAt: null,
      disconnectReason: null,
      disconnectMessage: null,
      refusedAt: null,
      refusedReason: null,
      refusedMessage: null,
      lastMessageAt: null,
    },
  })
  expect((await platform.get(`${clients}/first?componentId=module`)).body).toEqual(body)
})

test.each([
  ['enabled as a string, which it was until 0.1.195', { enabled: 'true' }],
  ['no id', { id: undefined }],
  ['an id with a slash', { id: 'a/b' }],
  ['an id with a wildcard of MQTT', { id: 'a+' }],
  ['an id with `;`, which other supplied ids may have', { id: 'a;1' }],
  ['an id of 129 characters', { id: 'a'.repeat(129) }],
  ['an empty id', { id: '' }],
  ['an id with a line break at its end', { id: 'a\n' }],
  ['no displayName', { displayName: undefined }],
  ['an organizationId that is not a UUID', { organizationId: '1' }],
])('create refuses %s [docs/providers#clients]', async (_what, fields) => {
  const { status, body } = await create('refused', fields)
  expect(body).toMatchObject({ error: 'validation_error' })
  expect(status).toBe(400)
  expect((await platform.get(`${clients}/refused`)).status).toBe(404)
})

test('an id has up to 128 letters, digits, `.`, `_`, `-` [docs/api#ids]', async () => {
  for (const id of ['a'.repeat(128), 'A.b_c-9', '1']) expect((await create(id)).status).toBe(201)
})

test('a second client with the same id is a conflict, and does not change the first', async () => {
  await create('twice')
  expect(await create('twice', { displayName: 'Second' })).toMatchObject({
    status: 409,
    body: { error: 'conflict' },
  })
  expect((await platform.get(`${clients}/twice`)).body.displayName).toBe('twice')
})

test('an id of another tenant is rejected without revealing the tenant [docs/providers#clients]', async () => {
  const theirs = { id: 'theirs', displayName: 'Theirs' }
  expect((await platform.post(clients, theirs, { token: other.token })).status).toBe(201)
  const { status, body } = await create('theirs')
  expect([status, body.error]).toEqual([422, 'provider_rejected'])
  expect(JSON.stringify(body)).not.toContain('neighbour')
})

test('an id of another provider of the same tenant is rejected', async () => {
  await platform.put('/v1/providers/second', {
    type: 'mqtt',
    displayName: 'Second',
    organizationId: platform.organizationId,
  })
  await create('elsewhere')
  const answer = await platform.post('/v1/providers/second/clients', { id: 'elsewhere', displayName: 'E' })
  expect(answer).toMatchObject({ status: 422, body: { error: 'provider_rejected' } })
  expect((await platform.get('/v1/providers/second/clients/elsewhere')).status).toBe(404)
})

test('concurrent requests create the client once', async () => {
  const answers = await Promise.all(Array.from({ length: 8 }, () => create('raced')))
  expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409, 409, 409, 409, 409, 409, 409])
})

test('PUT updates; an absent description stays, an absent or null `enabled` is true [docs/providers#clients]', async () => {
  await create('put', { description: 'Keep', enabled: false })
  const put = (body: object) => platform.put(`${clients}/put`, body)
  expect((await put({ displayName: 'New', enabled: false })).body).toMatchObject({
    displayName: 'New',
    description: 'Keep',
    enabled: false,
  })
  expect((await put({ displayName: 'New', description: null, enabled: null })).body).toMatchObject({
    description: null,
    enabled: true,
  })
  await put({ displayName: 'New', enabled: false })
  expect((await put({ displayName: 'New' })).body.enabled).toBe(true)
  for (const body of [{ enabled: true }, { displayName: 'New', enabled: 'false' }, { displayName: 1 }])
    expect((await put(body)).body).toMatchObject({ error: 'validation_error' })
  expect((await platform.put(`${clients}/absent`, { displayName: 'X' })).status).toBe(404)
})

const jmespath = (expression: string) => ({ parser: { name: 'jmespath', options: { expression } } })

test('providerData is set by POST, PUT, PATCH and provision, and read back [docs/providers#provider-data]', async () => {
  await makeImportProvider(platform)
  const url = '/v1/providers/files/clients'
  const client = `${url}/meter`
  const made = await platform.post(url, {
    id: 'meter',
    displayName: 'Meter',
    providerData: jmespath('{a: x}'),
  })
  expect(made).toMatchObject({ status: 201, body: { providerData: jmespath('{a: x}') } })
  expect((await platform.get(client)).body.providerData).toEqual(jmespath('{a: x}'))
  expect((await platform.get(url)).body[0].providerData).toEqual(jmespath('{a: x}'))
  const names = async () => {
    await platform.post(`${client}/telemetry`, '{"x": 1}')
    const { rows } = await platform.ctx.pool.query(
      `select name from series where owner_id = 'meter' order by 1`,
    )
    return rows.map(({ name }) => name as string)
  }
  expect(await names()).toEqual(['a'])
  const put = { displayName: 'Meter', providerData: { ...jmespath('{b: x}'), site: { hall: 1, row: 2 } } }
  expect((await platform.put(client, put)).body.providerData).toEqual(put.providerData)
  expect(await names()).toEqual(['a', 'b'])
  expect((await platform.put(client, { displayName: 'M' })).body.providerData).toEqual(put.providerData)
  const patched = await platform.patch(client, { providerData: { parser: null, site: { row: null } } })
  expect(patched).toMatchObject({ status: 200, body: { displayName: 'M', enabled: true } })
  expect(patched.body.providerData).toEqual({ site: { hall: 1 } })
  expect(await names()).toEqual(['a', 'b', 'x'])
  const provisioned = await platform.post(`${client}/provision`, { options: jmespath('{c: x}') })
  expect(provisioned.body.providerData).toEqual(jmespath('{c: x}'))
})

test.each([
  ['an unknown parser', { parser: { name: 'xml' } }, 'providerData.parser.name'],
  [
    'an option that the parser does not have',
    { parser: { name: 'cbor', options: { a: 1 } } },
    'providerData.parser.options',
  ],
  ['an invalid expression', jmespath('{'), 'providerData.parser.options.expression'],
  ['too much of it', { note: 'x'.repeat(65_536) }, 'providerData'],
  ['a list', [1], 'providerData'],
])('refuses %s as providerData, however it is set', async (_what, providerData, path) => {
  await create('strict-data', { providerData: { kept: true } })
  const client = `${clients}/strict-data`
  for (const answer of [
    await create('never-made', { providerData }),
    await platform.put(client, { displayName: 'X', providerData }),
    await platform.patch(client, { displayName: 'X', providerData }),
  ]) {
    expect(answer).toMatchObject({ status: 400, body: { error: 'validation_error' } })
    expect(answer.body.details.issues[0].path).toContain(path)
  }
  expect((await platform.get(client)).body).toMatchObject({
    displayName: 'strict-data',
    providerData: { kept: true },
  })
  expect((await platform.get(`${clients}/never-made`)).status).toBe(404)
})

test('secrets in providerData are neither in the record nor in the audit log', async () => {
  const secrets = { apiKey: 's3cret', wifi_password: 's3cret', symmetricKey: { primaryKey: 's3cret' } }
  const providerData = { ...secrets, site: [{ token: 's3cret', hall: 1 }], monkey: 2 }
  const made = await create('with-secrets', { providerData })
  const shown = { site: [{ hall: 1 }], monkey: 2 }
  expect(made.body.providerData).toEqual(shown)
  await platform.patch(`${clients}/with-secrets`, { providerData: { sharedAccessKey: 's3cret' } })
  expect((await platform.get(`${clients}/with-secrets`)).body.providerData).toEqual(shown)
  const { body } = await platform.get('/v1/audit-log?resourceId=with-secrets')
  expect(body).toHaveLength(2)
  expect(JSON.stringify(body)).not.toContain('s3cret')
})

test('PATCH changes only the given fields', async () => {
  await create('patched', { description: 'D', enabled: false })
  const { body } = await platform.patch(`${clients}/patched`, { displayName: 'New' })
  expect(body).toMatchObject({ displayName: 'New', description: 'D', enabled: false })
  const session = connectSession(platform.ctx, 'patched')
  await platform.patch(`${clients}/patched`, { enabled: true })
  const { body: ended } = await platform.patch(`${clients}/patched`, { description: null, enabled: false })
  expect(ended).toMatchObject({ displayName: 'New', description: null, enabled: false })
  expect(session.ended?.reason).toBe('client_disabled')
})

test('only disabling ends the live session at once, with a message that names the user [docs/providers#clients]', async () => {
  await create('disabled')
  const session = connectSession(platform.ctx, 'disabled')
  await platform.put(`${clients}/disabled`, { displayName: 'Renamed' })
  expect(session.ended).toBeUndefined()
  await platform.put(`${clients}/disabled`, { displayName: 'Renamed', enabled: false })
  expect(session.ended).toEqual({ reason: 'client_disabled', message: 'Disabled by Administrator.' })
})

test('deleting ends every live session at once, and the id can be used again [docs/providers#clients]', async () => {
  await create('deleted')
  const sessions = [connectSession(platform.ctx, 'deleted'), connectSession(platform.ctx, 'deleted')]
  const bystander = connectSession(platform.ctx, 'bystander')
  expect((await platform.delete(`${clients}/deleted`)).status).toBe(204)
  for (const { ended } of sessions) expect(ended?.reason).toBe('client_deleted')
  expect(bystander.ended).toBeUndefined()
  expect((await platform.get(`${clients}/deleted`)).status).toBe(404)
  expect((await platform.delete(`${clients}/deleted`)).status).toBe(404)
  expect(
    (await platform.post(clients, { id: 'deleted', displayName: 'D' }, { token: other.token })).status,
  ).toBe(201)
})

test('the message of an ended session says that an API token was used', async () => {
  const { body } = await platform.post('/v1/api-tokens', { displayName: 'factory' })
  await create('by-token')
  const session = connectSession(platform.ctx, 'by-token')
  await platform.delete(`${clients}/by-token`, { token: body.token })
  expect(session.ended?.message).toBe('Deleted by the API token factory.')
})

test('other nodes receive a change only after its commit', async () => {
  await create('announced')
  const listener = await platform.ctx.pool.connect()
  try {
    const heard: object[] = []
    listener.on('notification', ({ payload }) => heard.push(JSON.parse(payload!)))
    await listener.query('listen gangway_client_changed')
    await platform.delete(`${clients}/absent`)
    await platform.put(`${clients}/announced`, { displayName: 'A', enabled: false })
    // Notifications from before this query are received when it has ended.
    await listener.query('select 1')
    expect(heard).toEqual([
      {
        clientId: 'announced',
        onBroker: true,
        change: 'client_disabled',
        message: 'Disabled by Administrator.',
        nodeId: platform.ctx.nodes.id,
      },
    ])
  } finally {
    listener.release(true)
  }
})

test('the list has the clients of one provider and tenant, and is paged', async () => {
  await platform.put('/v1/providers/listed', {
    type: 'mqtt',
    displayName: 'Listed',
    organizationId: platform.organizationId,
  })
  const url = '/v1/providers/listed/clients'
  for (const id of ['l-1', 'l-2', 'l-3']) await platform.post(url, { id, displayName: id })
  const first = await platform.get(`${url}?limit=2`)
  expect(first.body.map((client: { id: string }) => client.id)).toEqual(['l-1', 'l-2'])
  const next = /<(.*)>; rel="next"/.exec(first.headers.get('link')!)![1]!
  const second = await platform.get(next)
  expect(second.body.map((client: { id: string }) => client.id)).toEqual(['l-3'])
  expect(second.headers.get('link')).toBe(null)
  expect((await platform.get('/v1/providers/absent/clients')).status).toBe(404)
})

test('shows the connection that the gateway recorded', async () => {
  await create('connected')
  const { db, pool } = platform.ctx
  const { number } = await db
    .selectFrom('provider_clients')
    .select('number')
    .where('id', '=', 'connected')
    .executeTakeFirstOrThrow()
  await connectClients(pool, [number], await insertNode(pool))
  await db
    .updateTable('client_connections')
    .set({
      connected_at: '2026-01-02T03:04:05.678Z',
      remote_address: '::1',
      refused_reason: 'topic_not_allowed: Not to devices/other/x: never.',
    })
    .where('client_number', '=', number)
    .execute()
  expect((await platform.get(`${clients}/connected`)).body.connection).toMatchObject({
    connected: true,
    connectedAt: '2026-01-02T03:04:05.678Z',
    remoteAddress: '::1',
    refusedReason: 'topic_not_allowed',
    refusedMessage: 'Not to devices/other/x: never.',
  })
})

test('another tenant cannot find a client', async () => {
  await create('private')
  const token = { token: other.token }
  const url = `${clients}/private`
  const answers = await Promise.all([
    platform.get(url, token),
    platform.put(url, { displayName: 'Mine' }, token),
    platform.post(`${url}/provision`, { options: {} }, token),
    platform.post(`${url}/methods`, { method: 'reboot' }, token),
    platform.get(`${url}/properties/reported`, token),
    platform.get(`${url}/properties/desired`, token),
    platform.put(`${url}/properties/desired`, { a: 1 }, token),
    platform.get(`${url}/credentials`, token),
    platform.post(`${url}/credentials/rotate`, undefined, token),
    platform.delete(url, token),
  ])
  expect(answers.map(({ status, body }) => [status, body.error])).toEqual(
    answers.map(() => [404, 'not_found']),
  )
  expect((await platform.get(clients, token)).body.map((client: { id: string }) => client.id)).not.toContain(
    'private',
  )
  expect((await platform.get(url)).body.displayName).toBe('private')
})

test('a limited API token requires provider_client_management', async () => {
  const tokenWith = async (...privileges: string[]) =>
    (await platform.post('/v1/api-tokens', { displayName: 'limited', privileges })).body
  const body = { id: 'by-limited', displayName: 'L' }
  const refused = await platform.post(clients, body, await tokenWith('alarm_management'))
  expect(refused).toMatchObject({
    status: 403,
    body: { details: { required: { privilege: 'provider_client_management' } } },
  })
  expect((await platform.post(clients, body, await tokenWith('provider_client_management'))).status).toBe(201)
})

test('creating, changing and deleting are in the audit log, without keys [docs/api#audit]', async () => {
  await create('audited')
  await platform.put(`${clients}/audited`, { displayName: 'Changed', enabled: false })
  await platform.post(`${clients}/audited/credentials/rotate`)
  await platform.delete(`${clients}/audited`)
  const { body } = await platform.get('/v1/audit-log?resourceType=provider_client&resourceId=audited')
  expect(body.map((entry: { action: string }) => entry.action)).toEqual([
    'delete',
    'rotate-keys',
    'update',
    'create',
  ])
  expect(body[2]).toMatchObject({ before: { enabled: true }, after: { enabled: false } })
  expect(JSON.stringify(body)).not.toMatch(/key_|Key"/)
})
