import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeModel } from '../../test/harness/assets.ts'
import { listAuditActions } from '../../test/harness/audit.ts'
import { type Platform, startPlatform } from '../../test/harness/platform.ts'
import { makeOrganization, makeUser, relate } from '../../test/harness/users.ts'

let platform: Platform
beforeAll(async () => {
  platform = await startPlatform()
  await makeModel(platform, 'dtmi:sim:tank;1', [
    { '@type': 'Telemetry', name: 'level', schema: 'double' },
    { '@type': 'Telemetry', name: 'state', schema: 'string' },
  ])
})
afterAll(() => platform[Symbol.asyncDispose]())

const url = '/v1/simulations'
const level = { name: 'level', generator: 'constant', value: 7 }
const create = (fields: object = {}, options = {}) =>
  platform.post(
    url,
    {
      displayName: 'Tanks',
      organizationId: platform.organizationId,
      providerId: 'mqtt',
      count: 2,
      signals: [level],
      intervalSeconds: 1,
      ...fields,
    },
    options,
  )

test('creates, reads, renames and deletes a simulation [docs/simulations]', async () => {
  const { status, body } = await create({ description: 'Level', modelId: 'dtmi:sim:tank;1' })
  expect(status).toBe(201)
  expect(body).toEqual({
    id: body.id,
    displayName: 'Tanks',
    description: 'Level',
    organizationId: platform.organizationId,
    providerId: 'mqtt',
    modelId: 'dtmi:sim:tank;1',
    count: 2,
    deviceIdPrefix: `sim-${body.id.slice(-12)}-`,
    intervalSeconds: 1,
    signals: [level],
    methods: [],
    firmware: null,
    state: 'stopped',
    startedAt: null,
    progress: { devices: 0, connected: 0, sent: 0, acknowledged: 0, errors: 0, lastError: null },
    faults: [],
  })
  const one = `${url}/${body.id}`
  const renamed = { ...body, displayName: 'Towers' }
  expect((await platform.patch(one, { displayName: 'Towers' })).body).toEqual(renamed)
  expect((await platform.get(one)).body).toEqual(renamed)
  expect((await platform.get(url)).body).toEqual([renamed])
  expect((await platform.delete(one)).status).toBe(204)
  for (const gone of [
    await platform.get(one),
    await platform.delete(one),
    await platform.post(`${one}/start`),
  ])
    expect(gone.status).toBe(404)
  expect((await platform.get(url)).body).toEqual([])
  expect(await listAuditActions(platform, body.id)).toEqual(['delete', 'update', 'create'])
})

test('stores the answers of its devices, with a payload of any type', async () => {
  const methods = [
    { name: 'ping', status: 200 },
    { name: 'open', status: 409, payload: { reason: 'stuck' }, delaySeconds: 1.5 },
    { name: 'nothing', status: 200, payload: null },
    { name: 'list', status: 200, payload: [1, 'two'] },
  ]
  const { body } = await create({ methods: methods.map((method) => ({ ...method, unknown: 1 })) })
  expect(body.methods).toEqual(methods)
  expect((await platform.get(`${url}/${body.id}`)).body.methods).toEqual(methods)
  await platform.delete(`${url}/${body.id}`)
})

const sine = { name: 's', generator: 'sine', amplitude: 1, offset: 0, periodSeconds: 10 }
const ping = { name: 'ping', status: 200 }
const walk = { name: 'w', generator: 'randomWalk', start: 1, step: 1 }
test.each([
  ['count 0', { count: 0 }, 'count'],
  ['count 1,001', { count: 1001 }, 'count'],
  ['count as text', { count: '5' }, 'count'],
  ['an interval below a second', { intervalSeconds: 0.5 }, 'intervalSeconds'],
  ['an interval above a day', { intervalSeconds: 86_401 }, 'intervalSeconds'],
  ['no signals', { signals: [] }, 'signals'],
  ['51 signals', { signals: Array.from({ length: 51 }, (_, i) => ({ ...level, name: `n${i}` })) }, 'signals'],
  ['an unknown generator', { signals: [{ name: 'x', generator: 'noise' }] }, 'signals.0.generator'],
  ['a constant without value', { signals: [{ name: 'x', generator: 'constant' }] }, 'signals.0.value'],
  ['a constant that is an object', { signals: [{ ...level, value: {} }] }, 'signals.0.value'],
  ['a sine with period 0', { signals: [level, { ...sine, periodSeconds: 0 }] }, 'signals.1.periodSeconds'],
  ['a sine without period', { signals: [{ ...sine, periodSeconds: undefined }] }, 'signals.0.periodSeconds'],
  ['a walk that starts outside', { signals: [{ ...walk, min: 2 }] }, 'signals.0.start'],
  [
    'steps without values',
    { signals: [{ name: 'x', generator: 'steps', values: [], holdSeconds: 1 }] },
    'signals.0.values',
  ],
  [
    'csv without column',
    { signals: [{ name: 'x', generator: 'csv', resourceId: crypto.randomUUID() }] },
    'signals.0.column',
  ],
  ['one name twice', { signals: [level, level] }, 'signals.1.name'],
  ['a component that is a signal', { signals: [level, { ...level, component: 'level' }] }, 'signals.1.name'],
  ['a signal called timestamp', { signals: [{ ...level, name: 'timestamp' }] }, 'signals.0.name'],
  ['NUL in a name', { signals: [{ ...level, name: 'a\u0000' }] }, 'signals.0.name'],
  ['51 methods', { methods: Array.from({ length: 51 }, (_, i) => ({ ...ping, name: `m${i}` })) }, 'methods'],
  ['a method twice', { methods: [ping, ping] }, 'methods.1.name'],
  ['a method with a wildcard', { methods: [{ ...ping, name: '#' }] }, 'methods.0.name'],
  ['a method without status', { methods: [{ name: 'ping' }] }, 'methods.0'],
  ['a status as text', { methods: [{ ...ping, status: '200' }] }, 'methods.0.status'],
  ['a delay of 601 seconds', { methods: [{ ...ping, delaySeconds: 601 }] }, 'methods.0.delaySeconds'],
  ['a delay below zero', { methods: [{ ...ping, delaySeconds: -1 }] }, 'methods.0.delaySeconds'],
  ['a large payload', { methods: [{ ...ping, payload: 'x'.repeat(16_384) }] }, 'methods.0.payload'],
  ['NUL in a payload', { methods: [{ ...ping, payload: { a: '\u0000' } }] }, 'methods.0.payload.a'],
  ['a prefix with a slash', { deviceIdPrefix: 'a/b' }, 'deviceIdPrefix'],
  ['a signal that the model has not', { modelId: 'dtmi:sim:tank;1', signals: [sine] }, 'signals.0.name'],
  [
    'a value that the model takes not',
    { modelId: 'dtmi:sim:tank;1', signals: [{ ...level, name: 'state' }] },
    'signals.0',
  ],
])('%s is refused', async (_what, fields, path) => {
  const { status, body } = await create(fields)
  expect([status, body.error]).toEqual([400, 'validation_error'])
  expect(body.details.issues.map((issue: { path: string }) => issue.path)).toContain(path)
})

test('providers of other types and unknown objects are refused', async () => {
  const imports = { id: 'imports', type: 'import', displayName: 'I', organizationId: platform.organizationId }
  await platform.post('/v1/providers', imports)
  expect((await create({ providerId: 'imports' })).body.details.issues[0].path).toBe('providerId')
  for (const fields of [
    { providerId: 'absent' },
    { organizationId: crypto.randomUUID() },
    { modelId: 'dtmi:sim:absent;1' },
  ])
    expect((await create(fields)).status).toBe(404)
})

test('two simulations do not share devices', async () => {
  expect((await create({ deviceIdPrefix: 'same-' })).status).toBe(201)
  expect(await create({ deviceIdPrefix: 'same-' })).toMatchObject({
    status: 409,
    body: { error: 'conflict' },
  })
})

test('creating needs provider_client_management in its organization, and asset_management if it has assets', async () => {
  const branch = await makeOrganization(platform)
  const { id, token } = await makeUser(platform)
  const { body: hidden } = await create()
  await relate(platform, `${id} provider_client_manager organization:${branch}`)
  await relate(platform, `${id} viewer provider:mqtt`)
  expect(await create({}, { token })).toMatchObject({
    status: 403,
    body: { details: { required: { privilege: 'provider_client_management' } } },
  })
  for (const answer of [
    await platform.get(`${url}/${hidden.id}`, { token }),
    await platform.patch(`${url}/${hidden.id}`, {}, { token }),
    await platform.delete(`${url}/${hidden.id}`, { token }),
    await platform.post(`${url}/${hidden.id}/start`, undefined, { token }),
    await platform.post(`${url}/${hidden.id}/stop`, undefined, { token }),
  ])
    expect(answer.status).toBe(403)
  expect(await create({ organizationId: branch, modelId: 'dtmi:sim:tank;1' }, { token })).toMatchObject({
    status: 403,
    body: { details: { required: { privilege: 'asset_management', organizationId: branch } } },
  })
  const { body } = await create({ organizationId: branch }, { token })
  expect((await platform.get(url, { token })).body).toEqual([body])
  await platform.delete(`${url}/${hidden.id}`)
})

test('a provider that the caller may not view is refused', async () => {
  const branch = await makeOrganization(platform)
  const { id, token } = await makeUser(platform)
  await relate(platform, `${id} provider_client_manager organization:${branch}`)
  expect(await create({ organizationId: branch }, { token })).toMatchObject({
    status: 403,
    body: { details: { required: { permission: 'view', resourceType: 'provider' } } },
  })
})

test('another tenant cannot find it, and has its own provider', async () => {
  const { body } = await create()
  const { token, organizationId } = await platform.makeTenant('unsimulated')
  for (const answer of [
    await platform.get(`${url}/${body.id}`, { token }),
    await platform.patch(`${url}/${body.id}`, {}, { token }),
    await platform.delete(`${url}/${body.id}`, { token }),
    await platform.post(`${url}/${body.id}/start`, undefined, { token }),
    await platform.post(
      `${url}/${body.id}/faults`,
      { kind: 'silence', deviceCount: 1, durationSeconds: 1 },
      { token },
    ),
    await create({}, { token }),
  ])
    expect(answer.status).toBe(404)
  await platform.post('/v1/providers', {
    id: 'ours-alone',
    type: 'mqtt',
    displayName: 'O',
    organizationId: platform.organizationId,
  })
  expect((await create({ organizationId, providerId: 'ours-alone' }, { token })).status).toBe(404)
  expect((await platform.get(url, { token })).body).toEqual([])
})

test('the list has pages', async () => {
  const { token, organizationId } = await platform.makeTenant('paged')
  const ids: string[] = []
  for (let i = 0; i < 3; i++) ids.push((await create({ organizationId }, { token })).body.id)
  const first = await platform.get(`${url}?limit=2`, { token })
  const next = /<(.*)>/.exec(first.headers.get('link')!)![1]!
  const second = await platform.get(next, { token })
  expect([...first.body, ...second.body].map(({ id }) => id)).toEqual(ids)
  expect((await platform.get(`${url}?cursor=x`)).status).toBe(400)
})
