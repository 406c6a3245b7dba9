import {
  createRemoteJWKSet,
  type CryptoKey,
  decodeJwt,
  decodeProtectedHeader,
  generateKeyPair,
  jwtVerify,
  SignJWT,
} from 'jose'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { adminPassword, type Platform, startPlatform } from '../../../test/harness/platform.ts'

let platform: Platform
beforeAll(async () => {
  platform = await startPlatform()
})
afterAll(() => platform[Symbol.asyncDispose]())

const credentials = { username: 'admin@example.com', password: adminPassword }
const logIn = async () => (await platform.post('/v1/auth/login', credentials, { token: null })).body
const me = (token: string) => platform.get('/v1/auth/me', { token })

test('login answers tokens that the published keys verify', async () => {
  const tokens = await logIn()
  expect(tokens).toEqual({
    accessToken: expect.any(String),
    tokenType: 'Bearer',
    expiresIn: 3600,
    refreshToken: expect.any(String),
  })
  const keys = createRemoteJWKSet(new URL('/.well-known/jwks.json', platform.url))
  const { payload } = await jwtVerify(tokens.accessToken, keys)
  expect(Object.keys(payload).toSorted()).toEqual(['aud', 'exp', 'iat', 'iss', 'jti', 'sub', 'tid'])
  expect(payload.tid).toBe('default')
  expect((await me(tokens.accessToken)).body.email).toBe('admin@example.com')
})

test('a refresh token works once; used again, it ends its whole sign-in and no other one', async () => {
  const [first, other] = [await logIn(), await logIn()]
  const second = (await platform.post('/v1/auth/refresh', { refreshToken: first.refreshToken })).body
  expect((await me(second.accessToken)).status).toBe(200)
  expect((await platform.post('/v1/auth/refresh', { refreshToken: first.refreshToken })).status).toBe(401)
  expect((await platform.post('/v1/auth/refresh', { refreshToken: second.refreshToken })).status).toBe(401)
  expect((await me(second.accessToken)).status).toBe(401)
  expect((await platform.post('/v1/auth/refresh', { refreshToken: other.refreshToken })).status).toBe(200)
})

test('of concurrent requests with one refresh token exactly one receives tokens', async () => {
  const { refreshToken } = await logIn()
  const answers = await Promise.all(
    Array.from({ length: 10 }, () => platform.post('/v1/auth/refresh', { refreshToken })),
  )
  expect(answers.filter((answer) => answer.status === 200)).toHaveLength(1)
})

test('logout ends the refresh token and the access token', async () => {
  const tokens = await logIn()
  expect((await platform.post('/v1/auth/logout', { refreshToken: tokens.refreshToken })).status).toBe(204)
  expect((await platform.post('/v1/auth/refresh', { refreshToken: tokens.refreshToken })).status).toBe(401)
  expect((await me(tokens.accessToken)).status).toBe(401)
})

test('logout with only the access token ends that sign-in, and no other one', async () => {
  const [one, other] = [await logIn(), await logIn()]
  const answer = await platform.post('/v1/auth/logout', undefined, { token: one.accessToken })
  expect(answer.status).toBe(204)
  expect((await me(one.accessToken)).status).toBe(401)
  expect((await platform.post('/v1/auth/refresh', { refreshToken: one.refreshToken })).status).toBe(401)
  expect((await me(other.accessToken)).status).toBe(200)
  // An empty object is not a refresh token either.
  expect((await platform.post('/v1/auth/logout', {}, { token: other.accessToken })).status).toBe(204)
  expect((await me(other.accessToken)).status).toBe(401)
})

test('logout without a token is refused, and so is one with an API token', async () => {
  expect((await platform.post('/v1/auth/logout', undefined, { token: null })).status).toBe(401)
  const apiToken = (await platform.post('/v1/api-tokens', { displayName: 'automation' })).body.token
  const answer = await platform.post('/v1/auth/logout', undefined, { token: apiToken })
  expect([answer.status, answer.body.error]).toEqual([409, 'conflict'])
  expect(answer.body.message).toContain('DELETE /v1/api-tokens/{tokenId}')
  expect((await me(apiToken)).status).toBe(200)
})

test('a wrong password and an unknown account have the same answer and are slowed down; the right password from another address is accepted', async () => {
  const attempt = (username: string, password: string) =>
    platform.post('/v1/auth/login', { username, password }, { token: null })
  const wrong = await attempt(credentials.username, 'wrong password')
  const unknown = await attempt('nobody@example.com', 'wrong password')
  expect([wrong.status, wrong.body]).toEqual([401, unknown.body])
  for (let index = 0; index < 8; index++) await attempt('nobody@example.com', 'wrong password')
  const slowed = await attempt('nobody@example.com', 'wrong password')
  expect([slowed.status, slowed.body.error]).toEqual([429, 'rate_limited'])
  expect(Number(slowed.headers.get('retry-after'))).toBeGreaterThan(0)
  expect((await attempt(credentials.username, credentials.password)).status).toBe(200)
})

test.each([
  ['nonsense', async () => 'nonsense'],
  ['a changed signature', async () => `${(await logIn()).accessToken.slice(0, -4)}AAAA`],
  ['alg none', async () => unsigned((await logIn()).accessToken)],
  ['the key of another user', async () => signAgain((await logIn()).accessToken, await otherKey())],
  ['a shared secret as its key', async () => signAgain((await logIn()).accessToken, new Uint8Array(32))],
  [
    'the published key as a shared secret',
    async () => signAgain((await logIn()).accessToken, await publishedKey()),
  ],
])('a token with %s is refused', async (_what, make) => {
  expect((await me(await make())).status).toBe(401)
})

function unsigned(token: string) {
  const header = Buffer.from(JSON.stringify({ alg: 'none', typ: 'JWT' })).toString('base64url')
  return `${header}.${token.split('.')[1]}.`
}

/** The same claims under the same key id, by the algorithm that fits the key. */
const signAgain = (token: string, key: CryptoKey | Uint8Array) =>
  new SignJWT(decodeJwt(token))
    .setProtectedHeader({
      ...decodeProtectedHeader(token),
      alg: key instanceof Uint8Array ? 'HS256' : 'ES256',
    })
    .sign(key)

const otherKey = async () => (await generateKeyPair('ES256')).privateKey

async function publishedKey() {
  const { body } = await platform.get('/.well-known/jwks.json')
  return Buffer.from(JSON.stringify(body.keys[0]))
}
