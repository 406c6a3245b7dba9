import { afterAll, beforeAll, expect, test } from 'vitest'
import { audience, clientId, type OidcIssuer, startOidcIssuer } from '../../../test/harness/oidc-issuer.ts'
import { adminPassword, apiAt, logIn, type Platform, startPlatform } from '../../../test/harness/platform.ts'
import { makeOrganization, makeUser, relate } from '../../../test/harness/users.ts'
import { insertReset } from '../../users/password/reset-store.ts'

let platform: Platform
let issuer: OidcIssuer
beforeAll(async () => {
  platform = await startPlatform({ GANGWAY_OUTBOUND_ALLOW: 'loopback' })
  issuer = await startOidcIssuer({
    victim: { email: 'Victim@example.com', verified: true },
    disabled: { email: 'disabled@example.com', verified: true },
    first: { email: 'admin@example.com', verified: true },
  })
  await platform.patch('/v1/tenants/default', { oidc: { issuer: issuer.issuer, audience, clientId } })
})
afterAll(async () => {
  await issuer[Symbol.asyncDispose]()
  await platform[Symbol.asyncDispose]()
})

const me = (token: string) => platform.get('/v1/auth/me', { token })
const signIn = (email: string) => logIn(apiAt(platform.url), email, adminPassword)
const plant = async (email: string, token: string): Promise<string> =>
  (await platform.post('/v1/users', { displayName: 'Planted', email, password: adminPassword }, { token }))
    .body.id

test('the creator of a user loses access to it once the owner of the email signs in with OIDC', async () => {
  const maker = await makeUser(platform)
  await relate(platform, `${maker.id} user_manager organization:${await makeOrganization(platform)}`)
  const plantedId = await plant('victim@example.com', maker.token)
  const puppet = await makeUser(platform)
  expect((await relate(platform, `${puppet.id} manager user:${plantedId}`, maker)).status).toBe(201)
  const stolen = await signIn('victim@example.com')
  const apiToken = (await platform.post('/v1/api-tokens', { displayName: 'kept' }, { token: stolen })).body
    .token
  const reset = await insertReset(platform.ctx.db, plantedId)

  expect((await me(await issuer.signIn('victim'))).body.id).toBe(plantedId)

  await expect(signIn('victim@example.com')).rejects.toThrow('401')
  expect((await me(stolen)).status).toBe(401)
  expect((await me(apiToken)).status).toBe(401)
  const confirm = { token: reset, newPassword: 'staple battery horse' }
  expect((await platform.post('/v1/auth/password-reset/confirm', confirm, { token: null })).status).toBe(401)
  for (const { token } of [maker, puppet]) {
    const change = await platform.patch(`/v1/users/${plantedId}`, { phoneNumber: '+493012345' }, { token })
    expect(change.status).toBe(403)
    expect((await platform.delete(`/v1/users/${plantedId}`, { token })).status).toBe(403)
  }
  const own = { token: await issuer.signIn('victim') }
  expect((await platform.patch(`/v1/users/${plantedId}`, { displayName: 'Victim' }, own)).status).toBe(200)
  const audit = (await platform.get(`/v1/audit-log?resourceType=user&resourceId=${plantedId}`)).body
  expect(audit.find(({ action }: { action: string }) => action === 'join-oidc')).toMatchObject({
    actorType: 'system',
    after: { issuer: issuer.issuer },
  })
})

test('a user who was disabled stays disabled', async () => {
  const id = await plant('disabled@example.com', platform.adminToken)
  await platform.patch(`/v1/users/${id}`, { disabled: true })
  expect((await me(await issuer.signIn('disabled'))).status).toBe(401)
})

test('the first administrator, who was created by no other user, keeps the password', async () => {
  expect((await me(await issuer.signIn('first'))).body.email).toBe('admin@example.com')
  expect((await me(await signIn('admin@example.com'))).status).toBe(200)
  expect((await me(platform.adminToken)).status).toBe(200)
})
