/** Two servers on one database, with samples of the same asset at the same moment. */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { bring, makeAlarm, statesOf } from '../../test/harness/alarm-walk.ts'
import { insertAsset, makePumpModel } from '../../test/harness/assets.ts'
import { testLog } from '../../test/harness/log.ts'
import { otherProcess } from '../../test/harness/other-process.ts'
import { type Platform, startPlatform } from '../../test/harness/platform.ts'
import type { Context } from '../context.ts'
import { listenForNotices } from '../database/listen.ts'
import { acknowledgeAlarm } from './acknowledge.ts'
import { ALARMS_CHANGED_CHANNEL } from './notices.ts'

let platform: Platform
let other: Context
let hearing: AsyncDisposable[]
beforeAll(async () => {
  platform = await startPlatform()
  await makePumpModel(platform)
  const { ctx } = platform
  other = otherProcess(ctx)
  hearing = await Promise.all(
    [ctx, other].map(({ pool, listeners, peers }) =>
      listenForNotices({ pool, log: testLog, listeners, onConnected: peers.greet }),
    ),
  )
  await vi.waitFor(() => expect([ctx, other].map(({ peers }) => peers.areThere)).toEqual([true, true]))
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

// Below what other alarms here take as hot: their notices tell of the asset, too.
const strained = JSON.stringify({
  and: [{ '>': [{ var: 'temperature' }, 60] }, { '>': [{ var: 'pressure' }, 3] }],
})
const of = (assetId: string, name: 'temperature' | 'pressure', value: number) => ({ assetId, name, value })

describe('a condition over two signals, each of which comes to another server', () => {
  const make = async (assetId: string) => {
    await insertAsset(platform, assetId)
    return makeAlarm(platform, { name: 'Strained', entityIds: [assetId], condition: strained })
  }

  test('activates and ends by what both have brought, in any order', async () => {
    await make('two-signals')
    await bring(platform.ctx, [of('two-signals', 'temperature', 1)])
    await bring(other, [of('two-signals', 'pressure', 1)])
    await bring(platform.ctx, [of('two-signals', 'temperature', 75)])
    await bring(other, [of('two-signals', 'pressure', 4)])
    await vi.waitFor(async () =>
      expect(await statesOf(other, 'two-signals', 'Strained')).toContain('active_unacknowledged'),
    )
    await bring(platform.ctx, [of('two-signals', 'temperature', 50)])
    await vi.waitFor(async () =>
      expect(await statesOf(other, 'two-signals', 'Strained')).not.toContain('active_unacknowledged'),
    )
  })

  test('twenty times both bring theirs at one moment: it is one activation, and then one end', async () => {
    for (let round = 0; round < 20; round++) {
      const assetId = `strained-${round}`
      await make(assetId)
      const all = (temperature: number, pressure: number) =>
        Promise.all([
          bring(platform.ctx, [of(assetId, 'temperature', temperature)]),
          bring(other, [of(assetId, 'pressure', pressure)]),
        ])
      // Below what other alarms here take as hot: their notices tell of the asset, too.
      const strainedStates = () => statesOf(other, assetId, 'Strained')
      await all(1, 1)
      await all(75, 4)
      await vi.waitFor(async () => expect(await strainedStates()).toEqual(['active_unacknowledged']))
      await all(50, 1)
      await vi.waitFor(async () => expect(await strainedStates()).toEqual(['inactive_unacknowledged']))
    }
  })

  test('nobody is told of what a sample of the other server has ended before', async () => {
    await make('ended-before')
    const { peers } = other
    await bring(other, [of('ended-before', 'pressure', 1)])
    await bring(platform.ctx, [of('ended-before', 'temperature', 75)])
    await bring(other, [of('ended-before', 'pressure', 2)])
    // What it heard last is that it is hot; that it is no more it has not heard yet.
    const { heard } = other.listeners.get(ALARMS_CHANGED_CHANNEL)!
    other.listeners.get(ALARMS_CHANGED_CHANNEL)!.heard = () => {}
    await bring(platform.ctx, [of('ended-before', 'temperature', 50)])
    expect(peers.areThere).toBe(true)
    expect(await bring(other, [of('ended-before', 'pressure', 4)])).toEqual([])
    other.listeners.get(ALARMS_CHANGED_CHANNEL)!.heard = heard
  })
})

test('a sample older than what the other server has taken moves nothing', async () => {
  await insertAsset(platform, 'late')
  const now = Date.now() - 1000
  await bring(other, [{ assetId: 'late', value: 1, ms: now }])
  await bring(platform.ctx, [{ assetId: 'late', value: 70, ms: now + 2 }])
  expect(await bring(other, [{ assetId: 'late', value: 90, ms: now + 1 }])).toEqual([])
})
