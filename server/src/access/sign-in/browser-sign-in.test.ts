import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { adminPassword, apiAt, type Platform, startPlatform } from '../../../test/harness/platform.ts'
import { makeUser } from '../../../test/harness/users.ts'

let platform: Platform
let browser: ReturnType<typeof openBrowser>
let email: string
beforeAll(async () => {
  platform = await startPlatform()
  ;({ email } = await makeUser(platform))
})
beforeEach(() => void (browser = openBrowser()))
afterAll(() => platform[Symbol.asyncDispose]())

const me = async (token: string) => (await platform.get('/v1/auth/me', { token })).status

/** Keeps cookies as a browser does; all its pages share them. */
function openBrowser() {
  let cookie: string | undefined
  const send = (path: string, body?: unknown, headers: Record<string, string> = {}) =>
    apiAt(platform.url)('POST', path, body, { headers: { ...(cookie && { cookie }), ...headers } })
  const receive = (answer: Awaited<ReturnType<typeof send>>) => {
    const line = answer.headers.getSetCookie().find((text) => text.startsWith('gangway_refresh='))
    if (line !== undefined) cookie = /Max-Age=0;/.test(line) ? undefined : line.split(';')[0]
    return answer
  }
  return {
    /** Without keeping the cookies of the answer, which the browser did not receive. */
    send,
    receive,
    post: async (...request: Parameters<typeof send>) => receive(await send(...request)),
    logIn: async () =>
      receive(await send('/v1/auth/login', { username: email, password: adminPassword, cookie: true })),
    refresh: async (headers = {}) => receive(await send('/v1/auth/refresh', undefined, headers)),
    get cookie() {
      return cookie
    },
    set cookie(value) {
      cookie = value
    },
  }
}

test('a sign-in with a cookie has no refresh token in its body', async () => {
  const { status, body, headers } = await browser.logIn()
  expect([status, Object.keys(body).toSorted()]).toEqual([200, ['accessToken', 'expiresIn', 'tokenType']])
  expect(headers.getSetCookie()).toContainEqual(
    expect.stringMatching(
      /^gangway_refresh=gwr_[\w-]{43}; Path=\/v1\/auth; Max-Age=2592000; HttpOnly; SameSite=Strict$/,
    ),
  )
  const refreshed = await browser.refresh()
  expect([refreshed.status, refreshed.body.refreshToken]).toEqual([200, undefined])
  expect(await me(refreshed.body.accessToken)).toBe(200)
})

test('behind a proxy with https the cookie is sent over https alone', async () => {
  await using behindProxy = await startPlatform({ GANGWAY_TRUST_PROXY: '127.0.0.1' })
  const credentials = { username: 'admin@example.com', password: adminPassword, cookie: true }
  const headers = { 'x-forwarded-proto': 'https' }
  const answer = await behindProxy.post('/v1/auth/login', credentials, { headers })
  expect(answer.headers.getSetCookie()).toHaveLength(2)
  for (const cookie of answer.headers.getSetCookie()) expect(cookie).toMatch(/; Secure$/)
})

test('without `cookie` the answer has the refresh token, and no cookie', async () => {
  const { body, headers } = await browser.post('/v1/auth/login', { username: email, password: adminPassword })
  expect(body.refreshToken).toMatch(/^gwr_/)
  expect(headers.getSetCookie().join()).not.toContain('gangway_refresh')
  const without = await browser.refresh()
  expect([without.status, without.body.error]).toEqual([401, 'unauthorized'])
})

test('of two tabs with the same cookie both get tokens, and whichever cookie is kept goes on', async () => {
  for (const kept of [0, 1]) {
    await browser.logIn()
    const answers = await Promise.all([browser.send('/v1/auth/refresh'), browser.send('/v1/auth/refresh')])
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    browser.receive(answers[kept]!)
    const next = await browser.refresh()
    expect([next.status, (await browser.refresh()).status]).toEqual([200, 200])
  }
})

test('an answer that was lost is repeated once', async () => {
  await browser.logIn()
  expect((await browser.send('/v1/auth/refresh')).status).toBe(200)
  expect((await browser.send('/v1/auth/refresh')).status).toBe(200)
  const third = await browser.refresh()
  expect([third.status, browser.cookie]).toEqual([401, undefined])
})

test('an answer that was lost long ago ends the sign-in', async () => {
  const { body } = await browser.logIn()
  await browser.send('/v1/auth/refresh')
  await platform.ctx.pool.query("update refresh_tokens set used_at = used_at - interval '31 seconds'")
  expect((await browser.refresh()).status).toBe(401)
  expect(await me(body.accessToken)).toBe(401)
})

test('a token whose successor was used was stolen: the sign-in ends for thief and owner', async () => {
  await browser.logIn()
  const thief = openBrowser()
  thief.cookie = browser.cookie
  await browser.refresh()
  const { body } = await browser.refresh()
  expect((await thief.refresh()).status).toBe(401)
  expect([await me(body.accessToken), (await browser.refresh()).status]).toEqual([401, 401])
})

test('a thief who is faster than the owner is found out by the next renewal of either', async () => {
  for (const [first, second] of [
    ['owner', 'thief'],
    ['thief', 'owner'],
  ] as const) {
    await browser.logIn()
    const thief = openBrowser()
    thief.cookie = browser.cookie
    const browsers = { owner: browser, thief }
    await thief.refresh()
    await browser.refresh()
    const { status, body } = await browsers[first].refresh()
    expect([status, (await browsers[second].refresh()).status]).toEqual([200, 401])
    expect(await me(body.accessToken)).toBe(401)
  }
})

test('a refresh token in the body is accepted once, however soon', async () => {
  const { body } = await browser.post('/v1/auth/login', { username: email, password: adminPassword })
  const { refreshToken } = body
  expect((await browser.post('/v1/auth/refresh', { refreshToken })).status).toBe(200)
  expect((await browser.post('/v1/auth/refresh', { refreshToken })).status).toBe(401)
})

test.each([
  ['another site', { 'sec-fetch-site': 'cross-site' }],
  ['a sibling host', { 'sec-fetch-site': 'same-site' }],
  ['the address bar', { 'sec-fetch-site': 'none' }],
  ['another origin', { origin: 'https://other.example' }],
  ['another port', { origin: 'http://127.0.0.1:1' }],
  ['a sandboxed frame', { origin: 'null' }],
])('the cookie is refused from %s', async (_where, headers: Record<string, string>) => {
  const credentials = { username: email, password: adminPassword, cookie: true }
  const refused = await browser.post('/v1/auth/login', credentials, headers)
  expect([refused.status, refused.body.error, refused.headers.getSetCookie()]).toEqual([403, 'forbidden', []])
  await browser.logIn()
  expect((await browser.refresh(headers)).status).toBe(403)
  expect((await browser.post('/v1/auth/logout', undefined, headers)).status).toBe(403)
  // The refused request did not use up the refresh token.
  expect((await browser.refresh()).status).toBe(200)
})

test('the cookie is accepted from pages of this server', async () => {
  await browser.logIn()
  for (const headers of [{ 'sec-fetch-site': 'same-origin' }, { origin: platform.url }])
    expect((await browser.refresh(headers)).status).toBe(200)
})

test('logout ends the sign-in of the cookie and deletes the cookie', async () => {
  const { body } = await browser.logIn()
  const { cookie } = browser
  const answer = await browser.post('/v1/auth/logout')
  expect([answer.status, browser.cookie, await me(body.accessToken)]).toEqual([204, undefined, 401])
  browser.cookie = cookie
  expect((await browser.refresh()).status).toBe(401)
})

test('logout everywhere ends all sign-ins of the user and no others', async () => {
  const other = openBrowser()
  const tokens = [(await browser.logIn()).body.accessToken, (await other.logIn()).body.accessToken]
  expect((await browser.post('/v1/auth/logout', { everywhere: true })).status).toBe(204)
  expect(await Promise.all(tokens.map(me))).toEqual([401, 401])
  expect((await other.refresh()).status).toBe(401)
  expect(await me(platform.adminToken)).toBe(200)
  // A cookie of an ended sign-in must not say that the others have ended.
  browser.cookie = 'gangway_refresh=gwr_unknown'
  expect((await browser.post('/v1/auth/logout', { everywhere: true })).status).toBe(401)
})
