import { afterAll, beforeAll, expect, test } from 'vitest'
import { insertAsset, makeModel, makePumpModel, pumpModel } from '../../../test/harness/assets.ts'
import { bind, binding, boundIn, makeClient } from '../../../test/harness/bindings.ts'
import { makeImportProvider } from '../../../test/harness/import-provider.ts'
import { type Platform, startPlatform } from '../../../test/harness/platform.ts'
import { makeOrganization, makeUser, relate } from '../../../test/harness/users.ts'
import { defaultDescriptionId } from './descriptions/default.ts'

let platform: Platform
beforeAll(async () => {
  platform = await startPlatform()
  await makePumpModel(platform)
  for (const id of ['dev', 'dev2']) await makeClient(platform, id)
  await insertAsset(platform, 'neighbour')
  await makeImportProvider(platform)
  await makeClient(platform, 'file', { providerId: 'files' })
})
afterAll(() => platform[Symbol.asyncDispose]())

let made = 0
async function newAsset(modelId = pumpModel) {
  const id = `asset-${++made}`
  await insertAsset(platform, id, { modelId })
  return id
}
const url = '/v1/binding-descriptions'

/** @param bindings what each local endpoint reads, as `instance:component/kind/name` */
async function describe(bindings: Record<string, string | object>, fields: object = {}): Promise<string> {
  const body = {
    displayName: 'D',
    organizationId: platform.organizationId,
    modelId: pumpModel,
    bindings: Object.entries(bindings).map(([localEndpoint, remote]) => {
      if (typeof remote !== 'string') return { localEndpoint, ...remote }
      const [instanceName, endpoint] = remote.split(':')
      return { localEndpoint, remotes: [{ name: 'x', instanceName, endpoint }] }
    }),
    ...fields,
  }
  const answer = await platform.post(url, body)
  if (answer.status !== 201) throw new Error(`${answer.status}: ${JSON.stringify(answer.body)}`)
  return answer.body.id
}
const use = (
  bindingDescriptionId: string | undefined,
  instances: Record<string, string>,
  fields: object = {},
) => ({
  bindingDescriptionId,
  instances: Object.entries(instances).map(([instanceName, instanceId]) => ({ instanceName, instanceId })),
  ...fields,
})

test('binds the described endpoints to the instances of the request [docs/assets#binding-descriptions]', async () => {
  const id = await newAsset()
  const transform = { '+': [{ var: 'a' }, { var: 'b' }] }
  const remotes = [
    { name: 'a', instanceName: 'top', endpoint: '-/telemetry/t1' },
    { name: 'b', instanceName: 'bottom', endpoint: '-/telemetry/temperature' },
  ]
  const description = await describe({
    '-/telemetry/temperature': { remotes, transform, bindingType: 'sum' },
    'motor/command/brake': 'top:drive/command/stop',
  })
  const body = { bindingDescriptions: [use(description, { top: 'dev', bottom: 'neighbour' })] }
  const answer = await bind(platform, id, body)
  const origin = { inverseTransform: null, origin: 'description', bindingDescriptionId: description }
  expect(answer.body.bindings).toEqual([
    {
      ...origin,
      ...binding(`${id}/-/telemetry/temperature`, {
        a: 'dev/-/telemetry/t1',
        b: 'neighbour/-/telemetry/temperature',
      }),
      transform,
      bindingType: 'sum',
    },
    {
      ...origin,
      ...binding(`${id}/motor/command/brake`, 'dev/drive/command/stop'),
      transform: null,
      bindingType: 'default',
    },
  ])
  // Bindings keep their copy.
  await platform.put(`${url}/${description}`, { bindings: [] })
  await platform.delete(`${url}/${description}`)
  expect((await platform.get(`/v1/assets/${id}/bindings`)).body).toEqual(answer.body)
})

test('descriptions are applied in order; explicit bindings and ignored endpoints stay', async () => {
  const id = await newAsset()
  const key = (name: string) => `${id}/-/telemetry/${name}`
  const before = [
    binding(key('running'), 'dev2/-/telemetry/was'),
    binding(key('status'), 'dev2/-/telemetry/was'),
  ]
  await bind(platform, id, { endpointBindings: before })
  const first = await describe({
    '-/telemetry/temperature': 'i:-/telemetry/first',
    '-/telemetry/pressure': 'i:-/telemetry/first',
    '-/telemetry/running': 'i:-/telemetry/first',
    '-/property/serial': 'i:-/property/first',
  })
  const second = await describe({
    '-/telemetry/temperature': 'i:-/telemetry/second',
    '-/property/target': 'i:-/property/second',
  })
  const answer = await bind(platform, id, {
    bindingDescriptions: [use(first, { i: 'dev' }), use(second, { i: 'dev' })],
    endpointBindings: [binding(key('pressure'), 'dev2/-/telemetry/explicit')],
    ignoreEndpointsIds: [`${id}/-/property/serial`],
    autobindRemoteInstanceIds: ['neighbour'],
  })
  expect(boundIn(answer)).toMatchObject({
    [key('temperature')]: ['dev/-/telemetry/first'],
    [key('pressure')]: ['dev2/-/telemetry/explicit'],
    [key('running')]: ['dev/-/telemetry/first'],
    [key('status')]: ['dev2/-/telemetry/was'],
    [`${id}/-/property/target`]: ['dev/-/property/second'],
    [`${id}/motor/telemetry/rpm`]: ['neighbour/motor/telemetry/rpm'],
  })
  expect(boundIn(answer)).not.toHaveProperty([`${id}/-/property/serial`])
})

test('under a component it binds the endpoints of that component', async () => {
  const modelId = 'dtmi:com:example:Motor;1'
  const description = await describe({ '-/telemetry/rpm': 'i:-/telemetry/speed' }, { modelId })
  for (const short of ['-/component/motor', 'motor']) {
    const id = await newAsset()
    const where = { localComponentEndpointId: `${id}/${short}` }
    const answer = await bind(platform, id, { bindingDescriptions: [use(description, { i: 'dev' }, where)] })
    expect(boundIn(answer)).toEqual({ [`${id}/motor/telemetry/rpm`]: ['dev/-/telemetry/speed'] })
  }
})

test('without a description the default for model and provider type is created once and used [docs/assets#binding-descriptions]', async () => {
  const ids = [await newAsset(), await newAsset(), await newAsset()]
  const answers = await Promise.all(
    ids.map((id) => bind(platform, id, { bindingDescriptions: [use(undefined, { any: 'dev' })] })),
  )
  const bindingDescriptionId = defaultDescriptionId(pumpModel, 'mqtt')
  for (const { body } of answers) {
    expect(body.unboundEndpointIds).toEqual([])
    expect(body.bindings[0]).toMatchObject({ origin: 'description', bindingDescriptionId })
  }
  const stored = await platform.get(`${url}/${bindingDescriptionId}`)
  expect(stored.body).toMatchObject({
    modelId: pumpModel,
    organizationId: platform.organizationId,
    isGenerated: true,
  })
  expect(stored.body.bindings).toHaveLength(10)
  // It can be changed, and then determines how clients of the type are bound.
  const bindings = [
    {
      localEndpoint: '-/telemetry/status',
      remotes: [{ name: 'x', instanceName: 'a', endpoint: '-/telemetry/s' }],
    },
  ]
  await platform.put(`${url}/${bindingDescriptionId}`, { bindings })
  const id = await newAsset()
  const changed = await bind(platform, id, { bindingDescriptions: [use(undefined, { b: 'dev2' })] })
  expect(boundIn(changed)).toEqual({ [`${id}/-/telemetry/status`]: ['dev2/-/telemetry/s'] })
  // After it was deleted, it is created again.
  await platform.delete(`${url}/${bindingDescriptionId}`)
  const again = await bind(platform, id, { bindingDescriptions: [use(undefined, { b: 'dev' })] })
  expect(again.body.unboundEndpointIds).toEqual([])
})

test('a default is specific to the provider type and to the model of the component', async () => {
  const id = await newAsset()
  const ofImport = await bind(platform, id, { bindingDescriptions: [use(undefined, { a: 'file' })] })
  expect(ofImport.body.unboundEndpointIds).toEqual([`${id}/-/command/start`, `${id}/motor/command/brake`])
  const where = { localComponentEndpointId: `${id}/-/component/motor` }
  const ofMotor = await bind(platform, id, { bindingDescriptions: [use(undefined, { a: 'dev' }, where)] })
  expect(boundIn(ofMotor)).toMatchObject({
    [`${id}/motor/command/brake`]: ['dev/-/command/brake'],
    [`${id}/motor/telemetry/rpm`]: ['dev/-/telemetry/rpm'],
    [`${id}/-/telemetry/status`]: ['file/-/telemetry/status'],
  })
})

test('a default is deleted with its model, or when the definition changes', async () => {
  const modelId = 'dtmi:com:example:Brief;1'
  await makeModel(platform, modelId, [{ '@type': 'Telemetry', name: 'a', schema: 'double' }])
  const id = await newAsset(modelId)
  const body = { bindingDescriptions: [use(undefined, { a: 'dev' })] }
  expect(boundIn(await bind(platform, id, body))).toEqual({ [`${id}/-/telemetry/a`]: ['dev/-/telemetry/a'] })
  await platform.ctx.db.deleteFrom('assets').where('id', '=', id).execute()
  expect((await platform.delete(`/v1/models/${modelId}`)).status).toBe(204)
  expect((await platform.get(`${url}/${defaultDescriptionId(modelId, 'mqtt')}`)).status).toBe(404)
})

test('another description with the id of a default is a conflict', async () => {
  const modelId = 'dtmi:com:example:Squatted;1'
  await makeModel(platform, modelId, [{ '@type': 'Telemetry', name: 'a', schema: 'double' }])
  await describe({}, { id: defaultDescriptionId(modelId, 'mqtt') })
  const body = { bindingDescriptions: [use(undefined, { a: 'dev' })] }
  expect((await bind(platform, await newAsset(modelId), body)).body.error).toBe('conflict')
})

test.each<[string, (description: string) => object, string]>([
  ['an unknown description', () => use('nothing', { i: 'dev' }), 'no binding description nothing'],
  ['no instance', (id) => use(id, {}), 'instances'],
  ['an unknown instance', (id) => use(id, { i: 'nobody' }), 'no provider client and no asset nobody'],
  ['no instance of the name', (id) => use(id, { j: 'dev' }), 'must name an instance i'],
  [
    'one name twice',
    (id) => ({
      bindingDescriptionId: id,
      instances: ['dev', 'dev2'].map((instanceId) => ({ instanceName: 'i', instanceId })),
    }),
    'instanceName twice',
  ],
  ['an asset without what it binds to', (id) => use(id, { i: 'neighbour' }), 'names no content'],
  ['no description for an asset', () => use(undefined, { i: 'neighbour' }), 'a provider client'],
  ['no description for two clients', () => use(undefined, { i: 'dev', j: 'dev2' }), 'only for one instance'],
  [
    'an unknown component',
    (id) => use(id, { i: 'dev' }, { localComponentEndpointId: 'refusing/-/component/fan' }),
    'must be a component',
  ],
  [
    "another asset's component",
    (id) => use(id, { i: 'dev' }, { localComponentEndpointId: 'neighbour/-/component/motor' }),
    'must be a component',
  ],
  [
    'a component that lacks what is described',
    (id) => use(id, { i: 'dev' }, { localComponentEndpointId: 'refusing/motor' }),
    'does not have',
  ],
])('%s is refused, and nothing changes', async (_what, makeUse, reason) => {
  await insertAsset(platform, 'refusing').catch(() => undefined)
  const description = await describe({ '-/telemetry/temperature': 'i:-/telemetry/t' })
  const answer = await bind(platform, 'refusing', { bindingDescriptions: [makeUse(description)] })
  expect(answer.body.error).toBe('validation_error')
  expect(answer.body.message).toContain(reason)
  expect((await platform.get('/v1/assets/refusing/bindings')).body.bindings).toEqual([])
})

test('a description within a component within a component is refused', async () => {
  const description = await describe({ 'motor/telemetry/rpm': 'i:-/telemetry/t' })
  const id = await newAsset()
  const where = { localComponentEndpointId: `${id}/motor` }
  const answer = await bind(platform, id, { bindingDescriptions: [use(description, { i: 'dev' }, where)] })
  expect(answer.body.message).toContain('no components of its own')
})

test('it needs view on the description, but not on a default', async () => {
  const organizationId = await makeOrganization(platform)
  const id = await newAsset()
  const user = await makeUser(platform)
  await relate(platform, `${user.id} manager asset:${id}`)
  await relate(platform, `${user.id} manager provider_client:dev`)
  const description = await describe({ '-/telemetry/temperature': 'i:-/telemetry/t' }, { organizationId })
  const bindTo = (one: object) => bind(platform, id, { bindingDescriptions: [one] }, { token: user.token })
  expect(await bindTo(use(description, { i: 'dev' }))).toMatchObject({
    status: 403,
    body: { details: { required: { permission: 'view', resourceType: 'binding_description' } } },
  })
  expect((await bindTo(use(undefined, { i: 'dev' }))).status).toBe(200)
})
