import { SignJWT } from 'jose'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { audience, clientId, type OidcIssuer, startOidcIssuer } from '../../../test/harness/oidc-issuer.ts'
import { type Platform, startPlatform } from '../../../test/harness/platform.ts'

let platform: Platform
let issuer: OidcIssuer
beforeAll(async () => {
  platform = await startPlatform()
  issuer = await startOidcIssuer({
    ada: { email: 'ada@example.com', verified: true },
    thief: { email: 'admin@federated.example', verified: false },
    owner: { email: 'admin@federated.example', verified: true },
  })
  await platform.makeTenant('federated')
  await platform.makeTenant('other')
  const oidc = { issuer: issuer.issuer, audience, clientId }
  await platform.patch('/v1/tenants/federated', { oidc })
})
afterAll(async () => {
  await issuer[Symbol.asyncDispose]()
  await platform[Symbol.asyncDispose]()
})

const me = (token: string) => platform.get('/v1/auth/me', { token })

test('a user of the issuer signs in with PKCE and is created at first sight, in that tenant, once', async () => {
  const token = await issuer.signIn('ada')
  const [first, second] = await Promise.all([me(token), me(token)])
  expect(first.body).toMatchObject({ email: 'ada@example.com', tenantId: 'federated' })
  expect(second.body).toEqual(first.body)
  expect((await me(await issuer.signIn('ada'))).body.id).toBe(first.body.id)
  expect((await platform.get('/v1/tenants', { token })).status).toBe(403)
})

test('an email joins the user who has it only where the issuer has verified it', async () => {
  expect((await me(await issuer.signIn('thief'))).status).toBe(401)
  expect((await me(await issuer.signIn('owner'))).body.displayName).toBe('Admin')
})

test('a user of whom the issuer tells no email has none here', async () => {
  expect((await me(await issuer.signIn('quiet'))).body).toMatchObject({ email: null, displayName: 'quiet' })
})

test('the console learns where a tenant signs in', async () => {
  const answer = await platform.get('/v1/auth/oidc?tenant=federated', { token: null })
  expect(answer.body).toEqual({ issuer: issuer.issuer, audience, clientId })
  expect((await platform.get('/v1/auth/oidc?tenant=other', { token: null })).status).toBe(404)
})

test.each([
  ['signed by another key', {}],
  ['for another audience', { aud: 'https://api.example/other' }],
  ['of an issuer nobody trusts', { iss: 'http://127.0.0.1:1' }],
])('a token %s is refused', async (_what, claims) => {
  const { generateKeyPair } = await import('jose')
  const { privateKey } = await generateKeyPair('ES256')
  const payload = { iss: issuer.issuer, aud: audience, sub: 'ada', ...claims }
  const token = await new SignJWT(payload)
    .setProtectedHeader({ alg: 'ES256' })
    .setExpirationTime('5m')
    .sign(privateKey)
  expect((await me(token)).status).toBe(401)
})

test('after the issuer has exchanged its keys, new tokens are accepted and old ones are not', async () => {
  const old = await issuer.signIn('ada')
  expect((await me(old)).status).toBe(200)
  await issuer.rotateKeys()
  const token = await issuer.signIn('ada')
  // The issuer is asked again for its keys, though not at each unknown one.
  await expect.poll(async () => (await me(token)).status, { timeout: 15_000, interval: 500 }).toBe(200)
  expect((await me(old)).status).toBe(401)
})

test('without the issuer the tenant signs in by password alone again', async () => {
  const token = await issuer.signIn('ada')
  await platform.patch('/v1/tenants/federated', { oidc: null })
  expect((await me(token)).status).toBe(401)
})
