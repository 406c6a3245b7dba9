import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import {
  createGroupCommit,
  type GroupCommit,
  type GroupCommitOptions,
  settled,
  submit,
} from './group-commit.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

interface Lane {
  lane: GroupCommit<number>
  /** Batches in the order in which they began. */
  batches: number[][]
  send(...items: number[]): void
  end(batch: number): Promise<void>
}

function makeLane(options: Partial<GroupCommitOptions<number>>): Lane {
  const batches: number[][] = []
  const ends: (() => void)[] = []
  const flush = (items: number[]) => {
    batches.push(items)
    return new Promise<void>((resolve) => void ends.push(resolve))
  }
  const lane = createGroupCommit({ flush, maxItems: 100, maxBytes: 1000, concurrency: 3, ...options })
  return {
    lane,
    batches,
    send(...items) {
      for (const item of items) submit(lane, item, 1, () => {})
      vi.advanceTimersByTime(0)
    },
    async end(batch) {
      ends[batch]!()
      await vi.advanceTimersByTimeAsync(0)
    },
  }
}

/** A batch starts one turn of the event loop after it is due, for which the fake clock needs another millisecond. */
const wait = (ms: number) => void vi.advanceTimersByTime(ms)

test('without gathering, a batch starts as soon as there is an item and a free slot', () => {
  const { batches, send } = makeLane({})
  send(1)
  send(2, 3)
  send(4)
  send(5)
  expect(batches).toEqual([[1], [2, 3], [4]])
})

test('while a batch runs, items gather until it has ended', async () => {
  const { lane, batches, send, end } = makeLane({ gather: { items: 10, ms: 5 } })
  send(1)
  send(2)
  send(3)
  expect(batches).toEqual([[1]])
  await end(0)
  expect(batches).toEqual([[1], [2, 3]])
  await end(1)
  await settled(lane)
  expect(vi.getTimerCount()).toBe(0)
  send(4)
  expect(batches.at(-1)).toEqual([4])
})

test('items do not wait longer than the limit for a slow batch, and not at all if there are enough of them', () => {
  const { batches, send } = makeLane({ gather: { items: 3, ms: 50 } })
  send(1)
  send(2)
  wait(40)
  expect(batches).toEqual([[1]])
  wait(15)
  expect(batches).toEqual([[1], [2]])
  send(3, 4)
  expect(batches).toHaveLength(2)
  send(5)
  expect(batches).toEqual([[1], [2], [3, 4, 5]])
})

test('time that items have waited does not count for later items', async () => {
  const { batches, send, end } = makeLane({ gather: { items: 10, ms: 50 } })
  send(1)
  send(2)
  wait(40)
  await end(0)
  send(3)
  wait(40)
  expect(batches).toEqual([[1], [2]])
  wait(15)
  expect(batches).toEqual([[1], [2], [3]])
})

test('what is submitted later does not hold up who waits for the earlier items', async () => {
  const { lane, batches, send, end } = makeLane({ concurrency: 1 })
  send(1)
  send(2)
  const ended: string[] = []
  const earlier = settled(lane).then(() => ended.push('earlier'))
  send(3)
  await end(0)
  expect(batches).toEqual([[1], [2, 3]])
  expect(ended).toEqual([])
  send(4)
  await end(1)
  expect(batches.at(-1)).toEqual([4])
  expect(ended).toEqual(['earlier'])
  await earlier
  await end(2)
  await settled(lane)
})
