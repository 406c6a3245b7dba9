import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Platform, startPlatform } from '../../../test/harness/platform.ts'
import { type Attempt, createPasswordCheck } from './throttle.ts'

let platform: Platform
beforeAll(async () => {
  platform = await startPlatform()
})
afterAll(() => platform[Symbol.asyncDispose]())

const FREE_PER_ACCOUNT = 5
const FREE_PER_ADDRESS = 50
const FREE_OVER_ALL_NETWORKS = 100

const createCheck = (now?: () => Date) => {
  const check = createPasswordCheck(platform.ctx.db, now)
  return (attempt: Attempt, isRight: () => Promise<boolean>) =>
    check(attempt.network, async () => ({ attempt, isRight }))
}

const countFailures = async (key: string) =>
  (await platform.ctx.db.selectFrom('login_failures').selectAll().where('key', '=', key).executeTakeFirst())
    ?.failures

/** Guesses as if on separate nodes, while no pause ends. @returns the number of passwords that were checked */
async function guessAtOnce(
  attempts: { email: string; network: string }[],
  present = new Date(),
): Promise<number> {
  let looks = 0
  const checks = attempts.map(async (attempt) =>
    createCheck(() => present)(attempt, async () => {
      looks++
      return false
    }),
  )
  for (const check of await Promise.allSettled(checks))
    if (check.status === 'rejected') expect(check.reason).toMatchObject({ code: 'rate_limited' })
  return looks
}

test('a hundred concurrent guesses are checked no more often than sequential ones [docs/sign-in#wrong-passwords]', async () => {
  const started = Date.now()
  const logins = Array.from({ length: 100 }, (_, index) =>
    platform.post(
      '/v1/auth/login',
      { username: 'many@example.com', password: `guess ${index}` },
      { token: null },
    ),
  )
  const answers = await Promise.all(logins)
  const looked = answers.filter(({ status }) => status === 401).length
  const refused = answers.filter(({ status }) => status === 429)
  // The first pause is one second, the next is two.
  const free = FREE_PER_ACCOUNT + Math.floor((Date.now() - started) / 1000)
  expect(looked).toBeGreaterThanOrEqual(FREE_PER_ACCOUNT)
  expect(looked).toBeLessThanOrEqual(free)
  expect(looked + refused.length).toBe(100)
  for (const { headers } of refused) expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
})

test('several nodes together check no more guesses than one would', async () => {
  const attempt = { email: 'spread@example.com', network: '192.0.2.1' }
  expect(await guessAtOnce(Array.from({ length: 100 }, () => attempt))).toBe(FREE_PER_ACCOUNT)
  expect(await countFailures('account:spread@example.com@192.0.2.1')).toBe(FREE_PER_ACCOUNT)
  // A refused request does not count as a guess, also not of its address.
  expect(await countFailures('address:192.0.2.1')).toBe(FREE_PER_ACCOUNT)
})

test('one address that guesses the passwords of many accounts at once is slowed down too', async () => {
  const attempts = Array.from({ length: 100 }, (_, index) => ({
    email: `person-${index}@example.com`,
    network: '192.0.2.2',
  }))
  expect(await guessAtOnce(attempts)).toBe(FREE_PER_ADDRESS)
})

test('concurrent right passwords are all accepted and not counted', async () => {
  const check = createCheck()
  const attempt = { email: 'busy@example.com', network: '192.0.2.3' }
  await check(attempt, async () => false)
  const answers = await Promise.all(Array.from({ length: 60 }, () => check(attempt, async () => true)))
  expect(answers).toEqual(Array.from({ length: 60 }, () => true))
  expect(await countFailures('account:busy@example.com@192.0.2.3')).toBe(undefined)
  expect(await countFailures('address:192.0.2.3')).toBe(1)
})

test('a right password does not restart the pause of its address', async () => {
  const { db } = platform.ctx
  const network = '192.0.2.4'
  const lastFailure = new Date(Date.now() - 60_000)
  const key = `address:${network}`
  // Its pause of 32 seconds is over.
  await db.insertInto('login_failures').values({ key, failures: 55, last_failure_at: lastFailure }).execute()
  const check = createCheck()
  for (const email of ['one@example.com', 'two@example.com'])
    expect(await check({ email, network }, async () => true)).toBe(true)
  expect(await check({ email: 'three@example.com', network }, async () => false)).toBe(false)
  await expect(check({ email: 'four@example.com', network }, async () => true)).rejects.toMatchObject({
    code: 'rate_limited',
  })
  expect(await countFailures(key)).toBe(56)
})

test('guesses from many networks reach a limit of the account', async () => {
  const present = new Date()
  const check = createCheck(() => present)
  const attempts = Array.from({ length: 150 }, (_, index) => ({
    email: 'Target@example.com',
    network: `198.51.100.${index}`,
  }))
  expect(await guessAtOnce(attempts, present)).toBe(FREE_OVER_ALL_NETWORKS)
  const stranger = { email: 'target@example.com', network: '203.0.113.1' }
  await expect(check(stranger, async () => true)).rejects.toMatchObject({ code: 'rate_limited' })
  // A known browser, a known network and other accounts are not delayed.
  expect(await check({ ...stranger, knownDevice: 'browser' }, async () => true)).toBe(true)
  expect(await check({ ...stranger, isKnownNetwork: true }, async () => true)).toBe(true)
  expect(await check({ ...stranger, email: 'other@example.com' }, async () => true)).toBe(true)
})

test('the pause of that limit is at most a minute, and a right password removes only its own guess', async () => {
  const { db } = platform.ctx
  const key = 'account:long@example.com'
  const attempt = { email: 'long@example.com', network: '203.0.113.2' }
  const failedAt = (secondsAgo: number) => ({
    key,
    failures: FREE_OVER_ALL_NETWORKS + 50,
    last_failure_at: new Date(Date.now() - secondsAgo * 1000),
  })
  await db.insertInto('login_failures').values(failedAt(50)).execute()
  const check = createCheck()
  await expect(check(attempt, async () => true)).rejects.toMatchObject({ code: 'rate_limited' })
  await db.updateTable('login_failures').set(failedAt(61)).where('key', '=', key).execute()
  expect(await check(attempt, async () => true)).toBe(true)
  expect(await countFailures(key)).toBe(FREE_OVER_ALL_NETWORKS + 50)
  // For the next guess, from any address, the pause has ended as before.
  expect(await check({ ...attempt, network: '203.0.113.3' }, async () => true)).toBe(true)
})

test('a known browser can guess no faster than an unknown one', async () => {
  const attempt = { email: 'known@example.com', network: '203.0.113.4', knownDevice: 'browser' }
  expect(await guessAtOnce(Array.from({ length: 20 }, () => attempt))).toBe(FREE_PER_ACCOUNT)
})

test('sign-ins of one network beyond the queue limit are refused without a database query', async () => {
  const check = createPasswordCheck(platform.ctx.db)
  let prepared = 0
  let release = () => {}
  const held = new Promise<void>((resolve) => (release = resolve))
  const signIn = (network: string) =>
    check(network, async () => {
      prepared++
      await held
      return { attempt: { email: `${prepared}@example.com`, network }, isRight: async () => true }
    })
  const outcomes = Promise.allSettled(Array.from({ length: 300 }, () => signIn('203.0.113.5')))
  const other = signIn('203.0.113.6')
  await expect(signIn('203.0.113.5')).rejects.toMatchObject({ code: 'rate_limited', retryAfterSeconds: 3 })
  const running = prepared
  expect(running).toBeLessThanOrEqual(4)
  release()
  expect(await other).toBe(true)
  const refused = (await outcomes).filter(({ status }) => status === 'rejected')
  expect(refused).toHaveLength(300 - 100 - running)
})
