import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createTurns, takeTurns } from './take-turns.ts'

test('only one waiting caller continues in each turn of the event loop, in the order of arrival', async () => {
  const nextTurn = createTurns()
  const done: number[] = []
  const work = [1, 2, 3].map((place) => nextTurn().then(() => void done.push(place)))
  const seen: number[] = []
  for (let turn = 0; turn < 6; turn++) {
    await setImmediate()
    seen.push(done.length)
  }
  await Promise.all(work)
  expect(done).toEqual([1, 2, 3])
  expect(seen.every((count, turn) => count - (seen[turn - 1] ?? 0) <= 1)).toBe(true)
})

test('of tasks that share turns, one piece is done in each turn of the event loop, including the first pieces', async () => {
  const nextTurn = createTurns()
  let pieces = 0
  const work = async () => {
    const turn = takeTurns(nextTurn)
    for (let piece = 0; piece < 3; piece++) {
      await turn()
      pieces++
      // The maximum duration of a turn.
      for (const startMs = performance.now(); performance.now() - startMs < 11;);
    }
  }
  const running = Promise.all([work(), work(), work()])
  const seen: number[] = []
  for (let turn = 0; turn < 30; turn++) {
    await setImmediate()
    seen.push(pieces)
  }
  await running
  expect(pieces).toBe(9)
  expect(seen.every((count, turn) => count - (seen[turn - 1] ?? 0) <= 1)).toBe(true)
})
