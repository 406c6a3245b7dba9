import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Platform, startPlatform } from '../../../test/harness/platform.ts'

let platform: Platform
beforeAll(async () => {
  platform = await startPlatform()
})
afterAll(() => platform[Symbol.asyncDispose]())

const make = (body: object, token?: string) => platform.post('/v1/api-tokens', body, token ? { token } : {})

test('a token works until it is revoked, and is shown once', async () => {
  const { body } = await make({ displayName: 'ci' })
  expect((await platform.get('/v1/auth/me', { token: body.token })).status).toBe(200)
  const listed = (await platform.get('/v1/api-tokens')).body
  expect(listed.find((entry: { id: string }) => entry.id === body.id)).not.toHaveProperty('token')
  expect((await platform.delete(`/v1/api-tokens/${body.id}`)).status).toBe(204)
  expect((await platform.get('/v1/auth/me', { token: body.token })).status).toBe(401)
  expect((await platform.delete(`/v1/api-tokens/${body.id}`)).status).toBe(404)
})

test('a limited token does what it is limited to, and makes none that may more', async () => {
  const { body } = await make({ displayName: 'limited', privileges: ['provider_management'] })
  const refused = await platform.get('/v1/audit-log', { token: body.token })
  expect(refused.status).toBe(403)
  expect(refused.body.details.required.privilege).toBe('organization_management')
  expect((await make({ displayName: 'more', privileges: ['alarm_management'] }, body.token)).status).toBe(403)
  const child = await make({ displayName: 'same' }, body.token)
  expect(child.body.privileges).toEqual(['provider_management'])
})

test('an expired token and one with a wrong secret are refused', async () => {
  const { body } = await make({ displayName: 'short', expiresAt: new Date(Date.now() + 150).toISOString() })
  const wrong = body.token.slice(0, -1) + (body.token.endsWith('A') ? 'B' : 'A')
  expect((await platform.get('/v1/auth/me', { token: wrong })).status).toBe(401)
  await expect.poll(async () => (await platform.get('/v1/auth/me', { token: body.token })).status).toBe(401)
  expect((await make({ displayName: 'past', expiresAt: '2020-01-01T00:00:00.000Z' })).status).toBe(400)
})

test("another user's token is not found, and the audit log tells who made which", async () => {
  const tenant = await platform.makeTenant('api-token-tenant')
  const { body } = await make({ displayName: 'mine' })
  expect((await platform.delete(`/v1/api-tokens/${body.id}`, { token: tenant.token })).status).toBe(404)
  const log = (await platform.get(`/v1/audit-log?resourceType=api_token&resourceId=${body.id}`)).body
  expect(log).toMatchObject([
    { action: 'create', actorType: 'user', before: null, after: { displayName: 'mine' } },
  ])
  expect(JSON.stringify(log)).not.toContain(body.token)
  expect((await platform.get(`/v1/audit-log?resourceId=${body.id}`, { token: tenant.token })).body).toEqual(
    [],
  )
})
