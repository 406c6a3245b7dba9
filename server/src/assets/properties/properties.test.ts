import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { insertAsset, insertBinding, makePumpModel, type TestBinding } from '../../../test/harness/assets.ts'
import { runAllJobs } from '../../../test/harness/due-jobs.ts'
import { connectSession } from '../../../test/harness/live-session.ts'
import { type Platform, startPlatform } from '../../../test/harness/platform.ts'
import { refusing, type StandInHub, startStandInHub } from '../../../test/harness/stand-in-hub.ts'
import { makeOrganization, makeUser, relate } from '../../../test/harness/users.ts'
import { MAX_DESIRED_BYTES } from '../../providers/twin/set-desired.ts'
import { assetPropertyTasks } from './tasks.ts'

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
async function makePump(provider = 'mqtt') {
  const [id, client] = [`pump-${++made}`, `client-${made}`]
  const number = await insertAsset(platform, id)
  await platform.post(`/v1/providers/${provider}/clients`, { id: client, displayName: client })
  const url = `/v1/assets/${id}/properties/desired`
  const ofClient = `/v1/providers/${provider}/clients/${client}/properties/desired`
  return {
    id,
    client,
    number,
    put: (body: unknown) => platform.put(url, body),
    get: async () => (await platform.get(url)).body,
    /** @param remotes components and names, of the pump's client */
    bind: (local: string, remotes: string[], binding?: TestBinding) =>
      insertBinding(
        platform,
        `${id}/${endpoint(local)}`,
        remotes.map((remote) => `${client}/${endpoint(remote)}`),
        binding,
      ),
    clientDesired: async () => (await platform.get(ofClient)).body,
  }
}
/** `motor/limit` → `motor/property/limit` */
const endpoint = (text: string) => text.replace('/', '/property/')

test('PUT merges, null removes, and the answer is the full state with a growing $version [docs/assets#properties]', async () => {
  const pump = await makePump()
  expect(await pump.get()).toEqual({ $version: 0 })
  expect(await pump.put({ target: 5, motor: { limit: 3 }, note: { a: 1, b: 2 } })).toMatchObject({
    status: 200,
    body: { target: 5, motor: { limit: 3 }, note: { a: 1, b: 2 }, $version: 1 },
  })
  const { body } = await pump.put({ target: null, note: { b: null } })
  expect(body).toEqual({ motor: { limit: 3 }, note: { a: 1 }, $version: 2 })
  expect(await pump.get()).toEqual(body)
  expect((await pump.put({ motor: null })).body).toEqual({ note: { a: 1 }, $version: 3 })
})

test('reported properties are returned with $version', async () => {
  const pump = await makePump()
  const reported = async () => (await platform.get(`/v1/assets/${pump.id}/properties/reported`)).body
  expect(await reported()).toEqual({ $version: 0 })
  await platform.ctx.db
    .insertInto('asset_twins')
    .values({ asset_number: pump.number, reported: '{"serial": "x"}', reported_version: 4 })
    .execute()
  await pump.put({ target: 1 })
  expect(await reported()).toEqual({ serial: 'x', $version: 4 })
})

describe('what is bound goes to the device', () => {
  test('through inverseTransform, in one state with its siblings, a component as an object', async () => {
    const pump = await makePump()
    const celsius = { '+': [{ '*': [{ var: 'value' }, 1.8] }, 32] }
    await pump.bind('-/target', ['-/setpoint'], { inverseTransform: celsius })
    await pump.bind('motor/limit', ['motor/max'])
    const topic = `devices/${pump.client}/twin/desired`
    const session = connectSession(platform.ctx, pump.client, [topic])
    await pump.put({ target: 100, motor: { limit: 3 }, note: 'stays here' })
    expect(session.sent).toEqual([{ topic, payload: { setpoint: 212, motor: { max: 3 }, $version: 1 } }])
    await pump.put({ target: null })
    expect(session.sent[1]!.payload).toEqual({ motor: { max: 3 }, $version: 2 })
    await pump.put({ motor: null })
    expect(session.sent[2]!.payload).toEqual({ motor: {}, $version: 3 })
  })

  test('not to a component where the client has a value of that name', async () => {
    const pump = await makePump()
    await pump.bind('motor/limit', ['motor/max'])
    await platform.put(`/v1/providers/mqtt/clients/${pump.client}/properties/desired`, { motor: 'off' })
    const refused = await pump.put({ motor: { limit: 3 } })
    expect(refused).toMatchObject({ status: 409, body: { error: 'conflict' } })
    expect(await pump.clientDesired()).toEqual({ motor: 'off', $version: 1 })
    expect(await pump.get()).toEqual({ $version: 0 })
  })

  test('the expression sees the value under the name of the remote, too', async () => {
    const pump = await makePump()
    await pump.bind('-/target', ['-/setpoint'], { inverseTransform: { '-': [{ var: 'x' }] }, names: ['x'] })
    await pump.put({ target: 7 })
    expect(await pump.clientDesired()).toEqual({ setpoint: -7, $version: 1 })
  })

  test('to several remotes: the value to each, or the fields or items of what inverseTransform makes', async () => {
    const pump = await makePump()
    await pump.bind('-/target', ['-/a', '-/b'])
    await pump.put({ target: 7 })
    expect(await pump.clientDesired()).toEqual({ a: 7, b: 7, $version: 1 })
    const listed = await makePump()
    const inverseTransform = [{ var: 'value' }, { '*': [{ var: 'value' }, 2] }]
    await listed.bind('-/target', ['-/a', '-/b'], { inverseTransform })
    await listed.put({ target: 7 })
    expect(await listed.clientDesired()).toEqual({ a: 7, b: 14, $version: 1 })
    const named = await makePump()
    await named.bind('-/free', ['-/a', '-/b', '-/c'], { inverseTransform: { var: 'value.parts' } })
    await named.put({ free: { parts: { a: 1, b: 2 } } })
    expect(await named.clientDesired()).toEqual({ a: 1, b: 2, $version: 1 })
  })

  test('as a patch of the whole object, which removes missing fields', async () => {
    const pump = await makePump()
    await pump.bind('-/free', ['-/plain'])
    await pump.bind('-/other', ['-/inner'], { inverseTransform: { var: 'value.inner' } })
    await pump.put({ free: { a: 1, b: 2 }, other: { inner: { c: 1, d: 2 } } })
    await pump.put({ free: { a: null }, other: { inner: { c: null, e: 3 } } })
    const { $version: _, ...desired } = await pump.clientDesired()
    expect(desired).toEqual({ plain: { b: 2 }, inner: { d: 2, e: 3 } })
  })

  test('through another asset, which stores it and checks it against its model', async () => {
    const pump = await makePump()
    await pump.bind('-/target', ['-/setpoint'], { inverseTransform: { '+': [{ var: 'value' }, 1] } })
    await insertAsset(platform, 'station')
    const [double, remotes] = [{ '*': [{ var: 'value' }, 2] }, [`${pump.id}/-/property/target`]]
    await insertBinding(platform, 'station/-/property/target', remotes, { inverseTransform: double })
    await platform.put('/v1/assets/station/properties/desired', { target: 10 })
    expect(await pump.get()).toEqual({ target: 20, $version: 1 })
    expect(await pump.clientDesired()).toEqual({ setpoint: 21, $version: 1 })
    await insertBinding(platform, 'station/-/property/free', [`${pump.id}/-/property/serial`])
    const refused = await platform.put('/v1/assets/station/properties/desired', { free: 'x' })
    expect(refused).toMatchObject({ status: 400, body: { message: expect.stringContaining('serial') } })
    expect((await platform.get('/v1/assets/station/properties/desired')).body.$version).toBe(1)
  })

  test('either completely or not at all', async () => {
    const pump = await makePump()
    await pump.bind('-/target', ['-/setpoint'])
    await pump.bind('-/free', ['-/text'], { inverseTransform: { '*': [{ var: 'value' }, 2] } })
    const failed = await pump.put({ target: 1, free: 'no number' })
    expect(failed).toMatchObject({
      status: 400,
      body: { error: 'validation_error', message: expect.stringMatching(/^free: the inverseTransform of/) },
    })
    expect([await pump.get(), await pump.clientDesired()]).toEqual([{ $version: 0 }, { $version: 0 }])
    // The client's state has no space left for it.
    const half = 'x'.repeat(MAX_DESIRED_BYTES / 2)
    await platform.put(`/v1/providers/mqtt/clients/${pump.client}/properties/desired`, { taken: half })
    await pump.bind('-/large', ['-/large'])
    expect((await pump.put({ large: half })).status).toBe(413)
    expect(await pump.get()).toEqual({ $version: 0 })
    // Its binding still exists, as if it were deleted at this moment.
    await platform.ctx.db.deleteFrom('provider_clients').where('id', '=', pump.client).execute()
    expect(await pump.put({ target: 1 })).toMatchObject({
      status: 409,
      body: { message: expect.stringContaining('no longer exists') },
    })
  })

  test('a loop of bindings is refused, and nothing is stored', async () => {
    await insertAsset(platform, 'left')
    await insertAsset(platform, 'right')
    await insertBinding(platform, 'left/-/property/target', ['right/-/property/target'])
    await insertBinding(platform, 'right/-/property/target', ['left/-/property/target'])
    const url = '/v1/assets/left/properties/desired'
    expect(await platform.put(url, { target: 1 })).toMatchObject({
      status: 409,
      body: { message: expect.stringContaining('circle') },
    })
    expect((await platform.get(url)).body).toEqual({ $version: 0 })
  })

  test('over assets that many paths lead to, each of which changes once', async () => {
    // Each asset of a level is bound to all of the next one: 3¹⁰ paths.
    const levels = Array.from({ length: 10 }, (_, level) =>
      ['a', 'b', 'c'].map((name) => `level-${level}-${name}`),
    )
    const targets = (ids: string[]) => ids.map((id) => `${id}/-/property/target`)
    for (const id of ['top', ...levels.flat()]) await insertAsset(platform, id)
    for (const [index, ids] of [['top'], ...levels.slice(0, -1)].entries())
      for (const local of targets(ids))
        await insertBinding(platform, local, targets(levels[index]!), { names: ['a', 'b', 'c'] })
    expect((await platform.put('/v1/assets/top/properties/desired', { target: 7 })).body).toEqual({
      target: 7,
      $version: 1,
    })
    for (const id of levels.flat())
      expect((await platform.get(`/v1/assets/${id}/properties/desired`)).body).toEqual({
        target: 7,
        $version: 1,
      })
  })

  test('concurrently from several assets, without lost changes or deadlocks', async () => {
    const [one, two] = [await makePump(), await makePump()]
    // Each is bound to both clients, in the other order.
    for (const [pump, clients] of [
      [one, [one.client, two.client]],
      [two, [two.client, one.client]],
    ] as const)
      await insertBinding(
        platform,
        `${pump.id}/-/property/target`,
        clients.map((client) => `${client}/-/property/${pump.id}`),
        { names: ['a', 'b'] },
      )
    const answers = await Promise.all(
      [one, two].flatMap((pump) =>
        Array.from({ length: 10 }, (_, index) => pump.put({ target: index, [`key-${index}`]: index })),
      ),
    )
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200))
    expect(Object.keys(await one.get())).toHaveLength(12)
    const last = { [one.id]: (await one.get()).target, [two.id]: (await two.get()).target, $version: 20 }
    expect([await one.clientDesired(), await two.clientDesired()]).toEqual([last, last])
  })
})

describe('a client of a remote provider', () => {
  const runJobs = () => runAllJobs(platform.ctx, assetPropertyTasks(platform.ctx))
  const deliveries = async () =>
    (await platform.ctx.db.selectFrom('desired_deliveries').selectAll().execute()).length

  test('gets the change at once, a module by its name', async () => {
    const pump = await makePump('hub')
    hub.registered.set(`${pump.client}/motor`, structuredClone(hub.registered.get(pump.client)!))
    await pump.bind('-/target', ['-/setpoint'])
    await pump.bind('motor/limit', ['motor/max'])
    expect((await pump.put({ target: 5, motor: { limit: 2 } })).status).toBe(200)
    const registeredDesired = (id: string) => hub.registered.get(id)!.twin.desired
    expect([registeredDesired(pump.client), registeredDesired(`${pump.client}/motor`)]).toEqual([
      { setpoint: 5 },
      { max: 2 },
    ])
    expect(await deliveries()).toBe(0)
    await runJobs()
    expect(hub.registered.get(pump.client)!.twin.desiredVersion).toBe(2)
  })

  test('that is unavailable gets it later; the answer says so, and the latest change arrives', async () => {
    const pump = await makePump('hub')
    await pump.bind('-/target', ['-/setpoint'])
    await pump.bind('-/free', ['-/free'])
    const down = () => hub.next.push(refusing(500, {}))
    down()
    const failed = await pump.put({ target: 5, free: 1 })
    expect(failed).toMatchObject({
      status: 502,
      body: {
        error: 'provider_unavailable',
        message: expect.stringMatching(/desired state was kept.*sent again/),
        details: { clientId: pump.client, assetStateKept: true, retried: true },
      },
    })
    expect(await pump.get()).toEqual({ target: 5, free: 1, $version: 1 })
    down()
    expect((await pump.put({ target: 6 })).status).toBe(502)
    down()
    expect(await runJobs()).toEqual(['deliver-desired'])
    expect(hub.registered.get(pump.client)!.twin.desired).toEqual({})
    // Simulates that a process ended while it was sending: no other one takes over before its claim expires.
    const claimUntil = (when: string) =>
      platform.ctx.pool.query(`update desired_deliveries set sending_until = now() + $1::interval`, [when])
    await claimUntil('1 minute')
    expect(await runJobs()).toEqual(['deliver-desired'])
    expect(hub.registered.get(pump.client)!.twin.desired).toEqual({})
    await claimUntil('-1 second')
    expect(await runJobs()).toEqual(['deliver-desired'])
    expect(hub.registered.get(pump.client)!.twin.desired).toEqual({ setpoint: 6, free: 1 })
    expect([await deliveries(), await runJobs()]).toEqual([0, []])
  })

  test('that refuses it makes the request fail, and it is not retried', async () => {
    const pump = await makePump('hub')
    await pump.bind('-/target', ['-/setpoint'])
    hub.next.push(refusing(400, { Message: 'too deep' }))
    expect(await pump.put({ target: 5 })).toMatchObject({
      status: 422,
      body: { error: 'provider_rejected', details: { retried: false } },
    })
    expect(await deliveries()).toBe(0)
  })

  test('gets the last state of concurrent changes, whichever node sends it', async () => {
    const pump = await makePump('hub')
    await pump.bind('-/target', ['-/setpoint'])
    const answers = await Promise.all(Array.from({ length: 8 }, (_, target) => pump.put({ target })))
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200))
    await runJobs()
    expect(hub.registered.get(pump.client)!.twin.desired).toEqual({ setpoint: (await pump.get()).target })
  })
})

test.each([
  ['a property that is not writable', { serial: 'x' }, /^serial: is not writable/],
  ['taking one away that is not writable', { serial: null }, /^serial: is not writable/],
  ['a value of another type', { target: 'high' }, /^target: does not fit the model, where it is double/],
  ['a value of another type in a component', { motor: { limit: 1.5 } }, /^motor\.limit: does not fit/],
  ['a signal', { temperature: 1 }, /^temperature: is of the kind telemetry/],
  ['a command', { motor: { brake: 1 } }, /^motor\.brake: is of the kind command/],
  ['a component that is not an object', { motor: 5 }, /^motor: must be an object or null/],
  ['a reserved name', { $version: 7 }, /reserved name/],
  ['NUL', { note: 'a\0' }, /NUL/],
  ['__proto__', '{"note": {"__proto__": {"admin": true}}}', /./],
  ['an array', [1], /./],
  ['null', 'null', /./],
  ['text', '"text"', /./],
  ['70 levels', `${'{"a":'.repeat(70)}1${'}'.repeat(70)}`, /./],
  ['no number', '{"target": 1e999}', /./],
])('refuses %s and keeps nothing', async (_what, body, message) => {
  const pump = await makePump()
  const url = `/v1/assets/${pump.id}/properties/desired`
  const answer = await platform.request('PUT', url, typeof body === 'string' ? body : JSON.stringify(body), {
    token: platform.adminToken,
    headers: { 'content-type': 'application/json' },
  })
  expect(answer).toMatchObject({ status: 400, body: { error: 'validation_error' } })
  expect(answer.body.message).toMatch(message)
  expect(await pump.get()).toEqual({ $version: 0 })
})

test('the size of the state is limited [128 KiB]', async () => {
  const pump = await makePump()
  const half = 'x'.repeat(MAX_DESIRED_BYTES / 2)
  expect((await pump.put({ one: half })).status).toBe(200)
  expect(await pump.put({ two: half })).toMatchObject({ status: 413, body: { error: 'payload_too_large' } })
  expect((await pump.put({ one: null, two: half })).status).toBe(200)
})

test('setting needs manage, reading needs view; assets of another tenant are not found', async () => {
  const pump = await makePump()
  const stranger = await platform.makeTenant('other')
  const [viewer, elsewhere] = [await makeUser(platform), await makeUser(platform)]
  await relate(platform, `${viewer.id} viewer asset:${pump.id}`)
  await relate(platform, `${elsewhere.id} asset_manager organization:${await makeOrganization(platform)}`)
  const statuses = async (token: string) => {
    const at = `/v1/assets/${pump.id}/properties`
    const answers = [
      await platform.put(`${at}/desired`, { target: 1 }, { token }),
      await platform.get(`${at}/desired`, { token }),
      await platform.get(`${at}/reported`, { token }),
    ]
    return answers.map(({ status }) => status)
  }
  expect(await statuses(stranger.token)).toEqual([404, 404, 404])
  expect(await statuses(elsewhere.token)).toEqual([403, 403, 403])
  expect(await statuses(viewer.token)).toEqual([403, 200, 200])
  expect((await platform.get('/v1/assets/absent/properties/desired')).status).toBe(404)
})

test('the audit log records each change of the asset and of the client [docs/api#audit]', async () => {
  const pump = await makePump()
  await pump.bind('-/target', ['-/setpoint'])
  await pump.put({ target: 1 })
  const latestEntry = async (type: string, id: string) =>
    (await platform.get(`/v1/audit-log?resourceType=${type}&resourceId=${id}`)).body[0]
  expect(await latestEntry('asset', pump.id)).toMatchObject({
    action: 'set-desired',
    after: { patch: { target: 1 }, $version: 1 },
  })
  expect(await latestEntry('provider_client', pump.client)).toMatchObject({
    action: 'set-desired',
    after: { patch: { setpoint: 1 }, $version: 1 },
  })
})
