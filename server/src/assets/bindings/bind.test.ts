import { afterAll, beforeAll, expect, test } from 'vitest'
import { insertAsset, makePumpModel } from '../../../test/harness/assets.ts'
import { bind, binding, boundIn, makeClient } from '../../../test/harness/bindings.ts'
import { makeImportProvider } from '../../../test/harness/import-provider.ts'
import { type Platform, startPlatform } from '../../../test/harness/platform.ts'
import { untilBlocked } from '../../../test/harness/until-blocked.ts'
import type { BindingChange } from './binding-changes.ts'

let platform: Platform
beforeAll(async () => {
  platform = await startPlatform()
  await makePumpModel(platform)
  for (const id of ['dev', 'dev2']) await makeClient(platform, id)
  await makeImportProvider(platform)
  await makeClient(platform, 'file', { providerId: 'files' })
  await insertAsset(platform, 'neighbour')
  await insertAsset(platform, 'victim')
})
afterAll(() => platform[Symbol.asyncDispose]())

let made = 0
async function newAsset() {
  const id = `asset-${++made}`
  await insertAsset(platform, id)
  return id
}
const bindings = (id: string) => platform.get(`/v1/assets/${id}/bindings`)

test('binds the endpoints of the request, and GET answers the same [docs/assets#bind]', async () => {
  const id = await newAsset()
  const transform = { '-': [{ var: 'a' }, { var: 'b' }] }
  const inverseTransform = { '*': [{ var: 'value' }, 2] }
  const endpointBindings = [
    binding(
      `${id}/-/telemetry/temperature`,
      { a: 'dev/-/telemetry/in', b: 'dev2/-/telemetry/x/y' },
      { transform },
    ),
    binding(`${id}/-/property/target`, 'dev/-/property/setpoint', {
      inverseTransform,
      bindingType: 'special',
    }),
    binding(`${id}/motor/telemetry/rpm`, 'neighbour/motor/telemetry/rpm', { transform: {} }),
    binding(`${id}/-/command/start`, 'dev/pump/command/start.now', { inverseTransform }),
  ]
  const answer = await bind(platform, id, { endpointBindings })
  expect(answer.status).toBe(200)
  const plain = { bindingType: 'default', transform: null, inverseTransform: null, origin: 'explicit' }
  expect(answer.body).toEqual({
    assetId: id,
    bindings: [
      { ...plain, ...endpointBindings[3] },
      { ...plain, ...endpointBindings[1] },
      { ...plain, ...endpointBindings[0] },
      { ...plain, ...endpointBindings[2], transform: null },
    ],
    ignoreEndpointIds: [],
    unboundEndpointIds: [
      '-/telemetry/pressure',
      '-/telemetry/status',
      '-/telemetry/running',
      '-/property/serial',
      'motor/property/limit',
      'motor/command/brake',
    ].map((key) => `${id}/${key}`),
  })
  expect((await bindings(id)).body).toEqual(answer.body)
})

test('a binding is replaced as a whole, removed by empty remotes, and kept where it is not mentioned', async () => {
  const id = await newAsset()
  const [first, second] = [`${id}/-/telemetry/temperature`, `${id}/-/telemetry/pressure`]
  const transform = { '+': [{ var: 'x' }, 1] }
  await bind(platform, id, {
    endpointBindings: [
      binding(first, 'dev/-/telemetry/a', { transform }),
      binding(second, 'dev/-/telemetry/b', { transform }),
    ],
  })
  const replaced = await bind(platform, id, { endpointBindings: [binding(first, 'dev2/-/telemetry/c')] })
  expect(boundIn(replaced)).toEqual({ [second]: ['dev/-/telemetry/b'], [first]: ['dev2/-/telemetry/c'] })
  expect(replaced.body.bindings[1]).toMatchObject({ localEndpointId: first, transform: null })
  expect(boundIn(await bind(platform, id, {}))).toEqual(boundIn(replaced))
  const removed = await bind(platform, id, { endpointBindings: [binding(second, {})] })
  expect(boundIn(removed)).toEqual({ [first]: ['dev2/-/telemetry/c'] })
  expect(removed.body.unboundEndpointIds).toContain(second)
  const { body: log } = await platform.get(`/v1/audit-log?resourceId=${id}&limit=1`)
  expect(log[0]).toMatchObject({
    action: 'bind',
    resourceType: 'asset',
    before: { bindings: [{ localEndpointId: second }] },
    after: { bindings: [] },
  })
})

test('newly ignored endpoints lose their bindings, and the list is stored [docs/assets#bind]', async () => {
  const id = await newAsset()
  const temperature = `${id}/-/telemetry/temperature`
  const endpointBindings = [binding(temperature, 'dev/-/telemetry/t')]
  await bind(platform, id, { endpointBindings })
  const ignored = await bind(platform, id, { ignoreEndpointsIds: [temperature] })
  expect(ignored.body).toMatchObject({ bindings: [], ignoreEndpointIds: [temperature] })
  expect(ignored.body.unboundEndpointIds).not.toContain(temperature)
  // The list is kept if the request does not contain it.
  const autobound = await bind(platform, id, { autobindRemoteInstanceIds: ['dev'] })
  expect(boundIn(autobound)).not.toHaveProperty([temperature])
  // The other spelling is used; a list replaces the previous one.
  const pressure = `${id}/-/telemetry/pressure`
  const replaced = await bind(platform, id, { ignoreEndpointIds: [pressure], endpointBindings })
  expect(boundIn(replaced)).toHaveProperty([temperature])
  expect(boundIn(replaced)).not.toHaveProperty([pressure])
  expect(replaced.body.ignoreEndpointIds).toEqual([pressure])
  expect((await bind(platform, id, { ignoreEndpointsIds: [] })).body.ignoreEndpointIds).toEqual([])
})

test('an explicit binding of an ignored endpoint is made, and stays when the same list comes again', async () => {
  const id = await newAsset()
  const temperature = `${id}/-/telemetry/temperature`
  const endpointBindings = [binding(temperature, 'dev/-/telemetry/t')]
  const request = { ignoreEndpointsIds: [temperature], endpointBindings }
  const expected = { [temperature]: ['dev/-/telemetry/t'] }
  const bound = await bind(platform, id, request)
  expect(boundIn(bound)).toEqual(expected)
  expect(bound.body.ignoreEndpointIds).toEqual([temperature])
  const { ignoreEndpointsIds } = request
  const again = await bind(platform, id, { ignoreEndpointsIds, autobindRemoteInstanceIds: ['dev2'] })
  expect(boundIn(again)).toMatchObject(expected)
  await bind(platform, id, {
    endpointBindings: [{ localEndpointId: temperature, remoteEndpointIds: [] }],
    autobindRemoteInstanceIds: ['dev2'],
  })
  expect(boundIn(await bindings(id))).not.toHaveProperty([temperature])
  // An ignored endpoint can still be bound explicitly.
  expect(boundIn(await bind(platform, id, { endpointBindings }))).toMatchObject(expected)
})

test('listeners receive the ids of the asset and of its remotes before and after the change', async () => {
  const id = await newAsset()
  const changes: BindingChange[] = []
  const listener = (change: BindingChange) => changes.push(change)
  platform.ctx.bindingListeners.push(listener)
  const local = `${id}/-/telemetry/temperature`
  await bind(platform, id, { endpointBindings: [binding(local, 'dev/-/telemetry/t')] })
  await bind(platform, id, { endpointBindings: [binding(local, 'neighbour/-/telemetry/temperature')] })
  await bind(platform, id, { endpointBindings: [binding('nothing', {})] })
  platform.ctx.bindingListeners.splice(platform.ctx.bindingListeners.indexOf(listener), 1)
  expect(changes.map(({ instanceIds }) => instanceIds?.toSorted())).toEqual([
    [id, 'dev'],
    [id, 'dev', 'neighbour'],
  ])
})

test('an id that a client and an asset share names the client, even for the bound asset itself', async () => {
  const id = await newAsset()
  const local = `${id}/-/telemetry/temperature`
  const itself = { endpointBindings: [binding(local, `${id}/-/telemetry/pressure`)] }
  expect((await bind(platform, id, itself)).body.message).toContain('the asset itself')
  await makeClient(platform, id)
  expect(boundIn(await bind(platform, id, itself))).toEqual({ [local]: [`${id}/-/telemetry/pressure`] })
  const row = await platform.ctx.db
    .selectFrom('asset_binding_remotes')
    .select('instance_type')
    .where('instance_id', '=', id)
    .executeTakeFirstOrThrow()
  expect(row.instance_type).toBe('client')
})

const local = 'victim/-/telemetry/temperature'
const remote = 'dev/-/telemetry/t'
const property = 'victim/-/property/target'
const many = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`n${i}`, `dev/-/telemetry/t${i}`]))

test.each<[string, object, string]>([
  ['an invalid list', { endpointBindings: {} }, 'endpointBindings'],
  ['an invalid endpoint', { endpointBindings: [binding('victim', remote)] }, 'localEndpointId'],
  ['an invalid remote', { endpointBindings: [binding(local, 'dev')] }, 'endpointId'],
  ['an unknown kind', { endpointBindings: [binding(local, 'dev/-/component/t')] }, 'endpointId'],
  [
    'the endpoint of another asset',
    { endpointBindings: [binding('neighbour/-/telemetry/status', remote)] },
    'asset victim itself',
  ],
  [
    'an endpoint that the model does not have',
    { endpointBindings: [binding('victim/-/telemetry/x', remote)] },
    'names no content',
  ],
  [
    'a component that is not an endpoint',
    { endpointBindings: [binding('victim/-/property/motor', 'dev/-/property/m')] },
    'names no content',
  ],
  [
    'an unknown instance',
    { endpointBindings: [binding(local, 'nobody/-/telemetry/t')] },
    'no provider client and no asset nobody',
  ],
  ['another kind', { endpointBindings: [binding(local, 'dev/-/property/t')] }, 'of the kind telemetry'],
  [
    'an endpoint that the remote asset does not have',
    { endpointBindings: [binding(local, 'neighbour/-/telemetry/x')] },
    'names no content',
  ],
  [
    'one endpoint twice',
    { endpointBindings: [binding(local, remote), binding(local, {})] },
    'as an entry before',
  ],
  ['33 remotes', { endpointBindings: [binding(local, many(33))] }, 'remoteEndpointIds'],
  [
    'two remotes of one name',
    {
      endpointBindings: [
        {
          localEndpointId: local,
          remoteEndpointIds: [remote, remote].map((endpointId) => ({ name: 'x', endpointId })),
        },
      ],
    },
    'a name of its own',
  ],
  ['a name with a dot', { endpointBindings: [binding(local, { 'a.b': remote })] }, 'name'],
  ['a name that is a number', { endpointBindings: [binding(local, { '1': remote })] }, 'name'],
  ['the name constructor', { endpointBindings: [binding(local, { constructor: remote })] }, 'must not name'],
  [
    'the name __proto__',
    {
      endpointBindings: [
        { localEndpointId: local, remoteEndpointIds: [{ name: '__proto__', endpointId: remote }] },
      ],
    },
    'must not name',
  ],
  [
    'no name',
    { endpointBindings: [{ localEndpointId: local, remoteEndpointIds: [{ endpointId: remote }] }] },
    'name',
  ],
  [
    'a transform that is text',
    { endpointBindings: [binding(local, remote, { transform: 'x' })] },
    'transform',
  ],
  [
    'an unknown operator',
    { endpointBindings: [binding(local, remote, { transform: { eval: 1 } })] },
    'operator',
  ],
  [
    'a transform over __proto__',
    { endpointBindings: [binding(local, remote, { transform: { var: 'x.__proto__' } })] },
    'must not read',
  ],
  [
    'a variable that is not a remote',
    { endpointBindings: [binding(local, remote, { transform: { var: 'y' } })] },
    'reads y',
  ],
  [
    '`value` of several remotes',
    { endpointBindings: [binding(local, many(2), { transform: { var: 'value' } })] },
    'reads value',
  ],
  [
    'an inverse of telemetry',
    { endpointBindings: [binding(local, remote, { inverseTransform: { var: 'x' } })] },
    'inverseTransform',
  ],
  [
    'an inverse over something else',
    { endpointBindings: [binding(property, 'dev/-/property/p', { inverseTransform: { var: 'y' } })] },
    'reads y',
  ],
  [
    'a transform of a command',
    { endpointBindings: [binding('victim/-/command/start', 'dev/-/command/s', { transform: { var: 'x' } })] },
    'transform',
  ],
  [
    'a command to several devices',
    {
      endpointBindings: [binding('victim/-/command/start', { a: 'dev/-/command/a', b: 'dev/-/command/b' })],
    },
    'one remote endpoint',
  ],
  [
    'a command that is not a method',
    { endpointBindings: [binding('victim/-/command/start', 'dev/-/command/a/b')] },
    'cannot take',
  ],
  [
    'a command to a client that takes none',
    { endpointBindings: [binding('victim/-/command/start', 'file/-/command/s')] },
    'cannot take',
  ],
  [
    'a signal name that is too long',
    { endpointBindings: [binding(local, `dev/-/telemetry/${'x'.repeat(257)}`)] },
    '256',
  ],
  ['a name with NUL', { endpointBindings: [binding(local, 'dev/-/telemetry/a\u0000')] }, 'NUL'],
  ['an ignored endpoint of nothing', { ignoreEndpointsIds: ['victim/-/telemetry/x'] }, 'names no content'],
  ['both spellings', { ignoreEndpointsIds: [], ignoreEndpointIds: [] }, 'spelling'],
  ['autobind from nobody', { autobindRemoteInstanceIds: ['nobody'] }, 'autobindRemoteInstanceIds.0'],
  ['autobind from itself', { autobindRemoteInstanceIds: ['victim'] }, 'the asset itself'],
  [
    '2,001 bindings',
    {
      endpointBindings: Array.from({ length: 2001 }, () => ({ localEndpointId: 'x', remoteEndpointIds: [] })),
    },
    'endpointBindings',
  ],
])('%s is refused, and nothing changes', async (_what, body, reason) => {
  const answer = await bind(platform, 'victim', body)
  expect(answer.body.error).toBe('validation_error')
  expect(answer.body.message).toContain(reason)
  expect((await bindings('victim')).body).toMatchObject({ bindings: [], ignoreEndpointIds: [] })
})
test('a request may have 2,000 bindings; unknown endpoints are refused by name', async () => {
  const endpointBindings = Array.from({ length: 2000 }, () => ({
    localEndpointId: 'x',
    remoteEndpointIds: [],
  }))
  expect((await bind(platform, 'victim', { endpointBindings })).body.message).toContain('endpointBindings.0')
})

test('a body over 1 MiB answers payload_too_large, a body nested too deeply validation_error', async () => {
  const large = { endpointBindings: [binding(local, remote, { transform: { cat: ['x'.repeat(1 << 20)] } })] }
  expect((await bind(platform, 'victim', large)).status).toBe(413)
  let deep: unknown = { var: 'x' }
  for (let i = 0; i < 40; i++) deep = { '!': [deep] }
  const answer = await bind(platform, 'victim', {
    endpointBindings: [binding(local, remote, { transform: deep })],
  })
  expect(answer.body.error).toBe('validation_error')
})

test('a bind request that fails late changes nothing', async () => {
  const endpointBindings = [
    binding(local, remote),
    binding('victim/-/telemetry/status', 'dev/-/telemetry/\ud800'),
  ]
  const failed = await bind(platform, 'victim', {
    ignoreEndpointsIds: ['victim/-/telemetry/running'],
    endpointBindings,
  })
  expect(failed.body.error).toBe('validation_error')
  expect((await bindings('victim')).body).toMatchObject({ bindings: [], ignoreEndpointIds: [] })
})

test('a client that is deleted concurrently is not bound', async () => {
  const id = await newAsset()
  await makeClient(platform, 'leaving')
  const bound = await platform.ctx.db.transaction().execute(async (tx) => {
    const leaving = tx.selectFrom('provider_clients').where('id', '=', 'leaving')
    await leaving.select('number').forNoKeyUpdate().execute()
    const answer = bind(platform, id, { autobindRemoteInstanceIds: ['leaving'] })
    await untilBlocked(platform.ctx.pool)
    await tx.deleteFrom('provider_clients').where('id', '=', 'leaving').execute()
    return { answer }
  })
  expect((await bound.answer).body.message).toContain('no provider client and no asset leaving')
})
