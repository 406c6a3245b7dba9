import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Platform, startPlatform } from '../../test/harness/platform.ts'

let platform: Platform
let other: { token: string; organizationId: string }
beforeAll(async () => {
  platform = await startPlatform()
  other = await platform.makeTenant('other')
})
afterAll(() => platform[Symbol.asyncDispose]())

const newProvider = (fields: object = {}) => ({
  type: 'import',
  displayName: 'Imports',
  organizationId: platform.organizationId,
  ...fields,
})

test('each tenant initially has its own provider mqtt [docs/providers#provider-types]', async () => {
  for (const [token, organizationId] of [
    [platform.adminToken, platform.organizationId],
    [other.token, other.organizationId],
  ] as const) {
    const { status, body } = await platform.get('/v1/providers/mqtt', { token })
    expect(status).toBe(200)
    expect(body).toEqual({
      id: 'mqtt',
      type: 'mqtt',
      displayName: 'MQTT',
      description: 'The built-in broker',
      organizationId,
      providerData: {},
    })
  }
})

test('POST creates, GET finds, the list filters by type', async () => {
  const created = await platform.post('/v1/providers', newProvider({ id: 'created:a;1', description: null }))
  expect(created.status).toBe(201)
  expect(await platform.get('/v1/providers/created:a;1')).toMatchObject({ status: 200, body: created.body })
  expect((await platform.get('/v1/providers?type=import')).body).toEqual([created.body])
  expect((await platform.get('/v1/providers')).body.map((p: { id: string }) => p.id)).toEqual([
    'created:a;1',
    'mqtt',
  ])
  expect((await platform.get('/v1/providers?type=other')).status).toBe(400)
})

test('a second provider with the same id is a conflict; an absent id is generated', async () => {
  expect((await platform.post('/v1/providers', newProvider({ id: 'mqtt' }))).body).toMatchObject({
    error: 'conflict',
  })
  const { status, body } = await platform.post('/v1/providers', newProvider())
  expect(status).toBe(201)
  expect(body.id).toMatch(/^[0-9a-f-]{36}$/)
  expect((await platform.delete(`/v1/providers/${body.id}`)).status).toBe(204)
  expect((await platform.get(`/v1/providers/${body.id}`)).status).toBe(404)
})

test.each([
  ['no type', { type: undefined }],
  ['an unknown type', { type: 'kafka' }],
  ['no displayName', { displayName: undefined }],
  ['a blank displayName', { displayName: ' ' }],
  ['an id with a slash', { id: 'a/b' }],
  ['an id of 129 characters', { id: 'a'.repeat(129) }],
  ['no organizationId', { organizationId: undefined }],
  ['an organizationId that is not a UUID', { organizationId: 'mine' }],
  ['text with NUL', { displayName: 'a\u0000b' }],
])('create refuses %s', async (_what, fields) => {
  const { status, body } = await platform.post('/v1/providers', newProvider(fields))
  expect(body).toMatchObject({ error: 'validation_error' })
  expect(status).toBe(400)
})

test('an organization of another tenant is not found, like one that does not exist', async () => {
  const foreign = await platform.post('/v1/providers', newProvider({ organizationId: other.organizationId }))
  const absent = await platform.post(
    '/v1/providers',
    newProvider({ organizationId: '019a0000-0000-7000-8000-000000000000' }),
  )
  expect([foreign.status, absent.status]).toEqual([404, 404])
})

test('PUT creates, then updates; an absent description stays [docs/providers#provider-types]', async () => {
  const url = '/v1/providers/put'
  expect((await platform.put(url, { displayName: 'P' })).body).toMatchObject({ error: 'validation_error' })
  const created = await platform.put(url, newProvider({ description: 'first' }))
  expect(created).toMatchObject({ status: 200, body: { id: 'put', type: 'import', description: 'first' } })
  const updated = await platform.put(url, { displayName: 'New name' })
  expect(updated.body).toEqual({ ...created.body, displayName: 'New name' })
  expect((await platform.put(url, { displayName: 'P', description: null })).body.description).toBe(null)
})

test('PUT changes neither type nor organization', async () => {
  await platform.put('/v1/providers/fixed', newProvider())
  for (const fields of [{ type: 'mqtt' }, { organizationId: other.organizationId }]) {
    const { body } = await platform.put('/v1/providers/fixed', { displayName: 'X', ...fields })
    expect(body).toMatchObject({ error: 'conflict', details: { field: Object.keys(fields)[0] } })
  }
})

test('a provider with clients is not deleted', async () => {
  const url = '/v1/providers/full'
  await platform.put(url, newProvider({ type: 'mqtt' }))
  await platform.post(`${url}/clients`, { id: 'in-full', displayName: 'In' })
  expect((await platform.delete(url)).body).toMatchObject({ error: 'conflict' })
  await platform.delete(`${url}/clients/in-full`)
  expect((await platform.delete(url)).status).toBe(204)
  expect((await platform.delete(url)).status).toBe(404)
})

test('providers of another tenant are not found', async () => {
  await platform.put('/v1/providers/mine', newProvider())
  const token = { token: other.token }
  expect((await platform.get('/v1/providers/mine', token)).status).toBe(404)
  expect((await platform.delete('/v1/providers/mine', token)).status).toBe(404)
  expect((await platform.get('/v1/providers', token)).body.map((p: { id: string }) => p.id)).toEqual(['mqtt'])
  // Ids are unique only within a tenant. [docs/api#ids]
  const created = await platform.put(
    '/v1/providers/mine',
    newProvider({ organizationId: other.organizationId }),
    token,
  )
  expect(created.status).toBe(200)
})

test('the Link of a list leads to the next page, and an invalid cursor is refused', async () => {
  for (const id of ['page-1', 'page-2', 'page-3'])
    await platform.put(`/v1/providers/${id}`, newProvider({ type: 'iothub' }))
  const seen: string[] = []
  for (let url: string | undefined = '/v1/providers?type=iothub&limit=2'; url;) {
    const { body, headers } = await platform.get(url)
    seen.push(...body.map((p: { id: string }) => p.id))
    url = /<(.*)>; rel="next"/.exec(headers.get('link') ?? '')?.[1]
  }
  expect(seen).toEqual(['page-1', 'page-2', 'page-3'])
  expect((await platform.get('/v1/providers?cursor=%20nonsense')).status).toBe(400)
})

test('creating, changing and deleting are in the audit log [docs/api#audit]', async () => {
  await platform.put('/v1/providers/audited', newProvider())
  await platform.put('/v1/providers/audited', { displayName: 'Changed' })
  await platform.delete('/v1/providers/audited')
  const { body } = await platform.get('/v1/audit-log?resourceType=provider&resourceId=audited')
  expect(body.map((entry: { action: string }) => entry.action)).toEqual(['delete', 'update', 'create'])
  expect(body[1]).toMatchObject({ before: { displayName: 'Imports' }, after: { displayName: 'Changed' } })
})
