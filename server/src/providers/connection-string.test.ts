import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Platform, startPlatform } from '../../test/harness/platform.ts'
import { type StandInHub, startStandInHub } from '../../test/harness/stand-in-hub.ts'

let platform: Platform
let hub: StandInHub
beforeAll(async () => {
  hub = await startStandInHub()
  platform = await startPlatform()
})
afterAll(async () => {
  await platform[Symbol.asyncDispose]()
  await hub[Symbol.asyncDispose]()
})

const put = (id: string, fields: object) =>
  platform.put(`/v1/providers/${id}`, {
    type: 'iothub',
    displayName: id,
    organizationId: platform.organizationId,
    ...fields,
  })
const makeClient = (providerId: string, id: string) =>
  platform.post(`/v1/providers/${providerId}/clients`, { id, displayName: id })

test('the connection string is stored sealed, never shown, and unchanged by a PUT without it', async () => {
  const { connectionString } = hub
  const key = connectionString.split('SharedAccessKey=')[1]!
  const answers = [
    await put('one', { connectionString }),
    await put('one', { displayName: 'again' }),
    await platform.get('/v1/providers/one'),
    await platform.get('/v1/providers'),
    await platform.get('/v1/audit-log'),
  ]
  expect(JSON.stringify(answers.map(({ body }) => body))).not.toContain(key)
  expect(answers[4]!.body).toContainEqual(
    expect.objectContaining({
      resourceId: 'one',
      action: 'create',
      after: expect.objectContaining({ connectionStringSet: true }),
    }),
  )
  const { rows } = await platform.ctx.pool.query('select * from providers')
  expect(JSON.stringify(rows)).not.toContain(key)
  expect((await makeClient('one', 'first')).status).toBe(201)
})

test('a provider without a connection string says that it is missing', async () => {
  await put('bare', {})
  const { status, body } = await makeClient('bare', 'waiting')
  expect([status, body.error, body.message]).toEqual([
    409,
    'conflict',
    expect.stringContaining('connectionString'),
  ])
  await put('bare', { connectionString: hub.connectionString })
  expect((await makeClient('bare', 'waiting')).status).toBe(201)
})

test('a wrong key is refused by the hub', async () => {
  const key = Buffer.alloc(32, 7).toString('base64')
  await put('stranger', {
    connectionString: hub.connectionString.replace(/SharedAccessKey=.*/, `SharedAccessKey=${key}`),
  })
  expect((await makeClient('stranger', 'nobody')).body).toMatchObject({
    error: 'provider_unavailable',
    message: expect.stringContaining('connection string'),
  })
})

const key = 'c2VjcmV0IHNlY3JldCBzZWNyZXQ='
test.each([
  ['empty', ''],
  ['without host', `SharedAccessKeyName=a;SharedAccessKey=${key}`],
  ['with a path', `HostName=hub.example/x;SharedAccessKeyName=a;SharedAccessKey=${key}`],
  ['with a user', `HostName=me@hub.example;SharedAccessKeyName=a;SharedAccessKey=${key}`],
  ['with a port that is none', `HostName=hub.example:99999;SharedAccessKeyName=a;SharedAccessKey=${key}`],
  ['without policy', `HostName=hub.example;SharedAccessKey=${key}`],
  ['of a device', `HostName=hub.example;DeviceId=a;SharedAccessKey=${key}`],
  [
    'with a key that is no base64',
    'HostName=hub.example;SharedAccessKeyName=a;SharedAccessKey=not-a-secret-at-all',
  ],
])('a connection string %s is refused without being repeated', async (_what, connectionString) => {
  const { status, body } = await put('wrong', { connectionString })
  expect(status).toBe(400)
  expect(body.details.issues[0].path).toBe('connectionString')
  expect(JSON.stringify(body)).not.toMatch(/c2Vjc|not-a-secret/)
  expect((await platform.get('/v1/providers/wrong')).status).toBe(404)
})

test('other types have no connection string', async () => {
  const { connectionString } = hub
  expect((await put('files', { type: 'import', connectionString })).status).toBe(400)
  expect((await put('mqtt', { type: 'mqtt', connectionString })).status).toBe(400)
})

test('an internal address is called only if GANGWAY_OUTBOUND_ALLOW lists it', async () => {
  await put('inside', { connectionString: `HostName=10.0.0.1;SharedAccessKeyName=a;SharedAccessKey=${key}` })
  expect((await makeClient('inside', 'unseen')).body).toMatchObject({
    error: 'provider_unavailable',
    message: expect.stringContaining('GANGWAY_OUTBOUND_ALLOW'),
  })
})
