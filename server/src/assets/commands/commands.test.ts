import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { insertAsset, insertBinding, makePumpModel } from '../../../test/harness/assets.ts'
import { runAllJobs } from '../../../test/harness/due-jobs.ts'
import { connectSession, type RecordedSession } from '../../../test/harness/live-session.ts'
import { type Platform, startPlatform } from '../../../test/harness/platform.ts'
import { type StandInHub, startStandInHub } from '../../../test/harness/stand-in-hub.ts'
import { makeOrganization, makeUser, relate } from '../../../test/harness/users.ts'
import { commandTasks } from './tasks.ts'

let platform: Platform
let hub: StandInHub
beforeAll(async () => {
  hub = await startStandInHub()
  platform = await startPlatform()
  await makePumpModel(platform)
  await platform.post('/v1/providers', {
    id: 'hub',
    type: 'iothub',
    displayName: 'Hub',
    organizationId: platform.organizationId,
    connectionString: hub.connectionString,
  })
})
afterAll(async () => {
  await platform[Symbol.asyncDispose]()
  await hub[Symbol.asyncDispose]()
})
beforeEach(() => platform.ctx.pool.query('delete from graphile_worker._private_jobs').then(() => {}))

let made = 0
/** A pump with a client of its own that its commands `start` and `motor`'s `brake` are bound to. */
async function makePump({ provider = 'mqtt', inverseTransform = undefined as unknown } = {}) {
  const [id, client] = [`pump-${++made}`, `client-${made}`]
  await insertAsset(platform, id)
  await platform.post(`/v1/providers/${provider}/clients`, { id: client, displayName: client })
  await insertBinding(platform, `${id}/-/command/start`, [`${client}/-/command/spin`], { inverseTransform })
  await insertBinding(platform, `${id}/motor/command/brake`, [`${client}/motor/command/brake`])
  const at = `/v1/assets/${id}/commands`
  return {
    id,
    client,
    at: `${at}/start`,
    send: (body: object = {}) => platform.post(`${at}/start`, { payload: 5, ...body }),
    brake: (body: object = {}) => platform.post(`${at}/brake`, { componentId: 'motor', ...body }),
    status: async (query = '') => (await platform.get(`${at}/start${query}`)).body,
    connect: (...methods: string[]) =>
      connectSession(
        platform.ctx,
        client,
        methods.map((method) => `devices/${client}/methods/${method}/invoke`),
      ),
  }
}
type Pump = Awaited<ReturnType<typeof makePump>>

interface Question {
  correlationId: string
  payload: unknown
  timeoutSeconds: number
}
const asked = ({ sent }: RecordedSession) =>
  vi.waitFor(() => {
    if (!sent[0]) throw new Error('nothing was sent')
    return sent[0].payload as Question
  })
const answer = ({ client }: Pump, { correlationId }: Question, status: number, payload: unknown = null) =>
  platform.ctx.pendingMethods.settle(client, correlationId, { status, payload })
const ends = (pump: Pump, query = '') =>
  vi.waitFor(
    async () => {
      const status = await pump.status(query)
      if (['queued', 'running'].includes(status.status)) throw new Error(`still ${status.status}`)
      return status
    },
    { timeout: 8000 },
  )
const runJobs = () => runAllJobs(platform.ctx, commandTasks(platform.ctx))
/** As if so much time had passed for all commands. */
const passSeconds = (seconds: number) =>
  platform.ctx.pool.query(
    `update asset_commands set expires_at = expires_at - make_interval(secs => $1),
      started_at = started_at - make_interval(secs => $1)`,
    [seconds],
  )

test("a command is the device's direct method, and its status is the interface's record [interface, Asset command status]", async () => {
  const pump = await makePump()
  const session = pump.connect('spin')
  const { status, body } = await pump.send({ timeoutSeconds: 7 })
  expect(status).toBe(202)
  expect(body).toEqual({
    commandId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    requestTimestamp: expect.stringMatching(/^2\d{3}-.*Z$/),
    responseTimestamp: null,
    status: 'running',
    statusMessage: null,
    requestPayload: 5,
    responsePayload: null,
    correlationId: expect.any(String),
  })
  const question = await asked(session)
  expect(question).toEqual({ correlationId: body.correlationId, payload: 5, timeoutSeconds: 7 })
  expect(answer(pump, question, 201, { rpm: 900 })).toBe(true)
  expect(await ends(pump)).toEqual({
    ...body,
    status: 'succeeded',
    responsePayload: { rpm: 900 },
    responseTimestamp: expect.any(String),
  })
})

test('the payload goes out through inverseTransform [contract §5]', async () => {
  const pump = await makePump({ inverseTransform: { '*': [{ var: 'value' }, { var: 'spin' }] } })
  const session = pump.connect('spin')
  expect((await pump.send()).body.requestPayload).toBe(5)
  expect((await asked(session)).payload).toBe(25)
})

test('a command bound to a command of another asset goes on from there', async () => {
  const pump = await makePump({ inverseTransform: { '+': [{ var: 'value' }, 1] } })
  const session = pump.connect('spin')
  await insertAsset(platform, 'station')
  const double = { inverseTransform: { '*': [{ var: 'value' }, 2] } }
  await insertBinding(platform, 'station/-/command/start', [`${pump.id}/-/command/start`], double)
  await platform.post('/v1/assets/station/commands/start', { payload: 10 })
  expect((await asked(session)).payload).toBe(21)
})

test('a component of a device on the broker is part of the name of the method', async () => {
  const pump = await makePump()
  const session = pump.connect('motor.brake')
  expect((await pump.brake()).body.status).toBe('running')
  expect((await asked(session)).payload).toBeNull()
  // A status of its own, under its component.
  const at = `/v1/assets/${pump.id}/commands/brake`
  expect((await platform.get(`${at}?componentId=motor`)).body.status).toBe('running')
  expect((await platform.get(at)).status).toBe(404)
})

test('a status that is none of success is failed, with the status; a silent device is timed_out', async () => {
  const pump = await makePump()
  const session = pump.connect('spin')
  await pump.send()
  answer(pump, await asked(session), 503, { busy: true })
  expect(await ends(pump)).toMatchObject({
    status: 'failed',
    statusMessage: 'The device answered with status 503.',
    responsePayload: { busy: true },
  })
  session.end('connection_lost', '')
  const { commandId } = (await pump.send({ timeoutSeconds: 5, expiresAfterSeconds: 60 })).body
  // So that the test is over sooner.
  await platform.ctx.pool.query('update asset_commands set timeout_seconds = 1 where id = $1', [commandId])
  const silent = pump.connect('spin')
  await platform.ctx.commandQueue.dispatch({ id: pump.client, number: await numberOf(pump.client) })
  const late = await asked(silent)
  expect(await ends(pump)).toMatchObject({ status: 'timed_out', responsePayload: null })
  expect(answer(pump, late, 200)).toBe(false)
})

test('an answer that cannot be stored still says that the device did it', async () => {
  const pump = await makePump()
  const session = pump.connect('spin')
  await pump.send()
  answer(pump, await asked(session), 200, 'a\0b')
  expect(await ends(pump)).toMatchObject({
    status: 'succeeded',
    responsePayload: null,
    statusMessage: expect.stringContaining('cannot be stored'),
  })
})

test('what is bound to nothing has failed, and says so [contract §5]', async () => {
  await insertAsset(platform, 'loose')
  const { status, body } = await platform.post('/v1/assets/loose/commands/start', { payload: 1 })
  expect(status).toBe(202)
  expect(body).toMatchObject({ status: 'failed', statusMessage: expect.stringMatching(/^not_bound: /) })
  expect(body.responseTimestamp).not.toBeNull()
})

test('neither several remotes, nor a client that is gone, nor one that only brings data gets a command', async () => {
  const pump = await makePump()
  const failed = async (id: string) => {
    const { body } = await platform.post(`/v1/assets/${id}/commands/start`, { payload: 1 })
    return vi.waitFor(async () => {
      const last = (await platform.get(`/v1/assets/${id}/commands/start`)).body
      if (last.status !== 'failed') throw new Error(last.status)
      return [last.commandId === body.commandId, last.statusMessage]
    })
  }
  await insertAsset(platform, 'two')
  const remotes = [`${pump.client}/-/command/a`, `${pump.client}/-/command/b`]
  await insertBinding(platform, 'two/-/command/start', remotes)
  expect(await failed('two')).toEqual([true, expect.stringMatching(/^not_bound: .*several/)])
  await platform.delete(`/v1/providers/mqtt/clients/${pump.client}`)
  expect(await failed(pump.id)).toEqual([true, expect.stringMatching(/^not_bound: .*any more/)])
  await platform.post('/v1/providers', {
    id: 'imports',
    type: 'import',
    displayName: 'I',
    organizationId: platform.organizationId,
  })
  const imported = await makePump({ provider: 'imports' })
  expect(await failed(imported.id)).toEqual([true, expect.stringMatching(/^conflict: .*only brings data/)])
})

test('an inverseTransform that comes to nothing fails the command', async () => {
  const pump = await makePump({ inverseTransform: { '+': [{ var: 'value' }, 'text'] } })
  pump.connect('spin')
  expect((await pump.send()).body).toMatchObject({
    status: 'failed',
    statusMessage: expect.stringMatching(/^not_transformed: /),
  })
})

describe('a device that is away', () => {
  test('fails the command at once [contract §5, expiresAfterSeconds 0]', async () => {
    const pump = await makePump()
    expect((await pump.send()).body).toMatchObject({
      status: 'failed',
      statusMessage: expect.stringMatching(/^device_offline: .*not connected/),
    })
    pump.connect('other')
    expect((await pump.send()).body.statusMessage).toMatch(/^device_offline: .*not subscribed/)
  })

  test('gets what waits once it is there, in the order in which it was asked for', async () => {
    const pump = await makePump()
    for (const payload of [1, 2, 3]) {
      const { body } = await pump.send({ payload, expiresAfterSeconds: 60 })
      expect(body).toMatchObject({ status: 'queued', responseTimestamp: null })
    }
    await pump.brake({ expiresAfterSeconds: 60 })
    const session = pump.connect('spin')
    const { number } = (await platform.ctx.db
      .selectFrom('provider_clients')
      .select('number')
      .where('id', '=', pump.client)
      .executeTakeFirst())!
    // Told twice at one moment, it is sent once.
    await Promise.all([1, 2].map(() => platform.ctx.commandQueue.subscribed({ id: pump.client, number })))
    expect(session.sent.map(({ payload }) => (payload as Question).payload)).toEqual([1, 2, 3])
    const { body } = await platform.get(`${pump.at}/history`)
    expect(body.map(({ status }: { status: string }) => status)).toEqual(['running', 'running', 'running'])
    // What it has not subscribed to goes on waiting, and holds up nobody.
    const brake = await platform.get(`/v1/assets/${pump.id}/commands/brake?componentId=motor`)
    expect(brake.body.status).toBe('queued')
  })

  test('lets the command expire [contract §5]', async () => {
    const pump = await makePump()
    await pump.send({ expiresAfterSeconds: 30 })
    expect(await runJobs()).toEqual(['settle-command'])
    expect((await pump.status()).status).toBe('queued')
    await pump.send({ expiresAfterSeconds: 60 })
    await passSeconds(45)
    const first = (await platform.get(`${pump.at}/history`)).body[1]
    // Past its time, before its job has come: a device that comes back does not get it any more.
    const session = pump.connect('spin')
    await platform.ctx.commandQueue.dispatch({ id: pump.client, number: await numberOf(pump.client) })
    expect(session.sent).toHaveLength(1)
    await settle(first.commandId)
    expect((await platform.get(`${pump.at}/history`)).body[1]).toMatchObject({
      status: 'expired',
      statusMessage: 'The device was not there for 30 seconds.',
    })
  })

  test('and leaves between claim and send: the command waits again', async () => {
    const pump = await makePump()
    await pump.send({ expiresAfterSeconds: 60 })
    const session = pump.connect('spin')
    session.send = () => false
    await platform.ctx.commandQueue.dispatch({ id: pump.client, number: await numberOf(pump.client) })
    await vi.waitFor(async () => expect((await pump.status()).status).toBe('queued'))
    // Its end is the waiting's again.
    await passSeconds(61)
    await runJobs()
    expect((await pump.status()).status).toBe('expired')
  })
})

const numberOf = async (client: string) =>
  (
    await platform.ctx.db
      .selectFrom('provider_clients')
      .select('number')
      .where('id', '=', client)
      .executeTakeFirstOrThrow()
  ).number
const settle = (id: string) => commandTasks(platform.ctx)['settle-command']!({ id })

describe('a process that dies', () => {
  test('before it could send leaves no command queued for ever', async () => {
    const pump = await makePump()
    // Its device is on record as connected to another process, which never answers.
    await platform.ctx.pool.query(
      'insert into client_connections (client_number, connected, node_id) values ($1, true, gen_random_uuid())',
      [await numberOf(pump.client)],
    )
    expect((await pump.send()).body.status).toBe('queued')
    await passSeconds(6)
    expect(await runJobs()).toEqual(['settle-command'])
    expect(await pump.status()).toMatchObject({
      status: 'failed',
      statusMessage: expect.stringMatching(/^device_offline: /),
    })
  })

  test('after it has sent leaves timed_out, in its time and not before', async () => {
    const pump = await makePump()
    pump.connect('spin')
    const { commandId } = (await pump.send({ timeoutSeconds: 300 })).body
    await settle(commandId)
    expect((await pump.status()).status).toBe('running')
    await passSeconds(361)
    expect(await runJobs()).toEqual(['settle-command'])
    expect(await pump.status()).toMatchObject({
      status: 'timed_out',
      statusMessage: expect.stringContaining('stopped before an answer came'),
    })
  })
})

describe('cancelling', () => {
  test('ends what is queued, and nothing else', async () => {
    const pump = await makePump()
    const ids: string[] = []
    for (let count = 0; count < 3; count++)
      ids.push((await pump.send({ expiresAfterSeconds: 60 })).body.commandId)
    const cancel = (body: object) => platform.post(`${pump.at}/cancel`, body)
    expect(await cancel({ commandId: ids[0] })).toMatchObject({
      status: 200,
      body: { commandId: ids[0], status: 'cancelled' },
    })
    // Without an id the latest that is queued.
    expect((await cancel({})).body.commandId).toBe(ids[2])
    expect((await cancel({})).body.commandId).toBe(ids[1])
    for (const body of [{}, { commandId: ids[0] }])
      expect(await cancel(body)).toMatchObject({ status: 409, body: { error: 'conflict' } })
    expect((await cancel({ commandId: '00000000-0000-4000-8000-000000000000' })).status).toBe(404)
    expect((await cancel({ commandId: 'x' })).status).toBe(400)
    const session = pump.connect('spin')
    await platform.ctx.commandQueue.dispatch({ id: pump.client, number: await numberOf(pump.client) })
    expect(session.sent).toEqual([])
  })

  test('and sending at one moment: one of them happens', async () => {
    const pump = await makePump()
    const { commandId } = (await pump.send({ expiresAfterSeconds: 60 })).body
    const session = pump.connect('spin')
    const number = await numberOf(pump.client)
    const [cancelled] = await Promise.all([
      platform.post(`${pump.at}/cancel`, { commandId }),
      platform.ctx.commandQueue.dispatch({ id: pump.client, number }),
    ])
    expect(session.sent).toHaveLength(cancelled.status === 200 ? 0 : 1)
    expect((await pump.status()).status).toBe(cancelled.status === 200 ? 'cancelled' : 'running')
  })
})

describe('a device elsewhere', () => {
  test('is asked at once, a module by its name', async () => {
    const pump = await makePump({ provider: 'hub' })
    const { registered, online } = hub
    registered.set(`${pump.client}/motor`, registered.get(pump.client)!)
    for (const id of [pump.client, `${pump.client}/motor`])
      online.set(id, (method, payload) => ({ status: 200, payload: { id, method, payload } }))
    await pump.send()
    const responsePayload = { id: pump.client, method: 'spin', payload: 5 }
    expect(await ends(pump)).toMatchObject({ status: 'succeeded', responsePayload })
    await pump.brake()
    await vi.waitFor(async () => {
      const { body } = await platform.get(`/v1/assets/${pump.id}/commands/brake?componentId=motor`)
      expect(body.responsePayload).toEqual({ id: `${pump.client}/motor`, method: 'brake', payload: null })
    })
  })

  test('that is offline fails the command, or has it wait until the hub says otherwise', async () => {
    const pump = await makePump({ provider: 'hub' })
    await pump.send()
    expect(await ends(pump)).toMatchObject({
      status: 'failed',
      statusMessage: expect.stringMatching(/^device_offline: /),
    })
    await platform.ctx.pool.query('delete from graphile_worker._private_jobs')
    const isQueued = () => vi.waitFor(async () => expect((await pump.status()).status).toBe('queued'))
    await pump.send({ payload: 1, expiresAfterSeconds: 60 })
    await isQueued()
    // It waits behind the first, whatever the hub says by now.
    const seen: unknown[] = []
    const getsThere = (_method: string, payload: unknown) => {
      seen.push(payload)
      return { status: 200, payload: null }
    }
    hub.online.set(pump.client, getsThere)
    expect((await pump.send({ payload: 2, expiresAfterSeconds: 60 })).body.status).toBe('queued')
    hub.online.delete(pump.client)
    expect(await runJobs()).toContain('retry-queued-commands')
    await isQueued()
    expect(seen).toEqual([])
    hub.online.set(pump.client, getsThere)
    await runJobs()
    expect((await ends(pump)).status).toBe('succeeded')
    expect(seen).toEqual([1, 2])
  })
})

test('history pages from the newest on', async () => {
  const pump = await makePump()
  const ids: string[] = []
  for (let count = 0; count < 3; count++) ids.unshift((await pump.send()).body.commandId)
  const idsOf = (body: { commandId: string }[]) => body.map(({ commandId }) => commandId)
  const first = await platform.get(`${pump.at}/history?limit=2`)
  expect(idsOf(first.body)).toEqual(ids.slice(0, 2))
  const next = /<(.*)>/.exec(first.headers.get('link')!)![1]!
  expect(idsOf((await platform.get(next)).body)).toEqual(ids.slice(2))
  expect((await platform.get(`${pump.at}/history?cursor=x`)).status).toBe(400)
})

test('what the model does not know is not found, and nothing is stored', async () => {
  const pump = await makePump()
  const at = `/v1/assets/${pump.id}/commands`
  for (const [name, body] of [
    ['fly', {}],
    ['temperature', {}],
    ['brake', {}],
    ['start', { payload: 1, componentId: 'motor' }],
    ['start', { payload: 1, componentId: 'absent' }],
    ['__proto__', {}],
  ] as const)
    expect((await platform.post(`${at}/${name}`, body)).status, name).toBe(404)
  expect((await platform.get(`${at}/fly`)).status).toBe(404)
  expect((await platform.get(pump.at)).status).toBe(404)
  expect((await platform.get(`${pump.at}/history`)).body).toEqual([])
})

test.each([
  ['no payload where one is due', {}],
  ['null where one is due', { payload: null }],
  ['a payload of another type', { payload: 'fast' }],
  ['an object for a number', { payload: { speed: 1 } }],
  ['a number that is none', '{"payload": 1e999}'],
  ['-1 seconds of waiting', { payload: 1, expiresAfterSeconds: -1 }],
  ['more than a week of waiting', { payload: 1, expiresAfterSeconds: 604_801 }],
  ['waiting as text', { payload: 1, expiresAfterSeconds: '60' }],
  ['4 seconds', { payload: 1, timeoutSeconds: 4 }],
  ['301 seconds', { payload: 1, timeoutSeconds: 301 }],
  ['a component that is no text', { payload: 1, componentId: 7 }],
  ['no object', '[]'],
  ['70 levels', `{"payload": ${'['.repeat(70)}${']'.repeat(70)}}`],
])('refuses %s', async (_what, body) => {
  const pump = await makePump()
  const headers = { 'content-type': 'application/json' }
  const sent = await platform.request(
    'POST',
    pump.at,
    typeof body === 'string' ? body : JSON.stringify(body),
    {
      token: platform.adminToken,
      headers,
    },
  )
  expect(sent).toMatchObject({ status: 400, body: { error: 'validation_error' } })
  expect((await platform.get(pump.at)).status).toBe(404)
})

test('a command without a request takes none, and a payload has a limit', async () => {
  const pump = await makePump()
  expect(await pump.brake({ payload: 1 })).toMatchObject({
    status: 400,
    body: { message: expect.stringContaining('takes none') },
  })
  expect((await pump.send({ payload: 'x'.repeat(900_000) })).status).toBe(413)
})

test('sending needs manage, reading view; of another tenant there is nothing', async () => {
  const pump = await makePump()
  await pump.send()
  const [stranger, viewer, elsewhere] = [
    await platform.makeTenant('other'),
    await makeUser(platform),
    await makeUser(platform),
  ]
  await relate(platform, `${viewer.id} viewer asset:${pump.id}`)
  const branch = await makeOrganization(platform)
  await relate(platform, `${elsewhere.id} asset_manager organization:${branch}`)
  const send = (token: string) => platform.post(pump.at, { payload: 1 }, { token })
  const read = (token: string) => platform.get(pump.at, { token })
  expect([(await send(stranger.token)).status, (await read(stranger.token)).status]).toEqual([404, 404])
  expect([(await send(elsewhere.token)).status, (await read(elsewhere.token)).status]).toEqual([403, 403])
  expect([(await send(viewer.token)).status, (await read(viewer.token)).status]).toEqual([403, 200])
  expect((await platform.get(`${pump.at}/history`, { token: elsewhere.token })).status).toBe(403)
  expect((await platform.post(`${pump.at}/cancel`, {}, { token: viewer.token })).status).toBe(403)
})

test('the audit log says who sent what, without the payload', async () => {
  const pump = await makePump()
  const { commandId } = (await pump.send({ payload: 31337.125, expiresAfterSeconds: 9 })).body
  await platform.post(`${pump.at}/cancel`, {})
  const { body } = await platform.get(`/v1/audit-log?resourceType=asset&resourceId=${pump.id}`)
  expect(body).toMatchObject([
    { action: 'cancel-command', after: { commandId } },
    {
      action: 'send-command',
      after: { commandId, name: 'start', componentId: '', expiresAfterSeconds: 9, timeoutSeconds: 30 },
    },
  ])
  expect(JSON.stringify(body)).not.toContain('31337.125')
})

test('many at once for one device go out each once', async () => {
  const pump = await makePump()
  const session = pump.connect('spin')
  await Promise.all(Array.from({ length: 30 }, (_, payload) => pump.send({ payload })))
  const payloads = session.sent.map(({ payload }) => (payload as Question).payload as number)
  expect(payloads.toSorted((a, b) => a - b)).toEqual([...Array(30).keys()])
})
