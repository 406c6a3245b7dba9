import { expect, test } from 'vitest'
import { createLiveClock, type Requested } from './live-clock.ts'

/** Records the runs of a turn of the event loop as one list. */
function recordTurns() {
  const turns: string[][] = []
  let turn: string[] | undefined
  const record = (name: string) => {
    if (turn === undefined) {
      turns.push((turn = []))
      queueMicrotask(() => (turn = undefined))
    }
    turn.push(name)
  }
  return { turns, record }
}

test('charts that are requested often run once, and together', async () => {
  const clock = createLiveClock()
  const { turns, record } = recordTurns()
  await new Promise<void>((resolve) => {
    const first = clock.add(
      () => record('first'),
      () => 900,
    )
    const second = clock.add(
      () => {
        record('second')
        resolve()
      },
      () => 1000,
    )
    for (let count = 0; count < 3; count++) {
      first.request()
      second.request()
    }
  })
  expect(turns).toEqual([['first', 'second']])
})

test('a long interval ends in the same turn as the short ones within it', async () => {
  const clock = createLiveClock()
  const { turns, record } = recordTurns()
  const short: Requested = clock.add(
    () => {
      record('short')
      short.request()
    },
    () => 1,
  )
  await new Promise<void>((resolve) => {
    const long = clock.add(
      () => {
        record('long')
        resolve()
      },
      () => 900,
    )
    long.request()
    short.request()
  })
  short.remove()
  expect(turns.at(-1)!.toSorted()).toEqual(['long', 'short'])
  for (const turn of turns.slice(0, -1)) expect(turn).toEqual(['short'])
})

test('a chart that is removed does not run, and the others do', async () => {
  const clock = createLiveClock()
  const runs: string[] = []
  await new Promise<void>((resolve) => {
    const removed = clock.add(
      () => runs.push('removed'),
      () => 125,
    )
    const kept = clock.add(resolve, () => 250)
    removed.request()
    kept.request()
    removed.remove()
  })
  expect(runs).toEqual([])
})
