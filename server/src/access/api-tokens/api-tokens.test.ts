import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Platform, startPlatform } from '../../../test/harness/platform.ts'
import { makeUser } from '../../../test/harness/users.ts'

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

test('a limited token allows only its privileges, and creates no token with more', async () => {
  const { body } = await make({ displayName: 'limited', privileges: ['provider_management'] })
  const refused = await platform.get('/v1/audit-log', { token: body.token })
  expect(refused.status).toBe(403)
  expect(refused.body.details.required.privilege).toBe('organization_management')
  expect((await make({ displayName: 'more', privileges: ['alarm_management'] }, body.token)).status).toBe(403)
  const child = await make({ displayName: 'same' }, body.token)
  expect(child.body.privileges).toEqual(['provider_management'])
})

test('a token limited to data_view reads and changes nothing', async () => {
  const { token } = (await make({ displayName: 'reader', privileges: ['data_view'] })).body
  expect((await platform.get('/v1/dashboards', { token })).status).toBe(200)
  expect((await make({ displayName: 'child' }, token)).status).toBe(403)
})

test('an expired token and one with a wrong secret are refused', async () => {
  const expiresAt = new Date(Date.now() + 3_600_000).toISOString()
  const { body } = await make({ displayName: 'short', expiresAt })
  const wrong = body.token.slice(0, -1) + (body.token.endsWith('A') ? 'B' : 'A')
  expect((await platform.get('/v1/auth/me', { token: wrong })).status).toBe(401)
  expect(await isAlive(body.token)).toBe(true)
  await platform.ctx.pool.query('update api_tokens set expires_at = now() where id = $1', [body.id])
  await expect.poll(() => isAlive(body.token)).toBe(false)
  expect((await make({ displayName: 'past', expiresAt: '2020-01-01T00:00:00.000Z' })).status).toBe(400)
})

test("another user's token is not found, and the audit log records who created each", async () => {
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

const isAlive = async (token: string) => (await platform.get('/v1/auth/me', { token })).status === 200

test('a token that was created with another one ends when that one is revoked, and so do its own children', async () => {
  const parent = (await make({ displayName: 'parent' })).body
  const child = (await make({ displayName: 'child' }, parent.token)).body
  const grandchild = (await make({ displayName: 'grandchild' }, child.token)).body
  const sibling = (await make({ displayName: 'sibling' })).body
  expect(await isAlive(grandchild.token)).toBe(true)
  expect((await platform.delete(`/v1/api-tokens/${parent.id}`)).status).toBe(204)
  for (const { token } of [parent, child, grandchild]) expect(await isAlive(token)).toBe(false)
  expect(await isAlive(sibling.token)).toBe(true)
  const log = (await platform.get(`/v1/audit-log?resourceType=api_token&resourceId=${grandchild.id}`)).body
  expect(log.map(({ action }: { action: string }) => action)).toEqual(['delete', 'create'])
})

test('a child expires with its parent at the latest', async () => {
  const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString()
  const [sooner, expiresAt, later] = [inSeconds(600), inSeconds(1200), inSeconds(3600)]
  const { body: parent } = await make({ displayName: 'parent', expiresAt })
  const childExpiry = async (wanted: object) =>
    (await make({ displayName: 'child', ...wanted }, parent.token)).body.expiresAt
  expect(await childExpiry({})).toBe(expiresAt)
  expect(await childExpiry({ expiresAt: later })).toBe(expiresAt)
  expect(await childExpiry({ expiresAt: sooner })).toBe(sooner)
})

test('a limited token lists and revokes only its own children', async () => {
  const owner = await makeUser(platform)
  const all = (await make({ displayName: 'unlimited' }, owner.token)).body
  const limited = (await make({ displayName: 'limited', privileges: [] }, owner.token)).body
  const child = (await make({ displayName: 'child' }, limited.token)).body
  const listFor = async (token: string) =>
    (await platform.get('/v1/api-tokens', { token })).body.map(({ id }: { id: string }) => id)
  expect(await listFor(limited.token)).toEqual([child.id])
  expect(await listFor(all.token)).toEqual([all.id, limited.id, child.id])
  for (const { id } of [all, limited])
    expect((await platform.delete(`/v1/api-tokens/${id}`, { token: limited.token })).status).toBe(404)
  expect((await platform.delete(`/v1/api-tokens/${child.id}`, { token: limited.token })).status).toBe(204)
  expect((await platform.delete(`/v1/api-tokens/${limited.id}`, { token: all.token })).status).toBe(204)
})
