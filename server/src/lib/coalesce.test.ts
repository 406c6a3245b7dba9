import { expect, onTestFinished, test, vi } from 'vitest'
import { coalesce } from './coalesce.ts'

const tick = () => new Promise((resolve) => setImmediate(resolve))

test('concurrent calls are sent in one batch, and each gets its own answer', async () => {
  const batches: number[][] = []
  const double = coalesce(
    async (keys: number[]) => {
      batches.push(keys)
      return keys.map((key) => key * 2)
    },
    { maxBatch: 100, concurrency: 1 },
  )
  expect(await Promise.all([double(1), double(2), double(3)])).toEqual([2, 4, 6])
  expect(batches).toEqual([[1, 2, 3]])
})

test('the number and size of concurrent batches are bounded, and no call is left out', async () => {
  let running = 0
  let most = 0
  const sizes: number[] = []
  const echo = coalesce(
    async (keys: number[]) => {
      most = Math.max(most, ++running)
      sizes.push(keys.length)
      for (let turns = 0; turns < 5; turns++) await tick()
      running--
      return keys
    },
    { maxBatch: 7, concurrency: 2 },
  )
  const keys = Array.from({ length: 100 }, (_, index) => index)
  expect(await Promise.all(keys.map(echo))).toEqual(keys)
  expect(most).toBe(2)
  expect(Math.max(...sizes)).toBe(7)
})

test('a batch that fails fails its own callers, and the next one runs', async () => {
  let fail = true
  const flaky = coalesce(
    async (keys: number[]) => {
      if (fail) throw new Error('down')
      return keys
    },
    { maxBatch: 10, concurrency: 1 },
  )
  await expect(Promise.all([flaky(1), flaky(2)])).rejects.toThrow('down')
  fail = false
  expect(await flaky(3)).toBe(3)
})

test('a batch waits as long as each turn of the event loop adds calls, and no longer', async () => {
  const sizes: number[] = []
  const echo = coalesce(
    async (keys: number[]) => {
      sizes.push(keys.length)
      return keys
    },
    { maxBatch: 4, concurrency: 1, gathers: true },
  )
  const answers = [echo(0)]
  for (let key = 1; key <= 2; key++) {
    await tick()
    answers.push(echo(key))
  }
  expect(await Promise.all(answers)).toEqual([0, 1, 2])
  expect(sizes).toEqual([3])
  const wave = Array.from({ length: 9 }, (_, key) => echo(key))
  await Promise.all(wave)
  expect(sizes).toEqual([3, 4, 4, 1])
})

test('with a spacing the first call starts at once, and those that follow wait together', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const sizes: number[] = []
  const echo = coalesce(
    async (keys: number[]) => {
      sizes.push(keys.length)
      return keys
    },
    { maxBatch: 4, concurrency: 2, spacingMs: 50 },
  )
  expect(await echo(0)).toBe(0)
  const answers = [echo(1)]
  for (let key = 2; key <= 3; key++) {
    await tick()
    answers.push(echo(key))
  }
  vi.advanceTimersByTime(49)
  expect(sizes).toEqual([1])
  vi.advanceTimersByTime(1)
  expect(await Promise.all(answers)).toEqual([1, 2, 3])
  expect(sizes).toEqual([1, 3])
})
