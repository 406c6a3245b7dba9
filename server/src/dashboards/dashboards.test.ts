import { afterAll, beforeAll, expect, test } from 'vitest'
import { listAuditActions } from '../../test/harness/audit.ts'
import { type Platform, startPlatform } from '../../test/harness/platform.ts'
import { makeOrganization, makeUser, relate } from '../../test/harness/users.ts'

let platform: Platform
beforeAll(async () => {
  platform = await startPlatform()
})
afterAll(() => platform[Symbol.asyncDispose]())

const url = '/v1/dashboards'
const create = (fields: object = {}, options = {}) =>
  platform.post(url, { displayName: 'D', organizationId: platform.organizationId, ...fields }, options)

test('creates, reads, changes and deletes a dashboard [docs/dashboards#fields]', async () => {
  const data = { widgets: [{ kind: 'chart', of: ['pump-7'] }] }
  const { status, body } = await create({ description: 'Pumps', data })
  expect(status).toBe(201)
  expect(body).toEqual({
    id: body.id,
    displayName: 'D',
    description: 'Pumps',
    data,
    organizationId: platform.organizationId,
    authorizationContext: { viewableByOrganizations: [] },
    version: 1,
  })
  const one = `${url}/${body.id}`
  expect((await platform.get(one)).body).toEqual(body)
  const changed = { ...body, data: {}, version: 2 }
  expect((await platform.patch(one, { data: {} })).body).toEqual(changed)
  expect((await platform.patch(one, {})).body).toEqual(changed)
  expect((await platform.get(url)).body).toEqual([changed])
  expect((await platform.delete(one)).status).toBe(204)
  expect((await platform.get(one)).status).toBe(404)
  expect(await listAuditActions(platform, body.id)).toEqual(['delete', 'update', 'update', 'create'])
})

test.each([
  ['no name', { displayName: undefined }],
  ['no organization', { organizationId: undefined }],
  ['data that is a list', { data: [] }],
  ['data that is text', { data: 'x' }],
  ['an invalid organization to view it', { authorizationContext: { viewableByOrganizations: ['x'] } }],
  [
    'an unknown organization to view it',
    { authorizationContext: { viewableByOrganizations: [crypto.randomUUID()] } },
  ],
])('%s is refused', async (_what, fields) => {
  expect((await create(fields)).body.error).toBe('validation_error')
})

test('viewableByOrganizations lets the members of another organization only view it [docs/access#relations]', async () => {
  const branch = await makeOrganization(platform)
  const { id, token } = await makeUser(platform)
  const { body } = await create({ authorizationContext: { viewableByOrganizations: [branch] } })
  expect(body.authorizationContext).toEqual({ viewableByOrganizations: [branch] })
  const one = `${url}/${body.id}`
  expect((await platform.get(one, { token })).status).toBe(403)
  await relate(platform, `${id} member organization:${branch}`)
  expect((await platform.get(one, { token })).body).toEqual(body)
  expect((await platform.get(url, { token })).body).toEqual([body])
  for (const refused of [await platform.patch(one, {}, { token }), await platform.delete(one, { token })])
    expect(refused).toMatchObject({
      status: 403,
      body: { details: { required: { resourceType: 'dashboard' } } },
    })
})

test('creating needs dashboard_management in that organization', async () => {
  const branch = await makeOrganization(platform)
  const { id, token } = await makeUser(platform)
  expect((await create({ organizationId: branch }, { token })).status).toBe(403)
  await relate(platform, `${id} dashboard_manager organization:${branch}`)
  const { body } = await create({ organizationId: branch }, { token })
  expect(await create({}, { token })).toMatchObject({
    status: 403,
    body: {
      details: { required: { privilege: 'dashboard_management', organizationId: platform.organizationId } },
    },
  })
  expect((await platform.patch(`${url}/${body.id}`, { displayName: 'E' }, { token })).status).toBe(200)
  expect((await create({ organizationId: crypto.randomUUID() })).status).toBe(404)
})

test('an API token that is limited to other privileges cannot access dashboards', async () => {
  const { id } = (await create()).body
  const tokenFor = async (privilege: string) =>
    (await platform.post('/v1/api-tokens', { displayName: 'ci', privileges: [privilege] })).body.token
  const [fits, other] = [await tokenFor('dashboard_management'), await tokenFor('alarm_management')]
  for (const path of [url, `${url}/${id}`]) {
    expect((await platform.get(path, { token: fits })).status).toBe(200)
    expect((await platform.get(path, { token: other })).status).toBe(403)
  }
})

test('another tenant cannot access it', async () => {
  const { id } = (await create()).body
  const { token } = await platform.makeTenant('undashed')
  for (const answer of [
    await platform.get(`${url}/${id}`, { token }),
    await platform.patch(`${url}/${id}`, {}, { token }),
    await platform.delete(`${url}/${id}`, { token }),
    await create({}, { token }),
  ])
    expect(answer.status).toBe(404)
  expect((await platform.get(url, { token })).body).toEqual([])
})

test('a dashboard is listed for the model of one of its variables', async () => {
  const variable = (fields: object) => ({
    data: { version: 1, widgets: [], variables: [{ name: 'pump', kind: 'asset', value: [], ...fields }] },
  })
  const { id } = (await create(variable({ modelId: 'dtmi:x:pump;1' }))).body
  await create(variable({ modelId: 'dtmi:x:fan;1' }))
  await create(variable({ kind: 'node', modelId: 'dtmi:x:pump;1' }))
  const list = async (modelId: string) => {
    const { status, body } = await platform.get(`${url}?modelId=${encodeURIComponent(modelId)}`)
    return [status, body.map((one: { id: string }) => one.id)]
  }
  expect(await list('dtmi:x:pump;1')).toEqual([200, [id]])
  expect(await list(`dtmi:x'"}]`)).toEqual([200, []])
  expect((await platform.get(`${url}?modelId=${'m'.repeat(129)}`)).status).toBe(400)
})
