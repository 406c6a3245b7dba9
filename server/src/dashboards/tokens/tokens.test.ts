import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Platform, startPlatform } from '../../../test/harness/platform.ts'
import { makeUser, relate } from '../../../test/harness/users.ts'

let platform: Platform
let dashboard: string
beforeAll(async () => {
  platform = await startPlatform()
  dashboard = await makeDashboard()
})
afterAll(() => platform[Symbol.asyncDispose]())

const expiresAt = '2100-01-01T00:00:00Z'
const url = (id: string) => `/v1/dashboards/${id}/api-tokens`
const make = (id: string, body: object = {}, options = {}) =>
  platform.post(url(id), { displayName: 'Screen', expiresAt, ...body }, options)

async function makeDashboard(): Promise<string> {
  const body = { displayName: 'Hall', organizationId: platform.organizationId }
  return (await platform.post('/v1/dashboards', body)).body.id
}

test('a token is shown once, listed with its maker, and among the tokens of its maker [docs/dashboards#tokens]', async () => {
  const id = await makeDashboard()
  const { status, body } = await make(id)
  expect(status).toBe(201)
  const { token, ...listed } = body
  expect(listed).toEqual({
    id: body.id,
    displayName: 'Screen',
    privileges: ['data_view'],
    dashboardId: id,
    expiresAt: '2100-01-01T00:00:00.000Z',
    createdAt: expect.any(String),
  })
  expect((await platform.get(`/v1/dashboards/${id}`, { token })).status).toBe(200)
  const me = (await platform.get('/v1/auth/me')).body
  const createdBy = { userId: me.id, displayName: me.displayName }
  expect((await platform.get(url(id))).body).toEqual([{ ...listed, createdBy }])
  expect((await platform.get('/v1/api-tokens')).body).toContainEqual(listed)
  expect((await platform.get(url(dashboard))).body).toEqual([])
})

test('whoever may share the dashboard revokes the tokens of others, and no other token', async () => {
  const [maker, other] = [await makeUser(platform), await makeUser(platform)]
  for (const { id } of [maker, other]) await relate(platform, `${id} manager dashboard:${dashboard}`)
  const made = (await make(dashboard, {}, { token: maker.token })).body
  const elsewhere = (await platform.post('/v1/api-tokens', { displayName: 'ci' }, { token: maker.token }))
    .body
  const revoke = async (id: string) =>
    (await platform.delete(`${url(dashboard)}/${id}`, { token: other.token })).status
  expect(await revoke(elsewhere.id)).toBe(404)
  expect(await revoke(made.id)).toBe(204)
  expect(await revoke(made.id)).toBe(404)
  expect((await platform.get(`/v1/dashboards/${dashboard}`, { token: made.token })).status).toBe(401)
  expect((await platform.get('/v1/auth/me', { token: elsewhere.token })).status).toBe(200)
})

test('its maker revokes it among the own API tokens', async () => {
  const { body } = await make(dashboard)
  expect((await platform.delete(`/v1/api-tokens/${body.id}`)).status).toBe(204)
  expect((await platform.get(`/v1/dashboards/${dashboard}`, { token: body.token })).status).toBe(401)
})

test.each([
  ['no end', { expiresAt: undefined }],
  ['an end in the past', { expiresAt: '2020-01-01T00:00:00Z' }],
  ['an end that is no time', { expiresAt: 'never' }],
  ['no name', { displayName: '' }],
  ['a name that is too long', { displayName: 'n'.repeat(257) }],
])('%s is refused', async (_what, body) => {
  expect((await make(dashboard, body)).body.error).toBe('validation_error')
})

test('making one takes share on the dashboard', async () => {
  const viewer = await makeUser(platform)
  await relate(platform, `${viewer.id} viewer dashboard:${dashboard}`)
  const answer = await make(dashboard, {}, { token: viewer.token })
  expect([answer.status, answer.body.details.required.permission]).toEqual([403, 'share'])
  expect((await platform.get(url(dashboard), { token: viewer.token })).status).toBe(403)
})

test('neither a limited token nor a token of a dashboard makes one', async () => {
  const privileges = ['dashboard_management']
  const limited = (await platform.post('/v1/api-tokens', { displayName: 'ci', privileges })).body
  expect((await make(dashboard, {}, { token: limited.token })).status).toBe(403)
  const own = (await make(dashboard)).body
  for (const answer of [
    await make(dashboard, {}, { token: own.token }),
    await platform.post('/v1/api-tokens', { displayName: 'child' }, { token: own.token }),
    await platform.get('/v1/api-tokens', { token: own.token }),
    await platform.get('/v1/auth/me', { token: own.token }),
  ])
    expect([answer.status, answer.body.error]).toEqual([403, 'forbidden'])
})

test('one that was made with an API token expires with it and is revoked with it', async () => {
  const end = new Date(Date.now() + 3_600_000).toISOString()
  const parent = (await platform.post('/v1/api-tokens', { displayName: 'parent', expiresAt: end })).body
  const child = (await make(dashboard, {}, { token: parent.token })).body
  expect(child.expiresAt).toBe(end)
  await platform.delete(`/v1/api-tokens/${parent.id}`)
  expect((await platform.get(`/v1/dashboards/${dashboard}`, { token: child.token })).status).toBe(401)
})

test('another tenant finds neither', async () => {
  const { token } = await platform.makeTenant('wallless')
  const made = (await make(dashboard)).body
  for (const answer of [
    await make(dashboard, {}, { token }),
    await platform.get(url(dashboard), { token }),
    await platform.delete(`${url(dashboard)}/${made.id}`, { token }),
  ])
    expect(answer.status).toBe(404)
})
