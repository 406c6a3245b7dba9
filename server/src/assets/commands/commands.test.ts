import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { insertAsset, insertBinding } from '../../../test/harness/assets.ts'
import { asked, type CommandWorld, startCommandWorld } from '../../../test/harness/command-world.ts'
import { type Platform } from '../../../test/harness/platform.ts'
import { makeOrganization, makeUser, relate } from '../../../test/harness/users.ts'

let world: CommandWorld
let platform: Platform
let makePump: CommandWorld['makePump']
beforeAll(async () => {
  world = await startCommandWorld()
  ;({ platform, makePump } = world)
})
afterAll(() => world[Symbol.asyncDispose]())

test("a command is the device's direct method, and its status is its record [docs/assets#command-states]", async () => {
  const pump = await makePump()
  const session = pump.connect('spin')
  const { status, body } = await pump.send()
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
  expect(question).toEqual({ correlationId: body.correlationId, payload: 5, timeoutSeconds: 30 })
  expect(pump.answer(question, 201, { rpm: 900 })).toBe(true)
  expect(await pump.ends()).toEqual({
    ...body,
    status: 'succeeded',
    responsePayload: { rpm: 900 },
    responseTimestamp: expect.any(String),
  })
})

test('the payload is transformed by inverseTransform [docs/assets#commands]', async () => {
  const pump = await makePump({ inverseTransform: { '*': [{ var: 'value' }, { var: 'spin' }] } })
  const session = pump.connect('spin')
  expect((await pump.send()).body.requestPayload).toBe(5)
  expect((await asked(session)).payload).toBe(25)
})

test('a command bound to a command of another asset follows its binding', async () => {
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

test('a status outside 2xx is failed, with the status; a device that does not respond is timed_out', async () => {
  const pump = await makePump()
  const session = pump.connect('spin')
  await pump.send()
  pump.answer(await asked(session), 503, { busy: true })
  expect(await pump.ends()).toMatchObject({
    status: 'failed',
    statusMessage: 'The device answered with status 503.',
    responsePayload: { busy: true },
  })
  session.end('connection_lost', '')
  const { commandId } = (await pump.send({ expiresAfterSeconds: 60 })).body
  // Shortens the test.
  await platform.ctx.pool.query('update asset_commands set timeout_seconds = 1 where id = $1', [commandId])
  const silent = pump.connect('spin')
  await world.dispatch(pump)
  const late = await asked(silent)
  expect(await pump.ends()).toMatchObject({ status: 'timed_out', responsePayload: null })
  expect(pump.answer(late, 200)).toBe(false)
})

test('a response that cannot be stored still counts as success', async () => {
  const pump = await makePump()
  const session = pump.connect('spin')
  await pump.send()
  pump.answer(await asked(session), 200, 'a\0b')
  expect(await pump.ends()).toMatchObject({
    status: 'succeeded',
    responsePayload: null,
    statusMessage: expect.stringContaining('cannot be stored'),
  })
})

test('a command that is not bound fails with a message [docs/assets#commands]', async () => {
  await insertAsset(platform, 'loose')
  const { status, body } = await platform.post('/v1/assets/loose/commands/start', { payload: 1 })
  expect(status).toBe(202)
  expect(body).toMatchObject({ status: 'failed', statusMessage: expect.stringMatching(/^not_bound: /) })
  expect(body.responseTimestamp).not.toBeNull()
})

test('a command is not sent to several remotes, to a deleted client or to a client that only delivers data', async () => {
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
  expect(await failed(pump.id)).toEqual([true, expect.stringMatching(/^not_bound: /)])
  await platform.post('/v1/providers', {
    id: 'imports',
    type: 'import',
    displayName: 'I',
    organizationId: platform.organizationId,
  })
  const imported = await makePump({ provider: 'imports' })
  expect(await failed(imported.id)).toEqual([true, expect.stringMatching(/^conflict: .*type import/)])
})

test('an inverseTransform without a result fails the command', async () => {
  const pump = await makePump({ inverseTransform: { '+': [{ var: 'value' }, 'text'] } })
  pump.connect('spin')
  expect((await pump.send()).body).toMatchObject({
    status: 'failed',
    statusMessage: expect.stringMatching(/^not_transformed: /),
  })
})

test('history starts with the newest', async () => {
  const pump = await makePump()
  const ids: string[] = []
  for (let count = 0; count < 3; count++) ids.unshift((await pump.send()).body.commandId)
  const commandIds = (body: { commandId: string }[]) => body.map(({ commandId }) => commandId)
  const first = await platform.get(`${pump.at}/history?limit=2`)
  expect(commandIds(first.body)).toEqual(ids.slice(0, 2))
  const next = /<(.*)>/.exec(first.headers.get('link')!)![1]!
  expect(commandIds((await platform.get(next)).body)).toEqual(ids.slice(2))
  expect((await platform.get(`${pump.at}/history?cursor=x`)).status).toBe(400)
})

test('a command that the model does not have is not found, and nothing is stored', async () => {
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
    expect(await platform.post(`${at}/${name}`, body)).toMatchObject({ status: 404 })
  expect((await platform.get(`${at}/fly`)).status).toBe(404)
  expect((await platform.get(pump.at)).status).toBe(404)
  expect((await platform.get(`${pump.at}/history`)).body).toEqual([])
})

test.each([
  ['no payload where one is due', {}],
  ['null where one is due', { payload: null }],
  ['a payload of another type', { payload: 'fast' }],
  ['an object for a number', { payload: { speed: 1 } }],
  ['an invalid number', '{"payload": 1e999}'],
  ['-1 seconds of waiting', { payload: 1, expiresAfterSeconds: -1 }],
  ['more than a week of waiting', { payload: 1, expiresAfterSeconds: 604_801 }],
  ['waiting as text', { payload: 1, expiresAfterSeconds: '60' }],
  ['a field that no command has', { payload: 1, delay: 5 }],
  ['a time-out', { payload: 1, timeoutSeconds: 30 }],
  ['a component that is not text', { payload: 1, componentId: 7 }],
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

test('a command without a request schema refuses a payload, and a payload has a limit', async () => {
  const pump = await makePump()
  expect(await pump.brake({ payload: 1 })).toMatchObject({
    status: 400,
    body: { message: expect.stringContaining('takes none') },
  })
  expect((await pump.send({ payload: 'x'.repeat(900_000) })).status).toBe(413)
})

test('sending needs manage, reading needs view; assets of another tenant are not found', async () => {
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

test('the audit log records who sent what, without the payload', async () => {
  const pump = await makePump()
  const { commandId } = (await pump.send({ payload: 31337.125, expiresAfterSeconds: 9 })).body
  await platform.post(`${pump.at}/cancel`, {})
  const { body } = await platform.get(`/v1/audit-log?resourceType=asset&resourceId=${pump.id}`)
  expect(body).toMatchObject([
    { action: 'cancel-command', after: { commandId } },
    {
      action: 'send-command',
      after: { commandId, name: 'start', componentId: '', expiresAfterSeconds: 9 },
    },
  ])
  expect(JSON.stringify(body)).not.toContain('31337.125')
})
