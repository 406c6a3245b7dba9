/** Access to providers, clients and templates. [docs/access#permissions] */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Platform, startPlatform } from '../../test/harness/platform.ts'
import { makeOrganization, makeUser, relate, type TestUser } from '../../test/harness/users.ts'

let platform: Platform
let branch: string
let root: string
beforeAll(async () => {
  platform = await startPlatform()
  root = platform.organizationId
  branch = await makeOrganization(platform)
  for (const [id, organizationId] of [
    ['of-root', root],
    ['of-branch', branch],
  ] as const) {
    await platform.post('/v1/providers', { id, type: 'mqtt', displayName: id, organizationId })
    await platform.post('/v1/provider-templates', { id, displayName: id, organizationId })
    await platform.post('/v1/providers/mqtt/clients', { id, displayName: id, organizationId })
  }
})
afterAll(() => platform[Symbol.asyncDispose]())

const userWith = async (...relations: string[]): Promise<TestUser> => {
  const user = await makeUser(platform)
  for (const relation of relations)
    expect((await relate(platform, `${user.id} ${relation}`)).status).toBe(201)
  return user
}
const idsAt = async (path: string, { token }: TestUser) =>
  (await platform.get(path, { token })).body.map((record: { id: string }) => record.id)
const clients = '/v1/providers/mqtt/clients'

test('lists contain only what the caller may view, in full pages', async () => {
  const member = await userWith(`member organization:${branch}`)
  for (const path of ['/v1/providers', '/v1/provider-templates', `${clients}?limit=1`])
    expect(await idsAt(path, member)).toEqual(['of-branch'])
  const granted = await userWith('viewer provider_client:of-root')
  expect(await idsAt(clients, granted)).toEqual(['of-root'])
  expect(await idsAt('/v1/providers', granted)).toEqual([])
})

test('a viewer of a client reads its twin, but cannot change it or read its keys', async () => {
  const { token } = await userWith('viewer provider_client:of-root')
  const at = `${clients}/of-root`
  for (const path of [at, `${at}/properties/desired`, `${at}/properties/reported`])
    expect((await platform.get(path, { token })).status).toBe(200)
  for (const refused of [
    await platform.get(`${at}/credentials`, { token }),
    await platform.put(`${at}/properties/desired`, { a: 1 }, { token }),
    await platform.post(`${at}/methods`, { method: 'reboot' }, { token }),
    await platform.put(at, { displayName: 'Mine' }, { token }),
  ])
    expect(refused).toMatchObject({
      status: 403,
      body: {
        details: {
          required: { permission: 'manage', resourceType: 'provider_client', resourceId: 'of-root' },
        },
      },
    })
})

test('a manager of one client manages only that client, and cannot delete it', async () => {
  const { token } = await userWith('manager provider_client:of-root')
  const at = `${clients}/of-root`
  expect((await platform.put(at, { displayName: 'Managed' }, { token })).status).toBe(200)
  expect((await platform.get(`${at}/credentials`, { token })).status).toBe(200)
  expect((await platform.delete(at, { token })).status).toBe(403)
  expect((await platform.get(`${clients}/of-branch`, { token })).status).toBe(403)
})

test('creating a client requires the privilege in its organization, and that the provider is shared with it', async () => {
  const { id, token } = await userWith(`provider_client_manager organization:${branch}`)
  const create = (provider: string, body: object) =>
    platform.post(`/v1/providers/${provider}/clients`, { displayName: 'New', ...body }, { token })
  expect((await create('of-branch', { id: 'made-1' })).status).toBe(201)
  expect(await create('of-root', { id: 'made-2' })).toMatchObject({
    status: 403,
    body: { details: { required: { privilege: 'provider_client_management', organizationId: root } } },
  })
  expect(await create('of-root', { id: 'made-2', organizationId: branch })).toMatchObject({
    status: 403,
    body: { details: { required: { permission: 'view', resourceType: 'provider' } } },
  })
  await relate(platform, `${id} viewer provider:of-root`)
  expect((await create('of-root', { id: 'made-2', organizationId: branch })).status).toBe(201)
})

test('PUT requires the privilege to create a provider and the permission to update it', async () => {
  const { token } = await userWith('manager provider:of-root')
  const put = (id: string, organizationId: string) =>
    platform.put(`/v1/providers/${id}`, { type: 'mqtt', displayName: 'P', organizationId }, { token })
  expect((await put('of-root', root)).status).toBe(200)
  expect((await put('of-branch', branch)).status).toBe(403)
  expect((await put('brand-new', branch)).body.details.required).toEqual({
    privilege: 'provider_management',
    organizationId: branch,
  })
})

test('onboarding requires its privilege in the root organization [docs/access#privileges]', async () => {
  const below = await userWith(`owner organization:${branch}`)
  const above = await userWith(`provider_client_manager organization:${root}`)
  const [groups, targets] = ['/api/enrollment-groups', '/api/routing-targets']
  expect((await platform.get(groups, below)).status).toBe(403)
  expect((await platform.get(groups, above)).status).toBe(200)
  expect((await platform.get(targets, above)).body.error).toBe('forbidden')
})

test('deleting a relation takes effect with the next request', async () => {
  const { id, token } = await userWith('viewer provider:of-root')
  const read = async () => (await platform.get('/v1/providers/of-root', { token })).status
  expect(await read()).toBe(200)
  await platform.post('/v1/relations/delete', {
    subjectType: 'user',
    subjectId: id,
    resourceType: 'provider',
    resourceId: 'of-root',
    relation: 'viewer',
  })
  expect(await read()).toBe(403)
})

test('a limited token is restricted to its privileges and the rights of its user', async () => {
  const manager = await userWith(`provider_client_manager organization:${branch}`)
  const privileges = ['provider_client_management', 'provider_management']
  const { token } = (await platform.post('/v1/api-tokens', { displayName: 'ci', privileges }, manager)).body
  expect((await platform.get(`${clients}/of-branch`, { token })).status).toBe(200)
  expect((await platform.get(`${clients}/of-root`, { token })).status).toBe(403)
  expect((await platform.get('/v1/dashboards', { token })).status).toBe(403)
  expect((await platform.delete('/v1/providers/of-branch', { token })).status).toBe(403)
})
