import { expect, test } from 'vitest'
import { createBoundedQueue } from './bounded-queue.ts'

const item = (id: number, bytes = 1) => ({ id, bytes })
const ids = (items: { id: number }[]) => items.map(({ id }) => id)

test('a message beyond the limit drops the oldest', () => {
  const queue = createBoundedQueue<{ id: number; bytes: number }>({ maxMessages: 2, maxBytes: 100 })
  expect([1, 2, 3, 4].map((id) => ids(queue.push(item(id))))).toEqual([[], [], [1], [2]])
  expect([queue.shift()?.id, queue.shift()?.id, queue.shift()]).toEqual([3, 4, undefined])
})

test('bytes count as well, and the newest message stays even if it exceeds the limit alone', () => {
  const queue = createBoundedQueue<{ id: number; bytes: number }>({ maxMessages: 9, maxBytes: 10 })
  queue.push(item(1, 4))
  queue.push(item(2, 4))
  expect(ids(queue.push(item(3, 4)))).toEqual([1])
  expect(ids(queue.push(item(4, 50)))).toEqual([2, 3])
  expect(ids(queue.push(item(5, 1)))).toEqual([4])
})

test('messages that are put back are first, and the oldest', () => {
  const queue = createBoundedQueue<{ id: number; bytes: number }>({ maxMessages: 3, maxBytes: 100 })
  queue.push(item(3))
  queue.push(item(4))
  expect(ids(queue.putBack([item(1), item(2)]))).toEqual([1])
  expect([queue.shift()?.id, queue.shift()?.id, queue.shift()?.id]).toEqual([2, 3, 4])
})
