import { afterAll, beforeAll, expect, test } from 'vitest'
import { insertAsset, makePumpModel } from '../../../test/harness/assets.ts'
import { bind, binding, boundIn, makeClient } from '../../../test/harness/bindings.ts'
import { makeImportProvider } from '../../../test/harness/import-provider.ts'
import { connectSession } from '../../../test/harness/live-session.ts'
import { type Platform, startPlatform } from '../../../test/harness/platform.ts'
import { makeOrganization, makeUser, relate } from '../../../test/harness/users.ts'

let platform: Platform
beforeAll(async () => {
  platform = await startPlatform()
  await makeImportProvider(platform)
  await makePumpModel(platform)
})
afterAll(() => platform[Symbol.asyncDispose]())

let made = 0
/** Two clients and an asset that is bound to the first. */
async function makeSwap(providerId = 'mqtt') {
  const n = ++made
  const [id, from, to] = [`pump-${n}`, `old-${n}`, `new-${n}`]
  for (const client of [from, to]) await makeClient(platform, client, { providerId })
  await insertAsset(platform, id)
  const endpoints = [
    '-/telemetry/temperature',
    '-/property/serial',
    '-/property/target',
    'motor/property/limit',
  ]
  const commands = providerId === 'mqtt' ? ['motor/command/brake'] : []
  const bound = await bind(platform, id, {
    endpointBindings: [...endpoints, ...commands].map((key) => binding(`${id}/${key}`, `${from}/${key}`)),
  })
  expect(bound.status).toBe(200)
  const bindings = async (asset = id) => boundIn(await platform.get(`/v1/assets/${asset}/bindings`))
  const expected = (client: string) =>
    Object.fromEntries([...endpoints, ...commands].map((key) => [`${id}/${key}`, [`${client}/${key}`]]))
  const replace = (body: object = {}, options?: { token: string }) =>
    platform.post(`/v1/assets/${id}/replace-device`, { from, to, ...body }, options)
  return { id, from, to, bindings, expected, replace }
}

test('all bindings to the old client move to the new one, in every asset', async () => {
  const { id, from, to, bindings, expected, replace } = await makeSwap()
  const [other, station] = [`other-${id}`, `station-${id}`]
  await insertAsset(platform, other)
  await insertAsset(platform, station)
  const double = { '*': [{ var: 'a' }, { var: 'b' }] }
  const joined = { a: `${from}/-/telemetry/volts`, b: `${from}/-/telemetry/amperes` }
  await bind(platform, other, {
    endpointBindings: [binding(`${other}/-/telemetry/pressure`, joined, { transform: double })],
  })
  const overAsset = `${id}/-/telemetry/temperature`
  await bind(platform, station, {
    endpointBindings: [binding(`${station}/-/telemetry/temperature`, overAsset)],
  })
  const { status, body } = await replace()
  expect(status).toBe(200)
  expect(body).toMatchObject({ assetId: id, from, to, dryRun: false, movedCommands: 0, problems: [] })
  expect(body.moved).toHaveLength(6)
  expect(body.moved).toContainEqual({
    localEndpointId: `${other}/-/telemetry/pressure`,
    remoteEndpointIds: [`${to}/-/telemetry/volts`, `${to}/-/telemetry/amperes`],
  })
  expect(await bindings()).toEqual(expected(to))
  expect(await bindings(station)).toEqual({ [`${station}/-/telemetry/temperature`]: [overAsset] })
  const kept = (await platform.get(`/v1/assets/${other}/bindings`)).body.bindings[0]
  expect(kept).toMatchObject({ transform: double, origin: 'explicit' })
  for (const resourceId of [id, other]) {
    const [entry] = (await platform.get(`/v1/audit-log?resourceType=asset&resourceId=${resourceId}`)).body
    expect(entry.action).toBe('replace-device')
    expect(JSON.stringify(entry.before)).toContain(`${from}/`)
    expect(JSON.stringify(entry.after)).not.toContain(`${from}/`)
  }
  // There is nothing left to replace.
  expect((await replace()).status).toBe(400)
})

test('the new device gets the desired properties of the assets, and the queued commands of the old one', async () => {
  const { id, from, to, replace } = await makeSwap()
  await platform.put(`/v1/assets/${id}/properties/desired`, { target: 5, motor: { limit: 3 } })
  const waiting = { componentId: 'motor', expiresAfterSeconds: 600 }
  const command = `/v1/assets/${id}/commands/brake`
  expect((await platform.post(command, waiting)).body.status).toBe('queued')
  const topics = [`devices/${to}/twin/desired`, `devices/${to}/methods/motor.brake/invoke`]
  const session = connectSession(platform.ctx, to, topics)
  expect((await replace()).body.movedCommands).toBe(1)
  expect(session.sent).toEqual(
    expect.arrayContaining([
      { topic: topics[0], payload: { target: 5, motor: { limit: 3 }, $version: 1 } },
      { topic: topics[1], payload: expect.objectContaining({ payload: null }) },
    ]),
  )
  expect((await platform.get(`${command}?componentId=motor`)).body.status).toBe('running')
  const { number } = await platform.ctx.db
    .selectFrom('provider_clients')
    .select('number')
    .where('id', '=', from)
    .executeTakeFirstOrThrow()
  const left = await platform.ctx.db
    .selectFrom('asset_commands')
    .selectAll()
    .where('client_number', '=', number)
    .execute()
  expect(left).toEqual([])
})

test('the asset keeps its history and takes over properties that the new device has reported', async () => {
  const { id, from, to, replace } = await makeSwap('files')
  const post = (client: string, what: string, body: object) =>
    platform.post(`/v1/providers/files/clients/${client}/${what}`, JSON.stringify(body))
  await post(from, 'telemetry', { temperature: 20, timestamp: '2026-01-01T10:00:00.000Z' })
  await post(from, 'reported', { serial: 'A', target: 1, motor: { limit: 1 } })
  await post(to, 'reported', { serial: 'B', target: 2, motor: { limit: 2 } })
  expect((await replace()).body.problems).toEqual([])
  const { body: reported } = await platform.get(`/v1/assets/${id}/properties/reported`)
  expect(reported).toMatchObject({ serial: 'B', target: 2, motor: { limit: 2 } })
  await post(to, 'telemetry', { temperature: 21, timestamp: '2026-01-01T11:00:00.000Z' })
  await post(from, 'telemetry', { temperature: 99, timestamp: '2026-01-01T12:00:00.000Z' })
  const { body } = await platform.post('/v1/timeseries/get', {
    assetId: id,
    timeseriesName: ['temperature'],
    searchSpanFrom: '2026-01-01T00:00:00Z',
    searchSpanTo: '2026-01-02T00:00:00Z',
  })
  expect(body.items[0].items.map(({ value }: { value: number }) => value)).toEqual([20, 21])
})

test('a dry run answers the same and changes nothing', async () => {
  const { id, from, bindings, expected, replace } = await makeSwap()
  await platform.put(`/v1/assets/${id}/properties/desired`, { target: 5 })
  const { body } = await replace({ dryRun: true })
  expect(body).toMatchObject({ dryRun: true, problems: [] })
  expect(body.moved).toHaveLength(5)
  expect(await bindings()).toEqual(expected(from))
  expect(
    (await platform.get(`/v1/providers/mqtt/clients/new-${made}/properties/desired`)).body.$version,
  ).toBe(0)
  const { moved } = (await replace()).body
  expect(moved).toEqual(body.moved)
})

test('problems are listed: commands, values reported so far, another parser', async () => {
  const { id, from, bindings, replace } = await makeSwap()
  const to = `file-${id}`
  await makeClient(platform, to, { providerId: 'files' })
  await platform.post(`/v1/providers/files/clients/${to}/reported`, '{"serial": 7, "target": 1}')
  await platform.post(`/v1/providers/files/clients/${to}/provision`, {
    options: { parser: { name: 'cbor' } },
  })
  const { body } = await replace({ to })
  const problems = new Map(
    body.problems.map((one: { localEndpointId: string; message: string }) => [
      one.localEndpointId,
      one.message,
    ]),
  )
  expect([...problems.keys()]).toEqual([
    null,
    `${id}/motor/command/brake`,
    `${id}/-/property/serial`,
    `${id}/motor/property/limit`,
  ])
  expect(problems.get(null)).toContain('cbor')
  expect(problems.get(`${id}/motor/command/brake`)).toContain('import')
  expect(problems.get(`${id}/-/property/serial`)).toContain('string')
  // It cannot move; all the rest does.
  expect(await bindings()).toMatchObject({
    [`${id}/motor/command/brake`]: [`${from}/motor/command/brake`],
    [`${id}/-/telemetry/temperature`]: [`${to}/-/telemetry/temperature`],
  })
})

test.each([
  ['an unknown field', { force: true }, 'force'],
  ['the same client twice', { to: 'old' }, 'to'],
  ['an unknown client', { to: 'nobody' }, 'to'],
  ['a client that the asset is not bound to', { from: 'stranger' }, 'from'],
  ['a dry run as text', { dryRun: 'true' }, 'dryRun'],
])('refuses %s', async (_what, change, path) => {
  const { from, bindings, expected, replace } = await makeSwap()
  await platform.post('/v1/providers/mqtt/clients', { id: 'stranger', displayName: 'Stranger' })
  const answer = await replace('to' in change && change.to === 'old' ? { to: from } : change)
  expect(answer).toMatchObject({ status: 400, body: { error: 'validation_error' } })
  expect(answer.body.details.issues[0].path + answer.body.details.issues[0].message).toContain(path)
  expect(await bindings()).toEqual(expected(from))
})

test('it needs manage on every affected asset and on a client that is written to; other tenants are not found', async () => {
  const { id, from, to, bindings, expected, replace } = await makeSwap()
  const organizationId = await makeOrganization(platform)
  const user = await makeUser(platform)
  const { token } = user
  expect((await replace({}, { token })).status).toBe(403)
  await relate(platform, `${user.id} manager asset:${id}`)
  expect((await replace({}, { token })).status).toBe(403)
  await relate(platform, `${user.id} viewer provider_client:${to}`)
  expect((await replace({}, { token })).status).toBe(403)
  await relate(platform, `${user.id} manager provider_client:${to}`)
  await insertAsset(platform, `hidden-${id}`, { organization: organizationId })
  await bind(platform, `hidden-${id}`, {
    endpointBindings: [binding(`hidden-${id}/-/telemetry/temperature`, `${from}/-/telemetry/t`)],
  })
  expect((await replace({}, { token })).status).toBe(403)
  expect(await bindings()).toEqual(expected(from))
  await relate(platform, `${user.id} manager asset:hidden-${id}`)
  expect((await replace({}, { token })).status).toBe(200)
  const other = await platform.makeTenant(`other-${id}`)
  expect((await replace({}, { token: other.token })).status).toBe(404)
})
