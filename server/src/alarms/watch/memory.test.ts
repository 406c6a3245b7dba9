import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeAlarm } from '../../../test/harness/alarm-walk.ts'
import { insertAsset, makePumpModel } from '../../../test/harness/assets.ts'
import { type Platform, startPlatform } from '../../../test/harness/platform.ts'
import { createMemory, findWatch, markOutdated, forgetTenant, isReady, load } from './memory.ts'

let platform: Platform
beforeAll(async () => {
  platform = await startPlatform()
  await makePumpModel(platform)
  await makeAlarm(platform)
  for (const id of ['a', 'b', 'c', 'd', 'e']) await insertAsset(platform, id)
})
afterAll(() => platform[Symbol.asyncDispose]())

const ready = (memory: ReturnType<typeof createMemory>, ids: string[]) =>
  ids.filter((id) => isReady(memory, 'default', id))

test('assets that were not used lately are dropped when there are too many', async () => {
  const memory = createMemory(platform.ctx.db, 2)
  for (const id of ['a', 'b', 'c', 'd', 'e']) await load(memory, 'default', [id])
  const known = ['a', 'b', 'c', 'd', 'e'].filter((id) => findWatch(memory, 'default', id))
  expect(known).toEqual(['c', 'd', 'e'])
  expect(ready(memory, ['c', 'd', 'e'])).toEqual(['e'])
})

test('a forgotten asset is still available to a running batch, and is loaded again', async () => {
  const memory = createMemory(platform.ctx.db)
  await load(memory, 'default', ['a', 'b', 'unknown'])
  expect(ready(memory, ['a', 'b', 'unknown'])).toEqual(['a', 'b', 'unknown'])
  markOutdated(memory, 'default', ['a'])
  expect(ready(memory, ['a', 'b'])).toEqual(['b'])
  forgetTenant(memory, 'default')
  expect(ready(memory, ['a', 'b'])).toEqual([])
  expect(findWatch(memory, 'default', 'b')?.model.rules).toHaveLength(1)
  await load(memory, 'default', ['a', 'b'])
  expect(ready(memory, ['a', 'b'])).toEqual(['a', 'b'])
})

test('an asset that changes while it is loaded is loaded again', async () => {
  const memory = createMemory(platform.ctx.db)
  await load(memory, 'default', ['b'])
  const loading = load(memory, 'default', ['a'])
  await new Promise(setImmediate)
  expect(memory.loads.size).toBe(1)
  markOutdated(memory, 'default', ['a'])
  const [changed] = memory.loads
  expect([...changed!]).toEqual(['default a'])
  await loading
  expect(ready(memory, ['a'])).toEqual(['a'])
  expect(memory.loads.size).toBe(0)
})

test('for a tenant without alarms no assets are loaded', async () => {
  await platform.makeTenant('calm')
  const memory = createMemory(platform.ctx.db)
  await load(memory, 'calm', ['x'])
  expect(isReady(memory, 'calm', 'y')).toBe(true)
})
