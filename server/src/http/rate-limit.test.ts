import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestDatabase, testDatabase } from '../../test/harness/database.ts'
import { createRateLimiter } from './rate-limit.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await testDatabase()
})
afterAll(() => database[Symbol.asyncDispose]())

const LIMIT = 1000
const hour = 3600 * 480_000

async function takeAll(limiters: ReturnType<typeof createRateLimiter>[], key: string, attempts: number) {
  const answers = await Promise.all(
    Array.from({ length: attempts }, (_, index) => limiters[index % limiters.length]!.take(key, LIMIT)),
  )
  return answers.filter((answer) => answer.allowed).length
}

test('counts down by one and returns the end of the window', async () => {
  const limiter = createRateLimiter(database.pool, () => hour + 60)
  const first = await limiter.take('one', LIMIT)
  expect(first).toEqual({ allowed: true, limit: LIMIT, remaining: LIMIT - 1, resetSeconds: hour + 3600 })
  for (let remaining = LIMIT - 2; remaining >= 0; remaining--)
    expect((await limiter.take('one', LIMIT)).remaining).toBe(remaining)
  expect(await limiter.take('one', LIMIT)).toMatchObject({ allowed: false, remaining: 0 })
})

// Each of them alone could use the whole limit, so that no node keeps an unused share.
test('several nodes together admit exactly the limit', async () => {
  const limiters = [1, 2, 3].map(() => createRateLimiter(database.pool, () => hour))
  expect(await takeAll(limiters, 'shared', 3 * LIMIT)).toBe(LIMIT)
})

test('a restart neither loses nor adds requests', async () => {
  let passed = 0
  for (let restart = 0; restart < 30; restart++) {
    await using limiter = createRateLimiter(database.pool, () => hour)
    passed += await takeAll([limiter], 'restarted', 50)
  }
  expect(passed).toBe(LIMIT)
})

test('a new hour resets the count, and a higher limit applies at once', async () => {
  let now = hour
  const limiter = createRateLimiter(database.pool, () => now)
  expect(await takeAll([limiter], 'hours', 1500)).toBe(LIMIT)
  expect((await limiter.take('hours', 10 * LIMIT)).allowed).toBe(true)
  now += 3600
  expect(await limiter.take('hours', LIMIT)).toMatchObject({ allowed: true, remaining: LIMIT - 1 })
})

test('needs far fewer writes than requests', async () => {
  let queries = 0
  const counting = Object.assign(Object.create(database.pool), {
    query: (...parameters: [never]) => (queries++, database.pool.query(...parameters)),
  })
  await takeAll([createRateLimiter(counting, () => hour)], 'writes', LIMIT)
  expect(queries).toBeLessThan(LIMIT / 5)
})
