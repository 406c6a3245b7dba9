/** Two servers on one database, with samples of the same asset at the same moment. */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { bring, makeAlarm, statesOf } from '../../test/harness/alarm-walk.ts'
import { insertAsset, makePumpModel } from '../../test/harness/assets.ts'
import { testLog } from '../../test/harness/log.ts'
import { type Platform, startPlatform } from '../../test/harness/platform.ts'
import type { Context } from '../context.ts'
import { listenForNotices } from '../database/listen.ts'
import { acknowledgeAlarm } from './acknowledge.ts'
import { createAlarms } from './alarms.ts'

let platform: Platform
let other: Context
let hearing: AsyncDisposable[]
beforeAll(async () => {
  platform = await startPlatform()
  await makePumpModel(platform)
  const { ctx } = platform
  other = { ...ctx, nodeId: randomUUID(), listeners: new Map(), bindingListeners: [] }
  other.alarms = createAlarms(other)
  hearing = await Promise.all(
    [ctx, other].map(({ pool, listeners }) =>
      listenForNotices({ pool, log: testLog, listeners, onConnected: async () => {} }),
    ),
  )
})
afterAll(async () => {
  for (const one of hearing) await one[Symbol.asyncDispose]()
  await Promise.all([platform.ctx.alarms.settled(), other.alarms.settled()])
  await platform[Symbol.asyncDispose]()
})

test('fifty times both activate, and it is one activation; then both end it, and it ends once', async () => {
  await makeAlarm(platform)
  const servers = [platform.ctx, other]
  for (let round = 0; round < 50; round++) {
    const assetId = `raced-${round}`
    await insertAsset(platform, assetId)
    const all = async (value: number, ms: number) =>
      (await Promise.all(servers.map((ctx) => bring(ctx, [{ assetId, value, ms }])))).flat()
    const now = Date.now() - 1000
    await all(1, now)
    const activations = await all(90, now + 1)
    expect(activations.map(({ isActivation }) => isActivation)).toEqual([true])
    await all(70, now + 2)
    await vi.waitFor(async () => expect(await statesOf(other, assetId)).toEqual(['inactive_unacknowledged']))
  }
})

test('one hears what the other did: samples, acknowledgements, changed alarms', async () => {
  await insertAsset(platform, 'heard')
  const bringTo = (ctx: Context, value: number) => bring(ctx, [{ assetId: 'heard', value }])
  const heard: string[] = []
  other.alarms.listeners.push({
    changed: (changes) => heard.push(...changes.map(({ status }) => status.state)),
  })
  await bringTo(other, 1)
  const [change] = await bringTo(platform.ctx, 90)
  await vi.waitFor(() => expect(heard).toEqual(['active_unacknowledged']))
  await acknowledgeAlarm(platform.ctx, 'default', change!.status.alarmStatusId, 'ann')
  await vi.waitFor(() => expect(heard).toEqual(['active_unacknowledged', 'active_acknowledged']))
  expect((await bringTo(other, 70)).map(({ status }) => status.state)).toEqual(['cleared'])
  const id = await makeAlarm(platform, {
    name: 'Warm',
    entityIds: ['heard'],
    condition: '{">":[{"var":"temperature"},60]}',
  })
  await vi.waitFor(async () =>
    expect((await bringTo(other, 75)).map(({ status }) => status.alarmId)).toEqual([id]),
  )
})

test('a sample that came to one server while the other activated ends what is over', async () => {
  await insertAsset(platform, 'passed')
  const now = Date.now() - 1000
  await bring(other, [{ assetId: 'passed', value: 1, ms: now }])
  await Promise.all([
    bring(platform.ctx, [{ assetId: 'passed', value: 90, ms: now + 1 }]),
    bring(other, [{ assetId: 'passed', value: 70, ms: now + 2 }]),
  ])
  await vi.waitFor(async () => expect(await statesOf(other, 'passed')).not.toContain('active_unacknowledged'))
})
