import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeModel, makePumpModel, pumpModel } from '../../../../test/harness/assets.ts'
import { listAuditActions } from '../../../../test/harness/audit.ts'
import { type Platform, startPlatform } from '../../../../test/harness/platform.ts'
import { makeOrganization, makeUser, relate } from '../../../../test/harness/users.ts'

let platform: Platform
beforeAll(async () => {
  platform = await startPlatform()
  await makePumpModel(platform)
})
afterAll(() => platform[Symbol.asyncDispose]())

const url = '/v1/binding-descriptions'
const described = (localEndpoint: string, endpoint: string, fields: object = {}) => ({
  localEndpoint,
  remotes: [{ name: 'x', instanceName: 'gateway', endpoint }],
  ...fields,
})
const temperature = described('-/telemetry/temperature', '-/telemetry/t')
const create = (fields: object = {}, options = {}) =>
  platform.post(
    url,
    {
      displayName: 'D',
      organizationId: platform.organizationId,
      modelId: pumpModel,
      bindings: [temperature],
      ...fields,
    },
    options,
  )
const plain = { bindingType: 'default', transform: null, inverseTransform: null }

test('creates, reads, changes and deletes a binding description [docs/assets#binding-descriptions]', async () => {
  const transform = { '*': [{ var: 'x' }, 2] }
  const inverseTransform = { '/': [{ var: 'value' }, 2] }
  const bindings = [
    described('motor/property/limit', 'drive/property/max', {
      transform,
      inverseTransform,
      bindingType: 'b',
    }),
    temperature,
  ]
  const { status, body } = await create({ id: 'pump-by-gateway', description: 'How', bindings })
  expect(status).toBe(201)
  expect(body).toEqual({
    id: 'pump-by-gateway',
    displayName: 'D',
    description: 'How',
    organizationId: platform.organizationId,
    modelId: pumpModel,
    bindings: [bindings[0], { ...plain, ...temperature }],
    isGenerated: false,
  })
  const one = `${url}/${body.id}`
  expect((await platform.get(one)).body).toEqual(body)
  expect((await platform.put(one, { displayName: 'E' })).body).toEqual({ ...body, displayName: 'E' })
  const emptied = await platform.put(one, { bindings: [] })
  expect(emptied.body).toEqual({ ...body, displayName: 'E', bindings: [] })
  expect((await platform.get(url)).body).toEqual([emptied.body])
  expect((await platform.delete(one)).status).toBe(204)
  for (const gone of [await platform.get(one), await platform.delete(one), await platform.put(one, {})])
    expect(gone.status).toBe(404)
  expect(await listAuditActions(platform, body.id)).toEqual(['delete', 'update', 'update', 'create'])
})

test('an id is generated where none is given, and is taken once', async () => {
  expect((await create()).body.id).toMatch(/^[0-9a-f-]{36}$/)
  expect((await create({ id: 'twice' })).status).toBe(201)
  expect((await create({ id: 'twice' })).body.error).toBe('conflict')
  const page = await platform.get(`${url}?limit=1`)
  expect(page.body).toHaveLength(1)
  const next = await platform.get(/<(.*)>/.exec(page.headers.get('link')!)![1]!)
  expect(next.body[0].id > page.body[0].id).toBe(true)
})

test.each<[string, object, string]>([
  ['no name', { displayName: undefined }, 'displayName'],
  ['no bindings', { bindings: undefined }, 'bindings'],
  ['an id with a slash', { id: 'a/b' }, 'id'],
  [
    'an endpoint with an instance',
    { bindings: [described('pump/-/telemetry/temperature', '-/telemetry/t')] },
    'localEndpoint',
  ],
  [
    'an endpoint that the model does not have',
    { bindings: [described('-/telemetry/x', '-/telemetry/t')] },
    'names no content',
  ],
  [
    'a component that the model does not have',
    { bindings: [described('fan/telemetry/rpm', '-/telemetry/t')] },
    'names no content',
  ],
  [
    'another kind',
    { bindings: [described('-/telemetry/temperature', '-/property/t')] },
    'of the kind telemetry',
  ],
  ['an invalid remote', { bindings: [described('-/telemetry/temperature', 't')] }, 'remotes.0.endpoint'],
  ['no remotes', { bindings: [{ localEndpoint: '-/telemetry/temperature', remotes: [] }] }, 'remotes'],
  [
    'a command to several devices',
    {
      bindings: [
        {
          localEndpoint: '-/command/start',
          remotes: ['a', 'b'].map((name) => ({ name, instanceName: 'top', endpoint: `-/command/${name}` })),
        },
      ],
    },
    'one remote endpoint',
  ],
  ['one endpoint twice', { bindings: [temperature, temperature] }, 'as a binding before'],
  ['a bad transform', { bindings: [{ ...temperature, transform: { var: 'y' } }] }, 'reads y'],
  [
    'an inverse of telemetry',
    { bindings: [{ ...temperature, inverseTransform: { var: 'x' } }] },
    'inverseTransform',
  ],
  [
    'a remote called constructor',
    {
      bindings: [
        {
          ...temperature,
          remotes: [{ name: 'constructor', instanceName: 'gateway', endpoint: '-/telemetry/t' }],
        },
      ],
    },
    'must not name',
  ],
  ['2,001 bindings', { bindings: Array.from({ length: 2001 }, () => temperature) }, 'bindings'],
])('%s is refused', async (_what, fields, reason) => {
  const { body } = await create(fields)
  expect(body.error).toBe('validation_error')
  expect(body.message).toContain(reason)
})

test('it needs asset_management in its organization, and a model that the caller may view', async () => {
  expect((await create({ modelId: 'dtmi:nothing;1' })).status).toBe(404)
  expect((await create({ organizationId: crypto.randomUUID() })).status).toBe(404)
  const branch = await makeOrganization(platform)
  const { id, token } = await makeUser(platform)
  const mine = { organizationId: branch }
  expect((await create(mine, { token })).body.details.required).toMatchObject({
    privilege: 'asset_management',
  })
  await relate(platform, `${id} asset_manager organization:${branch}`)
  expect((await create(mine, { token })).body.details.required).toMatchObject({ resourceType: 'model' })
  const viewer = { subjectType: 'user', subjectId: id, relation: 'viewer' }
  await platform.post('/v1/relations', { ...viewer, resourceType: 'model', resourceId: pumpModel })
  const created = await create(mine, { token })
  expect(created.status).toBe(201)
  expect((await platform.get(url, { token })).body).toEqual([created.body])
  expect((await platform.put(`${url}/${created.body.id}`, {}, { token })).status).toBe(200)
  const other = `${url}/${(await create()).body.id}`
  for (const refused of [
    await platform.get(other, { token }),
    await platform.put(other, {}, { token }),
    await platform.delete(other, { token }),
  ])
    expect(refused.status).toBe(403)
  const stranger = { token: (await platform.makeTenant('undescribed')).token }
  expect((await platform.get(other, stranger)).status).toBe(404)
  expect((await platform.get(url, stranger)).body).toEqual([])
})

test('a model cannot change while a description is written for it', async () => {
  const modelId = 'dtmi:com:example:Described;1'
  const contents = [{ '@type': 'Telemetry', name: 'temperature', schema: 'double' }]
  await makeModel(platform, modelId, contents)
  const { id } = (await create({ modelId })).body
  const model = `/v1/models/${modelId}`
  const { definition } = (await platform.get(model)).body
  for (const refused of [
    await platform.delete(model),
    await platform.put(model, { definition: { ...definition, contents: [] } }),
  ])
    expect(refused.body).toMatchObject({
      error: 'conflict',
      details: { usedBy: [{ type: 'binding_description', id }] },
    })
  await platform.delete(`${url}/${id}`)
  expect((await platform.delete(model)).status).toBe(204)
})
