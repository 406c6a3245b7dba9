import { afterAll, beforeAll, expect, test } from 'vitest'
import { insertBinding, makePumpModel, pumpModel } from '../../../test/harness/assets.ts'
import { listAuditActions } from '../../../test/harness/audit.ts'
import { type Platform, type RequestOptions, startPlatform } from '../../../test/harness/platform.ts'
import { makeOrganization, makeUser, relate } from '../../../test/harness/users.ts'

let platform: Platform
beforeAll(async () => {
  platform = await startPlatform()
  await makePumpModel(platform)
})
afterAll(() => platform[Symbol.asyncDispose]())

const url = '/v1/assets'
const one = (id: string) => `${url}/${id}`
const create = (id: unknown, fields: object = {}, options: RequestOptions = {}) =>
  platform.post(
    url,
    { id, modelId: pumpModel, displayName: 'Pump', organizationId: platform.organizationId, ...fields },
    options,
  )
const assetIds = (body: { id: string }[]) => body.map(({ id }) => id)

test('creates, reads, changes and deletes an asset [docs/assets#records]', async () => {
  const { status, body } = await create('pump-7', { description: 'In the hall', contentBindings: [] })
  expect(status).toBe(201)
  expect(body).toEqual({
    id: 'pump-7',
    modelId: pumpModel,
    displayName: 'Pump',
    description: 'In the hall',
    organizationId: platform.organizationId,
    contentBindings: [],
    authorizationContext: { viewableByOrganizations: [] },
  })
  expect((await platform.get(one('pump-7'))).body).toEqual(body)
  const changed = { ...body, displayName: 'New', description: null }
  const patch = await platform.patch(one('pump-7'), { displayName: 'New', description: null })
  expect(patch).toMatchObject({ status: 200, body: changed })
  expect((await platform.patch(one('pump-7'), {})).body).toEqual(changed)
  expect((await platform.delete(one('pump-7'))).status).toBe(204)
  expect((await platform.get(one('pump-7'))).status).toBe(404)
  expect((await platform.delete(one('pump-7'))).status).toBe(404)
  expect(await listAuditActions(platform, 'pump-7')).toEqual(['delete', 'update', 'update', 'create'])
  expect((await create('pump-7')).status).toBe(201)
})

test('contentBindings lists the bindings of the asset, one entry for each remote, in order [docs/assets#records]', async () => {
  await create('bound')
  await create('source')
  await platform.post('/v1/providers/mqtt/clients', { id: 'device', displayName: 'Device' })
  await insertBinding(platform, 'bound/motor/telemetry/rpm', ['source/motor/telemetry/rpm'])
  await insertBinding(platform, 'bound/-/telemetry/temperature', [
    'source/-/telemetry/temperature',
    'device/-/telemetry/t',
  ])
  const contentBindings = [
    { endpointId: 'bound/-/telemetry/temperature', instanceId: 'source' },
    { endpointId: 'bound/-/telemetry/temperature', instanceId: 'device' },
    { endpointId: 'bound/motor/telemetry/rpm', instanceId: 'source' },
  ]
  expect((await platform.get(one('bound'))).body.contentBindings).toEqual(contentBindings)
  const { body } = await platform.get(url)
  expect(body.find(({ id }: { id: string }) => id === 'bound').contentBindings).toEqual(contentBindings)
  expect((await platform.patch(one('bound'), { displayName: 'B' })).body).toMatchObject({ contentBindings })
})

test('contentBindings of a new asset bind its endpoints to remote endpoints of the same name', async () => {
  await platform.post('/v1/providers/mqtt/clients', { id: 'sensor', displayName: 'Sensor' })
  const contentBindings = [
    { endpointId: 'born-bound/-/telemetry/temperature', instanceId: 'sensor' },
    { endpoint: 'born-bound/motor/telemetry/rpm', instanceId: 'sensor' },
  ]
  const { status, body } = await create('born-bound', { contentBindings })
  expect(status).toBe(201)
  expect(body.contentBindings).toEqual(
    contentBindings.map(({ endpointId, endpoint, instanceId }) => ({
      endpointId: endpointId ?? endpoint,
      instanceId,
    })),
  )
  const { bindings } = (await platform.get(`${one('born-bound')}/bindings`)).body
  expect(bindings[0].remoteEndpointIds).toEqual([
    { name: 'value', endpointId: 'sensor/-/telemetry/temperature' },
  ])
  // All or nothing.
  const unknown = [{ endpointId: 'half/-/telemetry/temperature', instanceId: 'nobody' }]
  expect((await create('half', { contentBindings: unknown })).status).toBe(400)
  expect((await platform.get(one('half'))).status).toBe(404)
})

test.each([
  ['no id', { id: undefined }],
  ['an id that is a number', { id: 7 }],
  ['an empty id', { id: '' }],
  ['an id of 129 characters', { id: 'a'.repeat(129) }],
  ['an id with a slash', { id: 'a/b' }],
  ['an id with quotes', { id: `a'b"` }],
  ['an id with a space', { id: 'a b' }],
  ['an id that vanishes from URLs', { id: '.' }],
  ['an id that means the parent in URLs', { id: '..' }],
  ['an id with NUL', { id: 'a\u0000' }],
  ['no model', { modelId: undefined }],
  ['a model id with quotes', { modelId: `dtmi:a';1` }],
  ['no name', { displayName: undefined }],
  ['a name of blanks', { displayName: ' ' }],
  ['a name with NUL', { displayName: 'a\u0000' }],
  ['a description that is a list', { description: [] }],
  ['no organization', { organizationId: undefined }],
  ['contentBindings that are no list', { contentBindings: {} }],
  ['a content binding without instance', { contentBindings: [{ endpointId: 'x/-/telemetry/t' }] }],
  [
    'content bindings of another asset',
    { contentBindings: [{ endpoint: 'x/-/telemetry/t', instanceId: 'y' }] },
  ],
  ['viewers that are no ids', { authorizationContext: { viewableByOrganizations: ['x'] } }],
  [
    'viewers that are not there',
    { authorizationContext: { viewableByOrganizations: [crypto.randomUUID()] } },
  ],
])('creating with %s is refused', async (_what, fields) => {
  expect(await create('refused', fields)).toMatchObject({
    status: 400,
    body: { error: 'validation_error' },
  })
  expect((await platform.get(one('refused'))).status).toBe(404)
})

test('an id has up to 128 letters, digits, `.`, `_`, `-`, `:`, `;` [docs/api#ids]', async () => {
  for (const id of ['a'.repeat(128), 'A.b_c-9:x;1', 'migrate']) {
    expect((await create(id)).status).toBe(201)
    expect((await platform.get(one(encodeURIComponent(id)))).body.id).toBe(id)
  }
})

test('malformed ids are not found', async () => {
  for (const id of ['a'.repeat(129), 'a%2Fb', `a'%20or%20''='`, '%22', '%00'])
    for (const answer of [
      await platform.get(one(id)),
      await platform.patch(one(id), {}),
      await platform.delete(one(id)),
    ])
      expect([400, 404]).toContain(answer.status)
})

test('a second asset with the same id is a conflict, also in concurrent requests, and the first stays unchanged', async () => {
  await create('twice')
  expect(await create('twice', { displayName: 'Second' })).toMatchObject({
    status: 409,
    body: { error: 'conflict' },
  })
  expect((await platform.get(one('twice'))).body.displayName).toBe('Pump')
  const answers = await Promise.all(Array.from({ length: 8 }, () => create('raced')))
  expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409, 409, 409, 409, 409, 409, 409])
})

test('an asset and a provider client may share an id', async () => {
  await platform.post('/v1/providers/mqtt/clients', { id: 'both', displayName: 'Client' })
  expect((await create('both')).status).toBe(201)
  expect((await platform.delete(one('both'))).status).toBe(204)
  expect((await platform.get('/v1/providers/mqtt/clients/both')).status).toBe(200)
})

test('creating needs asset_management in the organization and view on the model [docs/assets#records]', async () => {
  const branch = await makeOrganization(platform)
  const { id, token } = await makeUser(platform)
  const there = { organizationId: branch }
  expect((await create('mine', there, { token })).status).toBe(403)
  await relate(platform, `${id} asset_manager organization:${branch}`)
  expect((await create('mine', there, { token })).body.details.required).toEqual({
    permission: 'view',
    resourceType: 'model',
    resourceId: pumpModel,
  })
  const subject = { subjectType: 'user', subjectId: id }
  const model = { resourceType: 'model', resourceId: pumpModel }
  await platform.post('/v1/relations', { ...subject, ...model, relation: 'viewer' })
  expect((await create('mine', there, { token })).status).toBe(201)
  expect((await create('theirs', {}, { token })).body.details.required).toEqual({
    privilege: 'asset_management',
    organizationId: platform.organizationId,
  })
  expect((await create('x', { organizationId: crypto.randomUUID() })).status).toBe(404)
  expect((await create('x', { modelId: 'dtmi:nowhere;1' })).status).toBe(404)
  expect(assetIds((await platform.get(url, { token })).body)).toEqual(['mine'])
})

test('viewers may only view the asset; PATCH replaces the viewers if it names any [docs/assets#records]', async () => {
  const [first, second] = [await makeOrganization(platform), await makeOrganization(platform)]
  const { id, token } = await makeUser(platform)
  await relate(platform, `${id} member organization:${first}`)
  await create('shown', { authorizationContext: { viewableByOrganizations: [first] } })
  const see = async () => (await platform.get(one('shown'), { token })).status
  const patch = (body: object, options = {}) => platform.patch(one('shown'), body, options)
  expect(await see()).toBe(200)
  expect(assetIds((await platform.get(url, { token })).body)).toContain('shown')
  for (const refused of [await patch({}, { token }), await platform.delete(one('shown'), { token })])
    expect(refused.status).toBe(403)
  expect((await patch({ displayName: 'Kept' })).body.authorizationContext).toEqual({
    viewableByOrganizations: [first],
  })
  const moved = { authorizationContext: { viewableByOrganizations: [second] } }
  expect((await patch(moved)).body).toMatchObject(moved)
  expect(await see()).toBe(403)
  const bad = { displayName: 'Bad', authorizationContext: { viewableByOrganizations: [crypto.randomUUID()] } }
  expect((await patch(bad)).body.error).toBe('validation_error')
  expect((await platform.get(one('shown'))).body).toMatchObject({ displayName: 'Kept', ...moved })
  const nobody = { authorizationContext: { viewableByOrganizations: [] } }
  expect((await patch(nobody)).body).toMatchObject(nobody)
})

test.each([
  ['a name that is null', { displayName: null }],
  ['a name that is a number', { displayName: 1 }],
  ['a description that is an object', { description: {} }],
  ['viewers that are no list', { authorizationContext: { viewableByOrganizations: {} } }],
  ['an empty context', { authorizationContext: {} }],
])('changing it to %s is refused', async (_what, body) => {
  await create('strict')
  expect((await platform.patch(one('strict'), body)).body.error).toBe('validation_error')
})

test('the list has pages and a filter by model, and shows only assets that the caller may view', async () => {
  const branch = await makeOrganization(platform)
  const { id, token } = await makeUser(platform)
  await relate(platform, `${id} member organization:${branch}`)
  const ids = ['page-1', 'page-2', 'page-3']
  for (const asset of ids) await create(asset, { organizationId: branch })
  await create('page-4', { organizationId: branch, modelId: 'dtmi:com:example:Motor;1' })
  const first = await platform.get(`${url}?limit=2`, { token })
  expect(assetIds(first.body)).toEqual(['page-1', 'page-2'])
  const next = /<(.+)>/.exec(first.headers.get('link')!)![1]!
  const second = await platform.get(next, { token })
  expect([assetIds(second.body), second.headers.get('link')]).toEqual([['page-3', 'page-4'], null])
  const ofModel = (model: string) => platform.get(`${url}?modelId=${encodeURIComponent(model)}`, { token })
  expect(assetIds((await ofModel(pumpModel)).body)).toEqual(ids)
  expect(assetIds((await ofModel('dtmi:com:example:Motor;1')).body)).toEqual(['page-4'])
  expect((await ofModel(`' or true --`)).body).toEqual([])
  for (const bad of ['limit=0', 'limit=x', 'cursor=x', `modelId=${'a'.repeat(129)}`])
    expect((await platform.get(`${url}?${bad}`)).status).toBe(400)
})

test('an API token that is limited to other privileges cannot access assets', async () => {
  await create('guarded')
  const { body } = await platform.post('/v1/api-tokens', {
    displayName: 'ci',
    privileges: ['alarm_management'],
  })
  for (const answer of [
    await platform.get(url, { token: body.token }),
    await platform.get(one('guarded'), { token: body.token }),
    await create('new', {}, { token: body.token }),
  ])
    expect(answer.status).toBe(403)
})

test('another tenant cannot access the asset, and may use the same id', async () => {
  await create('private')
  const { token, organizationId } = await platform.makeTenant('assetless')
  for (const answer of [
    await platform.get(one('private'), { token }),
    await platform.patch(one('private'), {}, { token }),
    await platform.delete(one('private'), { token }),
    await create('private', {}, { token }),
    // It cannot find the model either.
    await create('private', { organizationId }, { token }),
  ])
    expect([answer.status, answer.body.error]).toEqual([404, 'not_found'])
  expect((await platform.get(url, { token })).body).toEqual([])
  const definition = { '@context': 'dtmi:dtdl:context;3', '@id': 'dtmi:own;1', '@type': 'Interface' }
  await platform.post('/v1/models', { organizationId, definition }, { token })
  expect((await create('private', { organizationId, modelId: 'dtmi:own;1' }, { token })).status).toBe(201)
  expect((await platform.delete(one('private'), { token })).status).toBe(204)
  expect((await platform.get(one('private'))).status).toBe(200)
})
