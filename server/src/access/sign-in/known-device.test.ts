import { afterAll, beforeAll, expect, test } from 'vitest'
import { adminPassword, type Platform, startPlatform } from '../../../test/harness/platform.ts'
import { makeUser } from '../../../test/harness/users.ts'

let platform: Platform
beforeAll(async () => {
  platform = await startPlatform({ GANGWAY_TRUST_PROXY: '1' })
})
afterAll(() => platform[Symbol.asyncDispose]())

const logIn = (email: string, from: string, headers = {}) =>
  platform.post(
    '/v1/auth/login',
    { username: email, password: adminPassword },
    { token: null, headers: { 'x-forwarded-for': from, ...headers } },
  )
const readCookie = ({ headers }: { headers: Headers }) => headers.getSetCookie()[0]!

/** Simulates guesses at the account from many networks for the next hour. */
async function putUnderAttack(email: string) {
  const attack = { failures: 1000, last_failure_at: new Date(Date.now() + 3_600_000) }
  await platform.ctx.db
    .insertInto('login_failures')
    .values({ key: `account:${email}`, ...attack })
    .onConflict((oc) => oc.column('key').doUpdateSet(attack))
    .execute()
}

test('while others guess the password of an account, its owner can sign in from a known browser or network', async () => {
  const { email } = await makeUser(platform)
  const cookie = readCookie(await logIn(email, '203.0.113.7'))
  expect(cookie).toMatch(/^gangway_device=[^;]+; Path=\/; Max-Age=31536000; HttpOnly; SameSite=Strict$/)
  await putUnderAttack(email)
  expect((await logIn(email, '203.0.113.8')).status).toBe(429)
  expect((await logIn(email, '203.0.113.7')).status).toBe(200)
  const known = await logIn(email, '203.0.113.9', { cookie: `theme=dark; ${cookie.split(';')[0]}` })
  expect(known.status).toBe(200)
  // A browser that has its cookie does not receive another.
  expect(known.headers.getSetCookie()).toEqual([])
})

test('the cookie of another account and a forged one are ignored', async () => {
  const [victim, other] = [await makeUser(platform), await makeUser(platform)]
  const cookie = readCookie(await logIn(other.email, '203.0.113.20')).split(';')[0]!
  await putUnderAttack(victim.email)
  const signed = cookie.split('.')
  const forged = [signed[0], signed[1], 'A'.repeat(86)].join('.')
  for (const header of [cookie, forged, 'gangway_device=x', 'gangway_device='])
    expect((await logIn(victim.email, '203.0.113.21', { cookie: header })).status).toBe(429)
})

test('the cookie alone does not sign in, and one that was set over TLS is sent over TLS only', async () => {
  const { email } = await makeUser(platform)
  const [cookie, ...attributes] = readCookie(
    await logIn(email, '203.0.113.30', { 'x-forwarded-proto': 'https' }),
  ).split('; ') as [string, ...string[]]
  expect(attributes).toContain('Secure')
  const token = cookie.split('=')[1]!
  expect((await platform.get('/v1/auth/me', { token })).status).toBe(401)
  expect((await platform.get('/v1/auth/me', { token: null, headers: { cookie } })).status).toBe(401)
})

const guess = async (from: string) => {
  const wrong = { username: 'nobody@example.com', password: 'wrong password' }
  const options = { token: null, headers: { 'x-forwarded-for': from } }
  return (await platform.post('/v1/auth/login', wrong, options)).status
}

/** Five guesses are free. Then the pauses last for hours, so that none ends before the next guess. */
async function useUpFreeGuesses(addresses: string[]) {
  expect(addresses).toHaveLength(5)
  for (const address of addresses) expect(await guess(address)).toBe(401)
  const later = new Date(Date.now() + 3_600_000)
  await platform.ctx.db.updateTable('login_failures').set({ last_failure_at: later }).execute()
}

test('addresses of one IPv6 /64 count as one network', async () => {
  await useUpFreeGuesses([1, 2, 3, 4, 5].map((index) => `2001:db8::${index}`))
  expect(await guess('2001:db8:0:0:f::6')).toBe(429)
  expect(await guess('2001:db8:0:1::6')).toBe(401)
})

test('behind one proxy only the address that the proxy adds counts', async () => {
  await useUpFreeGuesses([1, 2, 3, 4, 5].map((index) => `10.0.0.${index}, 203.0.113.40`))
  expect(await guess('10.0.0.6, 203.0.113.40')).toBe(429)
  expect(await guess('10.0.0.6, 203.0.113.41')).toBe(401)
})
