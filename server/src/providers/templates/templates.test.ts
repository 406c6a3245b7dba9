import { afterAll, beforeAll, expect, test } from 'vitest'
import { connectSession } from '../../../test/harness/live-session.ts'
import { type Platform, startPlatform } from '../../../test/harness/platform.ts'

let platform: Platform
let other: { token: string; organizationId: string }
beforeAll(async () => {
  platform = await startPlatform()
  other = await platform.makeTenant('other')
})
afterAll(() => platform[Symbol.asyncDispose]())

const templates = '/v1/provider-templates'
const create = (fields: object) =>
  platform.post(templates, { displayName: 'T', organizationId: platform.organizationId, ...fields })

test('creates, gets, updates and deletes a template; fields absent in an update do not change', async () => {
  const fields = { id: 'crud', description: 'D', tags: { site: ['north', 'south'] }, options: { hub: 'h' } }
  const { status, body } = await create(fields)
  expect(status).toBe(201)
  expect(body).toEqual({
    ...fields,
    displayName: 'T',
    enabled: true,
    organizationId: platform.organizationId,
  })
  expect((await platform.get(`${templates}/crud`)).body).toEqual(body)
  const updated = await platform.put(`${templates}/crud`, { displayName: 'New', enabled: false })
  expect(updated).toMatchObject({ status: 200, body: { ...body, displayName: 'New', enabled: false } })
  expect((await platform.put(`${templates}/crud`, { displayName: 'New', tags: {} })).body).toMatchObject({
    tags: {},
    enabled: false,
  })
  expect((await platform.delete(`${templates}/crud`)).status).toBe(204)
  expect((await platform.get(`${templates}/crud`)).status).toBe(404)
  expect((await platform.delete(`${templates}/crud`)).status).toBe(404)
})

test('an absent id is generated, and an existing one is a conflict', async () => {
  const { body } = await create({})
  expect(body).toMatchObject({
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    description: null,
    tags: {},
    options: {},
  })
  expect(await create({ id: body.id })).toMatchObject({ status: 409, body: { error: 'conflict' } })
})

test.each([
  ['enabled as a string', { enabled: 'true' }],
  ['a tag that is not an array', { tags: { site: 'north' } }],
  ['a tag of numbers', { tags: { site: [1] } }],
  ['options that are no object', { options: [] }],
  ['no displayName', { displayName: undefined }],
  ['no organizationId', { organizationId: undefined }],
  ['NUL in the options', { options: { a: '\u0000' } }],
])('create refuses %s', async (_what, fields) => {
  expect(await create(fields)).toMatchObject({ status: 400, body: { error: 'validation_error' } })
})

test('the list filters by tag, key=value [docs/providers#provider-templates]', async () => {
  await create({ id: 'tag-1', tags: { color: ['red', 'a=b'], site: ['north'] } })
  await create({ id: 'tag-2', tags: { color: ['blue'], site: ['red'] } })
  const list = async (tagFilter: string) =>
    (await platform.get(`${templates}?tagFilter=${encodeURIComponent(tagFilter)}`)).body
  const ids = async (tagFilter: string) =>
    (await list(tagFilter)).map((template: { id: string }) => template.id)
  expect(await ids('color=red')).toEqual(['tag-1'])
  expect(await ids('color=a=b')).toEqual(['tag-1'])
  expect(await ids('site=red')).toEqual(['tag-2'])
  expect(await ids('color=re')).toEqual([])
  expect(await ids('absent=red')).toEqual([])
  for (const wrong of ['color', '=red'])
    expect(await list(wrong)).toMatchObject({ error: 'validation_error' })
})

test('templates and organizations of another tenant are not found', async () => {
  await create({ id: 'private' })
  const token = { token: other.token }
  expect((await platform.get(`${templates}/private`, token)).status).toBe(404)
  expect((await platform.put(`${templates}/private`, { displayName: 'X' }, token)).status).toBe(404)
  expect((await platform.delete(`${templates}/private`, token)).status).toBe(404)
  expect((await platform.get(templates, token)).body).toEqual([])
  expect((await create({ id: 'stray', organizationId: other.organizationId })).status).toBe(404)
})

test('provisioning a client stores the options and the template, and sets its desired properties [docs/providers#provider-templates]', async () => {
  const iotDeviceTemplateOptions = { desiredProperties: { interval: 60 } }
  await create({ id: 'pump', options: { hub: 'one', isEdge: false, iotDeviceTemplateOptions } })
  await platform.post('/v1/providers/mqtt/clients', { id: 'pump-7', displayName: 'Pump' })
  const topic = 'devices/pump-7/twin/desired'
  const session = connectSession(platform.ctx, 'pump-7', [topic])
  const url = '/v1/providers/mqtt/clients/pump-7'
  const { status, body } = await platform.post(`${url}/provision`, {
    templateId: 'pump',
    options: { hub: 'two' },
  })
  expect(status).toBe(200)
  expect(body).toMatchObject({
    templateId: 'pump',
    templateApplied: expect.stringMatching(/^20.*Z$/),
    providerData: { hub: 'two', isEdge: false, iotDeviceTemplateOptions },
  })
  expect((await platform.get(url)).body).toEqual(body)
  expect(session.sent).toEqual([{ topic, payload: { interval: 60, $version: 1 } }])
  // Deleting the template does not change the client.
  await platform.delete(`${templates}/pump`)
  expect((await platform.get(url)).body).toEqual(body)
})

test('provisioning without a template stores only the options', async () => {
  await platform.post('/v1/providers/mqtt/clients', { id: 'plain', displayName: 'Plain' })
  const options = { parser: { name: 'senml' } }
  const { body } = await platform.post('/v1/providers/mqtt/clients/plain/provision', { options })
  expect(body).toMatchObject({ templateId: null, templateApplied: null, providerData: options })
})

test('provisioning refuses a disabled template, an absent one, missing options and wrong desired properties', async () => {
  await create({ id: 'off', enabled: false })
  await platform.post('/v1/providers/mqtt/clients', { id: 'refused', displayName: 'R' })
  const provision = async (body: object) =>
    (await platform.post('/v1/providers/mqtt/clients/refused/provision', body)).body.error
  expect(await provision({ templateId: 'off', options: {} })).toBe('conflict')
  expect(await provision({ templateId: 'absent', options: {} })).toBe('not_found')
  expect(await provision({ templateId: 'off' })).toBe('validation_error')
  const iotDeviceTemplateOptions = { desiredProperties: [] }
  expect(await provision({ options: { iotDeviceTemplateOptions } })).toBe('validation_error')
  expect((await platform.get('/v1/providers/mqtt/clients/refused')).body.providerData).toEqual({})
})
