import { generateKeyPair, SignJWT } from 'jose'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { audience, clientId, type OidcIssuer, startOidcIssuer } from '../../../test/harness/oidc-issuer.ts'
import { adminPassword, apiAt, logIn, type Platform, startPlatform } from '../../../test/harness/platform.ts'
import { connectRealtime } from '../../../test/harness/realtime.ts'

const otherAudience = 'https://api.example/other-tenant'

let platform: Platform
let issuer: OidcIssuer
beforeAll(async () => {
  platform = await startPlatform({ GANGWAY_OUTBOUND_ALLOW: 'loopback' })
  issuer = await startOidcIssuer({
    ada: { email: 'ada@example.com', verified: true },
    thief: { email: 'admin@federated.example', verified: false },
    unsaid: { email: 'admin@federated.example' },
    owner: { email: 'admin@federated.example', verified: true },
    squatter: { email: 'free@example.com', verified: false },
    stranger: { email: 'admin@other.example', verified: true },
  })
  await platform.makeTenant('federated')
  await platform.makeTenant('other')
  const oidc = { issuer: issuer.issuer, audience, clientId }
  await platform.patch('/v1/tenants/federated', { oidc })
  const otherOidc = { issuer: 'https://issuer.example', audience: otherAudience, clientId }
  await platform.patch('/v1/tenants/other', { oidc: otherOidc })
})
afterAll(async () => {
  await issuer[Symbol.asyncDispose]()
  await platform[Symbol.asyncDispose]()
})

const me = (token: string) => platform.get('/v1/auth/me', { token })

test('a user of the issuer signs in with PKCE and is created once, at the first sign-in, in that tenant', async () => {
  const token = await issuer.signIn('ada')
  const [first, second] = await Promise.all([me(token), me(token)])
  expect(first.body).toMatchObject({ email: 'ada@example.com', tenantId: 'federated' })
  expect(second.body).toEqual(first.body)
  expect((await me(await issuer.signIn('ada'))).body.id).toBe(first.body.id)
  expect((await platform.get('/v1/tenants', { token })).status).toBe(403)
})

test('a user without an email at the issuer has none in Gangway', async () => {
  expect((await me(await issuer.signIn('quiet'))).body).toMatchObject({ email: null, displayName: 'quiet' })
})

test('claims that the token lacks come from the userinfo endpoint', async () => {
  const token = await issuer.sign({ sub: 'ulla' })
  issuer.profiles.set(token, { sub: 'ulla', email: 'ulla@example.com', name: 'Ulla' })
  expect((await me(token)).body).toMatchObject({ email: 'ulla@example.com', displayName: 'Ulla' })
})

test('userinfo of another subject is not used', async () => {
  const token = await issuer.sign({ sub: 'swapped' })
  issuer.profiles.set(token, { sub: 'owner', email: 'admin@federated.example', email_verified: true })
  expect((await me(token)).body).toMatchObject({ email: null, displayName: 'swapped' })
})

test('an unauthenticated client can read the issuer of a tenant', async () => {
  const answer = await platform.get('/v1/auth/oidc?tenant=federated', { token: null })
  const authorizationEndpoint = `${issuer.issuer}/auth`
  expect(answer.body).toEqual({ issuer: issuer.issuer, audience, clientId, authorizationEndpoint })
  expect((await platform.get('/v1/auth/oidc?tenant=default', { token: null })).status).toBe(404)
})

const exchange = (grant: object, headers: Record<string, string> = {}) =>
  platform.post('/v1/auth/oidc', { tenant: 'federated', ...grant }, { token: null, headers })

test('the server exchanges a code for a sign-in of its own, once, which ends with the issuer of the tenant', async () => {
  const grant = await issuer.authorize('ada')
  const { status, body, headers } = await exchange({ ...grant, cookie: true })
  expect([status, Object.keys(body).toSorted()]).toEqual([200, ['accessToken', 'expiresIn', 'tokenType']])
  const [, cookie, seconds] = /(gangway_refresh=gwr_[^;]+);.*Max-Age=(\d+);/.exec(
    headers.getSetCookie().join('\n'),
  )!
  expect(Number(seconds)).toBeLessThanOrEqual(12 * 3600)
  const user = (await me(await issuer.signIn('ada'))).body
  expect((await me(body.accessToken)).body).toEqual(user)
  const refresh = await platform.post('/v1/auth/refresh', undefined, { headers: { cookie: cookie! } })
  expect([refresh.status, (await me(refresh.body.accessToken)).status]).toEqual([200, 200])
  expect(await exchange(grant)).toMatchObject({ status: 401, body: { error: 'unauthorized' } })
  const oidc = { issuer: issuer.issuer, audience, clientId }
  await platform.patch('/v1/tenants/federated', { oidc: null })
  expect((await me(refresh.body.accessToken)).status).toBe(401)
  await platform.patch('/v1/tenants/federated', { oidc })
})

test.each([
  ['a wrong verifier', { codeVerifier: 'x'.repeat(43) }],
  ['another address to lead back to', { redirectUri: 'https://evil.example/' }],
  ['an unknown code', { code: 'unknown' }],
])('a code with %s is refused', async (_what, change) => {
  const { status, body } = await exchange({ ...(await issuer.authorize('quiet')), ...change })
  expect([status, body.message]).toEqual([401, expect.stringContaining('invalid_grant')])
})

test('a disabled user of the issuer is not signed in; nor is one of a tenant without an issuer', async () => {
  const { body: user } = await me(await issuer.signIn('quiet'))
  await platform.ctx.db
    .updateTable('users')
    .set({ disabled_at: new Date() })
    .where('id', '=', user.id)
    .execute()
  expect((await exchange(await issuer.authorize('quiet'))).status).toBe(401)
  expect((await exchange({ ...(await issuer.authorize('ada')), tenant: 'default' })).status).toBe(404)
})

test('an issuer that does not answer is a 502, and its endpoint is unknown', async () => {
  const found = await platform.get('/v1/auth/oidc?tenant=other', { token: null })
  expect([found.status, found.body.authorizationEndpoint]).toEqual([200, null])
  const answer = await exchange({ ...(await issuer.authorize('ada')), tenant: 'other' })
  expect([answer.status, answer.body.error]).toEqual([502, 'provider_unavailable'])
})

test('a token is linked to the user with its email only if the issuer says that the email is verified', async () => {
  for (const user of ['thief', 'unsaid']) {
    const { body } = await me(await issuer.signIn(user))
    expect(body).toMatchObject({ email: 'admin@federated.example', displayName: 'admin@federated.example' })
  }
  expect((await me(await issuer.signIn('owner'))).body.displayName).toBe('Admin')
})

test('an unverified email stays available to its owner', async () => {
  const squatter = (await me(await issuer.signIn('squatter'))).body
  const { status, body } = await platform.post('/v1/users', {
    displayName: 'Real owner',
    email: 'free@example.com',
    password: adminPassword,
  })
  expect(status).toBe(201)
  expect(body.id).not.toBe(squatter.id)
  const token = await logIn(apiAt(platform.url), 'free@example.com', adminPassword)
  expect((await me(token)).body.id).toBe(body.id)
})

test('a verified email of a user of another tenant stays with that user', async () => {
  const { body } = await me(await issuer.signIn('stranger'))
  expect(body).toMatchObject({ email: 'admin@other.example', tenantId: 'federated' })
  const token = await logIn(apiAt(platform.url), 'admin@other.example', adminPassword)
  expect((await me(token)).body).toMatchObject({ tenantId: 'other' })
})

test('a token signed with the key of the issuer is accepted', async () => {
  expect((await me(await issuer.sign({ sub: 'ada' }))).body.email).toBe('ada@example.com')
})

test.each([
  ['for another audience', { aud: 'https://api.example/other' }],
  ['for no audience', { aud: undefined }],
  ['for the audience of a tenant with another issuer', { aud: otherAudience }],
  ['that has expired', { exp: Math.floor(Date.now() / 1000) - 3600 }],
  ['without a subject', { sub: undefined }],
  ['of an issuer that no tenant trusts', { iss: 'http://127.0.0.1:1' }],
])('a token %s is refused', async (_what, claims) => {
  expect((await me(await issuer.sign({ sub: 'ada', ...claims }))).status).toBe(401)
})

test('a token signed with another key is refused', async () => {
  const { privateKey } = await generateKeyPair('ES256')
  const token = await new SignJWT({ iss: issuer.issuer, aud: audience, sub: 'ada' })
    .setProtectedHeader({ alg: 'ES256' })
    .setExpirationTime('5m')
    .sign(privateKey)
  expect((await me(token)).status).toBe(401)
})

test('tenants that share an issuer are distinguished by the audience', async () => {
  const sharing = { issuer: issuer.issuer, audience: 'https://api.example/sharing', clientId }
  await platform.makeTenant('sharing')
  await platform.patch('/v1/tenants/sharing', { oidc: sharing })
  const ofSharing = await me(await issuer.sign({ sub: 'ada', aud: sharing.audience }))
  expect(ofSharing.body.tenantId).toBe('sharing')
  expect((await me(await issuer.sign({ sub: 'ada' }))).body.tenantId).toBe('federated')
})

test('after the issuer has rotated its keys, new tokens are accepted and old ones are refused', async () => {
  const old = await issuer.signIn('ada')
  expect((await me(old)).status).toBe(200)
  await issuer.rotateKeys()
  const token = await issuer.signIn('ada')
  // The keys of the issuer are fetched again, but not for each unknown key.
  await expect.poll(async () => (await me(token)).status, { interval: 500 }).toBe(200)
  expect((await me(old)).status).toBe(401)
})

test('a real-time connection of an OIDC user ends when the token expires', async () => {
  // Expired tokens are accepted for another minute.
  const exp = Math.floor(Date.now() / 1000) - 57
  const client = await connectRealtime(platform, undefined, { token: await issuer.sign({ sub: 'ada', exp }) })
  expect((await client.closed).code).toBe(1008)
})

test('without the issuer the tenant signs in by password alone again', async () => {
  const token = await issuer.signIn('ada')
  await platform.patch('/v1/tenants/federated', { oidc: null })
  expect((await me(token)).status).toBe(401)
})
