import { expect, test } from 'vitest'
import { createFairQueue } from './fair-queue.ts'

const createQueue = (concurrency: number, maxWaiting = Infinity) =>
  createFairQueue({ concurrency, maxWaiting, refuse: () => new Error('too many wait') })

test('callers take turns, however many tasks one of them adds', async () => {
  const inTurn = createQueue(1)
  const order: string[] = []
  const ask = (asker: string) => inTurn(asker, async () => void order.push(asker))
  await Promise.all(['a', 'a', 'a', 'a', 'b', 'b', 'c'].map(ask))
  expect(order.join('')).toBe('aabcaba')
})

test('concurrency is bounded, and a failure releases its slot', async () => {
  const inTurn = createQueue(2)
  let running = 0
  let most = 0
  const work = Array.from({ length: 9 }, (_, index) =>
    inTurn(`asker ${index % 2}`, async () => {
      most = Math.max(most, ++running)
      await Promise.resolve()
      running--
      if (index % 3 === 0) throw new Error(`failure ${index}`)
      return index
    }),
  )
  const outcomes = await Promise.allSettled(work)
  expect(most).toBe(2)
  expect(outcomes.map(({ status }) => status === 'fulfilled')).toEqual(
    work.map((_, index) => index % 3 !== 0),
  )
})

test('work of one requester beyond its limit is refused at once, and work of others is accepted', async () => {
  const inTurn = createQueue(1, 2)
  const ran: string[] = []
  const ask = (asker: string) => inTurn(asker, async () => void ran.push(asker))
  const outcomes = await Promise.allSettled(['a', 'a', 'a', 'a', 'a', 'b', 'b'].map(ask))
  expect(outcomes.map(({ status }) => status[0]).join('')).toBe('fffrrff')
  expect(ran.toSorted().join('')).toBe('aaabb')
  await ask('a')
})
