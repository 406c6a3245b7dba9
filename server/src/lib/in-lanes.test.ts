import { expect, test } from 'vitest'
import { inLanes } from './in-lanes.ts'

test('items are processed in order, at most one for each lane at a time', async () => {
  const begun: number[] = []
  let [running, most] = [0, 0]
  const left = await inLanes([1, 2, 3, 4, 5], { lanes: 2 }, async (item) => {
    begun.push(item)
    most = Math.max(most, ++running)
    await new Promise(setImmediate)
    running--
  })
  expect({ begun, most, left }).toEqual({ begun: [1, 2, 3, 4, 5], most: 2, left: 0 })
})

test('items that must not start any more are skipped', async () => {
  const begun: number[] = []
  const left = await inLanes([1, 2, 3, 4], { lanes: 1, mayBegin: () => begun.length < 3 }, async (item) =>
    begun.push(item),
  )
  expect({ begun, left }).toEqual({ begun: [1, 2, 3], left: 1 })
})

test('a failure reaches the caller', async () => {
  const work = inLanes([1, 2], { lanes: 1 }, async () => {
    throw new Error('no')
  })
  await expect(work).rejects.toThrow('no')
})
