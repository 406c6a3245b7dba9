import { monitorEventLoopDelay } from 'node:perf_hooks'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { listAuditActions } from '../../../test/harness/audit.ts'
import { type Platform, startPlatform } from '../../../test/harness/platform.ts'
import { makeOrganization, makeUser, relate } from '../../../test/harness/users.ts'
import { readStoredInterface } from './dtdl/interface.ts'

let platform: Platform
beforeAll(async () => {
  platform = await startPlatform()
})
afterAll(() => platform[Symbol.asyncDispose]())

const url = '/v1/models'
const one = (id: string) => `${url}/${encodeURIComponent(id)}`
let made = 0
const newModelId = () => `dtmi:com:example:Model${++made};1`

const define = (id: string, fields: object = {}) => ({
  '@context': 'dtmi:dtdl:context;3',
  '@id': id,
  '@type': 'Interface',
  ...fields,
})
const create = (definition: object, fields: object = {}, options = {}) =>
  platform.post(url, { organizationId: platform.organizationId, definition, ...fields }, options)
const telemetry = (name: string) => ({ '@type': 'Telemetry', name, schema: 'double' })
const component = (name: string, schema: string) => ({ '@type': 'Component', name, schema })
async function make(fields: object = {}): Promise<string> {
  const { status, body } = await create(define(newModelId(), fields))
  expect(status).toBe(201)
  return body.id
}

test('creates, reads, changes and deletes a model; the definition comes back as written [docs/models#records]', async () => {
  const id = newModelId()
  const definition = define(id, { displayName: { de: 'Pumpe', en: 'Pump' }, description: 'Moves water' })
  const { status, body } = await create(definition)
  expect(status).toBe(201)
  const { organizationId } = platform
  expect(body).toEqual({ id, displayName: 'Pump', description: 'Moves water', organizationId, definition })
  const read = await platform.get(one(id))
  expect(JSON.stringify(read.body.definition)).toBe(JSON.stringify(definition))
  // A `;` needs no escaping in a path.
  expect((await platform.get(`${url}/${id}`)).body).toEqual(body)
  expect((await platform.get(url)).body).toContainEqual(body)

  expect((await platform.put(one(id), { displayName: 'P', description: null })).body).toEqual({
    ...body,
    displayName: 'P',
    description: null,
  })
  const changed = define(id, { contents: [telemetry('flow')] })
  expect((await platform.put(one(id), { definition: changed })).body).toMatchObject({
    displayName: 'P',
    definition: changed,
  })
  expect((await platform.delete(one(id))).status).toBe(204)
  expect((await platform.get(one(id))).status).toBe(404)
  expect(await listAuditActions(platform, id)).toEqual(['delete', 'update', 'update', 'create'])
})

test('names come from the request, the definition, or the id', async () => {
  const [first, second] = [newModelId(), newModelId()]
  const given = { displayName: 'Mine', description: 'My own' }
  expect((await create(define(first, { displayName: 'D' }), given)).body).toMatchObject(given)
  expect((await create(define(second))).body).toMatchObject({ displayName: second, description: null })
})

test.each([
  ['no organization', define(newModelId()), { organizationId: undefined }, 'body'],
  ['a definition that is a list', [], {}, 'definition'],
  ['an id beside another @id', define(newModelId()), { id: 'dtmi:a;1' }, 'id'],
  ['a base that is missing', define(newModelId(), { extends: 'dtmi:none;1' }), {}, 'definition.extends'],
  [
    'a component of a missing model',
    define(newModelId(), { contents: [component('c', 'dtmi:none;1')] }),
    {},
    'definition.contents.0.schema',
  ],
  ['itself as its base', define('dtmi:self;1', { extends: 'dtmi:self;1' }), {}, 'definition.extends'],
  ['NUL in a text', define(newModelId(), { displayName: 'a\u0000b' }), {}, 'definition.displayName'],
  ['half a character', define(newModelId(), { displayName: 'a\ud800b' }), {}, 'definition.displayName'],
])('a model with %s is refused at its place', async (_what, definition, fields, path) => {
  expect(await create(definition, fields)).toMatchObject({
    status: 400,
    body: { error: 'validation_error', details: { issues: [{ path }] } },
  })
})

test('a DTMI identifies one model of a tenant: a new version is a new model', async () => {
  const id = await make()
  expect(await create(define(id))).toMatchObject({ status: 409, body: { error: 'conflict' } })
  expect((await create(define(id.replace(';1', ';2')))).status).toBe(201)
  expect(await platform.put(one(id), { definition: define('dtmi:other;1') })).toMatchObject({
    status: 400,
    body: { details: { issues: [{ path: 'definition.@id' }] } },
  })
})

test('the asset-shaped record has all contents, including inherited ones and those of components', async () => {
  const machine = await make({ contents: [telemetry('hours')] })
  const motor = await make({
    extends: [machine],
    contents: [{ '@type': 'Property', name: 'limit', schema: 'long', writable: true }],
  })
  const pump = await make({
    displayName: 'Pump',
    extends: machine,
    contents: [
      component('motor', motor),
      { '@type': 'Command', name: 'stop', response: { name: 'r', schema: 'boolean' } },
    ],
  })
  const { status, body } = await platform.get(`${one(pump)}/asset`)
  expect(status).toBe(200)
  const none = { displayName: {}, description: {} }
  const hours = { kind: 'telemetry', name: 'hours', ...none, schema: { type: 'double' }, unit: null }
  expect(body).toEqual({
    id: pump,
    modelId: pump,
    displayName: 'Pump',
    description: null,
    organizationId: platform.organizationId,
    contentBindings: [],
    authorizationContext: { viewableByOrganizations: [] },
    contents: [
      { componentId: null, ...hours },
      { componentId: null, kind: 'component', name: 'motor', ...none, modelId: motor },
      {
        componentId: null,
        kind: 'command',
        name: 'stop',
        ...none,
        request: null,
        response: { name: 'r', ...none, schema: { type: 'boolean' }, unit: null, nullable: false },
      },
      { componentId: 'motor', ...hours },
      {
        componentId: 'motor',
        kind: 'property',
        name: 'limit',
        ...none,
        schema: { type: 'long' },
        unit: null,
        writable: true,
      },
    ],
  })
})

test('a model exported by IoT Central is accepted: its components, types and schemas are inline', async () => {
  const base = await make({ contents: [telemetry('hours')] })
  const id = newModelId()
  const motor = define('dtmi:com:example:InlineMotor;1', {
    '@context': undefined,
    extends: base,
    contents: [
      { '@type': ['Telemetry', 'VelocityVector'], name: 'speed', schema: 'vector', unit: 'metrePerSecond' },
    ],
  })
  const definition = define(id, {
    '@context': ['dtmi:iotcentral:context;2', 'dtmi:dtdl:context;2'],
    contents: [{ '@type': 'Component', name: 'motor', schema: motor }],
  })
  expect((await create(definition)).status).toBe(201)
  const { contents } = (await platform.get(`${one(id)}/asset`)).body
  expect(contents).toMatchObject([
    { componentId: null, kind: 'component', name: 'motor', modelId: 'dtmi:com:example:InlineMotor;1' },
    { componentId: 'motor', name: 'hours' },
    { componentId: 'motor', name: 'speed', schema: { type: 'object', fields: [{ name: 'x' }, {}, {}] } },
  ])
  expect(contents[0]).not.toHaveProperty('inline')
  // Such an interface is not a model of its own, and the models that it extends do not change.
  expect((await platform.get(one('dtmi:com:example:InlineMotor;1'))).status).toBe(404)
  expect((await platform.delete(one(base))).status).toBe(409)
  const asset = { id: 'central-1', modelId: id, displayName: 'C', organizationId: platform.organizationId }
  expect((await platform.post('/v1/assets', asset)).status).toBe(201)
})

test('a definition in use is immutable, and stays; its names can change [docs/models#changing-a-model]', async () => {
  const base = await make({ contents: [telemetry('a')] })
  const user = await make({ extends: base })
  const same = { contents: [telemetry('a')], ...define(base) }
  expect((await platform.put(one(base), { displayName: 'New', definition: same })).status).toBe(200)
  for (const refused of [
    await platform.put(one(base), { definition: define(base) }),
    await platform.delete(one(base)),
  ])
    expect(refused).toMatchObject({
      status: 409,
      body: { error: 'conflict', details: { usedBy: [{ type: 'model', id: user }] } },
    })
  // A model that is no longer used can be deleted again.
  expect((await platform.put(one(user), { definition: define(user) })).status).toBe(200)
  expect((await platform.put(one(base), { definition: define(base) })).status).toBe(200)
  expect((await platform.delete(one(base))).status).toBe(204)
})

test('a component prevents changes of its model too', async () => {
  const part = await make()
  await make({ contents: [component('c', part)] })
  expect((await platform.delete(one(part))).status).toBe(409)
})

test('no change creates a cycle of models', async () => {
  const first = await make()
  const second = await make({ extends: first })
  const third = await make({ extends: second })
  for (const base of [first, second, third])
    expect(await platform.put(one(first), { definition: define(first, { extends: base }) })).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining('circle') },
    })
})

test('of two concurrent changes that would create a cycle, one is refused', async () => {
  const [a, b] = [await make(), await make()]
  const answers = await Promise.all([
    platform.put(one(a), { definition: define(a, { extends: b }) }),
    platform.put(one(b), { definition: define(b, { extends: a }) }),
  ])
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 400])
})

test('a definition of 1 MiB and one of 1,000 components are accepted; more is refused', async () => {
  const part = await make({ contents: [telemetry('a'), telemetry('b')] })
  const components = (count: number) => Array.from({ length: count }, (_, i) => component(`c${i}`, part))
  const many = await make({ contents: components(1000) })
  expect((await platform.get(`${one(many)}/asset`)).body.contents).toHaveLength(3000)
  expect((await create(define(newModelId(), { contents: components(1001) }))).status).toBe(400)

  const sized = (bytes: number) => {
    const text = 'x'.repeat(500)
    const large = { ...telemetry('n0000'), description: { en: text, de: text } }
    const contents = Array.from({ length: Math.floor(bytes / JSON.stringify(large).length) }, (_, i) => ({
      ...large,
      name: `n${i}`,
    }))
    return define(newModelId(), { contents })
  }
  expect((await create(sized(1_000_000))).status).toBe(201)
  expect((await create(sized(1_100_000))).body.error).toBe('payload_too_large')
})

test('pages of large definitions are shorter and link to the next page', async () => {
  const { organizationId, token } = await platform.makeTenant('large')
  const contents = Array.from({ length: 900 }, (_, i) => ({
    ...telemetry(`n${i}`),
    comment: 'x'.repeat(500),
    description: 'y'.repeat(500),
  }))
  const ids = Array.from({ length: 10 }, newModelId)
  for (const id of ids) {
    const answer = await create(define(id, { contents }), { organizationId }, { token })
    expect(answer.status).toBe(201)
  }
  const seen: string[] = []
  let [next, pages]: [string | undefined, number] = [url, 0]
  while (next) {
    const { body, headers } = await platform.get(next, { token })
    seen.push(...body.map((model: { id: string }) => model.id))
    next = /<([^>]+)>/.exec(headers.get('link') ?? '')?.[1]
    pages++
  }
  expect(seen.toSorted()).toEqual(ids.toSorted())
  expect(pages).toBe(2)
})

test('creating needs model_management in the organization and view on referenced models; reading needs view', async () => {
  const branch = await makeOrganization(platform)
  const { id, token } = await makeUser(platform)
  const base = await make()
  const mine = () => create(define(newModelId(), { extends: base }), { organizationId: branch }, { token })
  expect(await mine()).toMatchObject({
    status: 403,
    body: { details: { required: { privilege: 'model_management' } } },
  })
  await relate(platform, `${id} model_manager organization:${branch}`)
  expect((await create(define(newModelId()), {}, { token })).status).toBe(403)
  expect(await mine()).toMatchObject({
    status: 403,
    body: { details: { required: { permission: 'view', resourceId: base } } },
  })
  expect((await platform.get(one(base), { token })).status).toBe(403)
  await platform.post('/v1/relations', {
    subjectType: 'user',
    subjectId: id,
    resourceType: 'model',
    resourceId: base,
    relation: 'viewer',
  })
  const { status, body } = await mine()
  expect(status).toBe(201)
  const visible = (await platform.get(url, { token })).body.map((model: { id: string }) => model.id)
  expect(visible).toEqual([base, body.id].toSorted())
  expect((await platform.put(one(body.id), { displayName: 'X' }, { token })).status).toBe(200)
  expect((await platform.put(one(base), { displayName: 'X' }, { token })).status).toBe(403)
  expect((await platform.delete(one(base), { token })).status).toBe(403)
})

test('another tenant cannot access or extend the model, and may use the same DTMI', async () => {
  const id = await make()
  const { token, organizationId } = await platform.makeTenant('unmodelled')
  for (const answer of [
    await platform.get(one(id), { token }),
    await platform.get(`${one(id)}/asset`, { token }),
    await platform.put(one(id), {}, { token }),
    await platform.delete(one(id), { token }),
    await create(define(newModelId()), {}, { token }),
  ])
    expect(answer.status).toBe(404)
  expect((await platform.get(url, { token })).body).toEqual([])
  const built = await create(define(newModelId(), { extends: id }), { organizationId }, { token })
  expect(built.body.details.issues).toEqual([
    { path: 'definition.extends', message: `there is no model ${id}; create it first` },
  ])
  expect((await create(define(id), { organizationId }, { token })).status).toBe(201)
})

test('a model that names several large ones holds up the server no longer than reading one of them', async () => {
  const enumValues = Array.from({ length: 40 }, (_, index) => ({ name: `v${index}`, enumValue: index }))
  const schema = { '@type': 'Enum', valueSchema: 'integer', enumValues }
  const contents = Array.from({ length: 300 }, (_, index) => ({ ...telemetry(`t${index}`), schema }))
  const ids: string[] = []
  for (let count = 0; count < 8; count++) ids.push(await make({ contents }))
  const readMs = Math.min(
    ...[1, 2, 3].map(() => {
      const startMs = performance.now()
      readStoredInterface(define(newModelId(), { contents }))
      return performance.now() - startMs
    }),
  )
  const delays = monitorEventLoopDelay({ resolution: 5 })
  delays.enable()
  await make({ contents: ids.map((id, index) => component(`c${index}`, id)) })
  delays.disable()
  expect(delays.max / 1e6).toBeLessThan(4 * readMs)
})
