/** Two nodes on one database, with samples of the same asset at the same moment. */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { bring, makeAlarm, listStates, storedSamples } from '../../test/harness/alarm-walk.ts'
import { insertAsset, makePumpModel } from '../../test/harness/assets.ts'
import { storeSamples } from '../../test/harness/telemetry.ts'
import { type OtherProcess, otherProcess } from '../../test/harness/other-process.ts'
import { type Platform, startPlatform } from '../../test/harness/platform.ts'
import { rounds } from '../../test/harness/rounds.ts'
import type { Context } from '../context.ts'
import { joinNodes } from '../nodes/nodes.ts'
import { bindingsChanged } from '../assets/bindings/binding-changes.ts'
import { acknowledgeAlarm } from './statuses/acknowledge.ts'
import { applyCrossings } from './statuses/apply-crossings.ts'
import { evaluateAlarms } from './watch/evaluate-alarms.ts'
import { settled } from './watch/reevaluate.ts'
import { changeStatuses } from './statuses/change-statuses.ts'
import { rememberEvaluation } from './after-commit.ts'

const ROUNDS = rounds(50, 12)
const ALARMS = 'gangway_alarms_changed'
const BINDINGS = 'gangway_bindings_changed'

let platform: Platform
let other: OtherProcess
let joined: AsyncDisposable[]
beforeAll(async () => {
  platform = await startPlatform()
  await makePumpModel(platform)
  await makeAlarm(platform)
  const { ctx } = platform
  other = otherProcess(ctx)
  joined = await Promise.all([joinNodes(ctx.nodes), joinNodes(other.nodes)])
  await vi.waitFor(() => expect([ctx, other].map(({ nodes }) => nodes.peers.exist)).toEqual([true, true]))
})
afterAll(async () => {
  for (const one of joined) await one[Symbol.asyncDispose]()
  await Promise.all([settled(platform.ctx.alarms), settled(other.alarms)])
  await platform[Symbol.asyncDispose]()
})

test('two nodes activate and end an alarm concurrently; each time it activates once and ends once', async () => {
  const servers = [platform.ctx, other]
  for (let round = 0; round < ROUNDS; round++) {
    const assetId = `raced-${round}`
    await insertAsset(platform, assetId)
    const all = async (value: number, ms: number) =>
      (await Promise.all(servers.map((ctx) => bring(ctx, [{ assetId, value, ms }])))).flat()
    const now = Date.now() - 1000
    await all(1, now)
    const activations = await all(90, now + 1)
    expect(activations.map(({ isActivation }) => isActivation)).toEqual([true])
    await all(70, now + 2)
    await vi.waitFor(async () =>
      expect(await listStates(other, assetId)).toEqual(['inactive_unacknowledged']),
    )
  }
})

test('a node receives samples, acknowledgements and changed alarms of the other', async () => {
  await insertAsset(platform, 'heard')
  const bringTo = (ctx: Context, value: number) => bring(ctx, [{ assetId: 'heard', value }])
  const published: string[] = []
  const spy = vi
    .spyOn(other.push, 'publishAlarms')
    .mockImplementation((changes) => void published.push(...changes.map(({ status }) => status.state)))
  await bringTo(other, 1)
  const [change] = await bringTo(platform.ctx, 90)
  await vi.waitFor(() => expect(published).toEqual(['active_unacknowledged']))
  await acknowledgeAlarm(platform.ctx, {
    tenantId: 'default',
    alarmStatusId: change!.status.alarmStatusId,
    by: 'ann',
  })
  await vi.waitFor(() => expect(published).toEqual(['active_unacknowledged', 'active_acknowledged']))
  expect((await bringTo(other, 70)).map(({ status }) => status.state)).toEqual(['cleared'])
  spy.mockRestore()
  const id = await makeAlarm(platform, {
    name: 'Warm',
    entityIds: ['heard'],
    condition: '{">":[{"var":"temperature"},60]}',
  })
  await vi.waitFor(async () =>
    expect((await bringTo(other, 75)).map(({ status }) => status.alarmId)).toEqual([id]),
  )
})

test('a sample on one node ends an alarm that the other node activated meanwhile', async () => {
  await insertAsset(platform, 'passed')
  const now = Date.now() - 1000
  await bring(other, [{ assetId: 'passed', value: 1, ms: now }])
  const activations = await bring(platform.ctx, [{ assetId: 'passed', value: 90, ms: now + 1 }], {
    meanwhile: async () =>
      expect(await bring(other, [{ assetId: 'passed', value: 70, ms: now + 2 }])).toEqual([]),
  })
  expect(activations.map(({ isActivation }) => isActivation)).toEqual([true])
  await vi.waitFor(async () => expect(await listStates(other, 'passed')).toEqual(['inactive_unacknowledged']))
})

test('a sample on one node ends an alarm that a job of the other node activated, even before the message arrives', async () => {
  await insertAsset(platform, 'passed-by-a-job')
  const sample = (value: number, ms: number) => [{ assetId: 'passed-by-a-job', value, ms }]
  const now = Date.now() - 1000
  await bring(other, sample(1, now))
  const stored = await storedSamples(platform.ctx, sample(90, now + 1))
  const { crossings } = await evaluateAlarms(platform.ctx.alarms, stored)
  await storeSamples(platform.ctx, stored[0]!, [{ ...stored[0]!, time: stored[0]!.timeMs }])
  const held = other.transport.hold(ALARMS)
  await changeStatuses(platform.ctx.alarms, (tx) => applyCrossings(tx, crossings))
  await settled(platform.ctx.alarms)
  await vi.waitFor(() => expect(held.payloads).toHaveLength(1))
  expect(await bring(other, sample(70, now + 2))).toEqual([])
  expect(await listStates(other, 'passed-by-a-job')).toEqual(['active_unacknowledged'])
  held.release()
  await held.deliver()
  await vi.waitFor(async () =>
    expect(await listStates(other, 'passed-by-a-job')).toEqual(['inactive_unacknowledged']),
  )
})

// Below the limits of the other alarms here, whose notices contain the asset, too.
const strained = JSON.stringify({
  and: [{ '>': [{ var: 'temperature' }, 60] }, { '>': [{ var: 'pressure' }, 3] }],
})
const of = (assetId: string, name: 'temperature' | 'pressure', value: number) => ({ assetId, name, value })

/** Runs while the other server receives no messages about alarms. */
async function unheard(run: () => Promise<void>) {
  const alarms = other.transport.hold(ALARMS)
  await run()
  // Messages arrive in order: with this one, all that were published before have arrived.
  const last = await new Promise<{ release(): void }>((resolve, reject) => {
    const bindings = other.transport.hold(BINDINGS, () => resolve(bindings))
    bindingsChanged.publish(other, other.db, { tenantId: 'default', instanceIds: [] }).catch(reject)
  })
  last.release()
  alarms.release()
}

describe('a condition over two signals, each of which arrives at another node', () => {
  const make = async (assetId: string) => {
    await insertAsset(platform, assetId)
    return makeAlarm(platform, { name: 'Strained', entityIds: [assetId], condition: strained })
  }

  test('activates and ends by the samples of both nodes, in any order', async () => {
    await make('two-signals')
    await bring(platform.ctx, [of('two-signals', 'temperature', 1)])
    await bring(other, [of('two-signals', 'pressure', 1)])
    await bring(platform.ctx, [of('two-signals', 'temperature', 75)])
    await bring(other, [of('two-signals', 'pressure', 4)])
    await vi.waitFor(async () =>
      expect(await listStates(other, 'two-signals', 'Strained')).toContain('active_unacknowledged'),
    )
    await bring(platform.ctx, [of('two-signals', 'temperature', 50)])
    await vi.waitFor(async () =>
      expect(await listStates(other, 'two-signals', 'Strained')).not.toContain('active_unacknowledged'),
    )
  })

  test('both nodes store their samples at once twenty times, and it activates once and ends once each time', async () => {
    for (let round = 0; round < 20; round++) {
      const assetId = `strained-${round}`
      await make(assetId)
      const all = (temperature: number, pressure: number) =>
        Promise.all([
          bring(platform.ctx, [of(assetId, 'temperature', temperature)]),
          bring(other, [of(assetId, 'pressure', pressure)]),
        ])
      // Below the limits of the other alarms here, whose notices contain the asset, too.
      const strainedStates = () => listStates(other, assetId, 'Strained')
      await all(1, 1)
      await all(75, 4)
      await vi.waitFor(async () => expect(await strainedStates()).toEqual(['active_unacknowledged']))
      await all(50, 1)
      await vi.waitFor(async () => expect(await strainedStates()).toEqual(['inactive_unacknowledged']))
    }
  })

  test('an alarm that a sample of the other node has already ended notifies nobody', async () => {
    await make('ended-before')
    await bring(other, [of('ended-before', 'pressure', 1)])
    await bring(platform.ctx, [of('ended-before', 'temperature', 75)])
    await bring(other, [of('ended-before', 'pressure', 2)])
    await unheard(async () => {
      await bring(platform.ctx, [of('ended-before', 'temperature', 50)])
      expect(await bring(other, [of('ended-before', 'pressure', 4)])).toEqual([])
    })
  })

  test('samples that both nodes stored before they knew each other are evaluated together', async () => {
    await make('met')
    await bring(platform.ctx, [of('met', 'temperature', 1)])
    await unheard(async () => {
      for (const { nodes } of [platform.ctx, other]) nodes.peers.exist = false
      await bring(other, [of('met', 'pressure', 4)])
      await bring(platform.ctx, [of('met', 'temperature', 75)])
      for (const { nodes } of [platform.ctx, other]) nodes.peers.exist = true
    })
    expect(await listStates(other, 'met', 'Strained')).toEqual([])
    for (const met of other.nodes.peers.onMet) met()
    await vi.waitFor(async () =>
      expect(await listStates(other, 'met', 'Strained')).toEqual(['active_unacknowledged']),
    )
  })

  test('samples in flight when the other node joins are published too', async () => {
    await make('on-the-way')
    const { ctx } = platform
    await bring(other, [of('on-the-way', 'pressure', 4)])
    await bring(other, [of('on-the-way', 'temperature', 1)])
    const stored = await storedSamples(ctx, [of('on-the-way', 'temperature', 75)])
    ctx.nodes.peers.exist = false
    // Simulates that this node did not know the pressure.
    const evaluation = { ...(await evaluateAlarms(ctx.alarms, stored)), crossings: [] }
    ctx.nodes.peers.exist = true
    await storeSamples(ctx, stored[0]!, [{ ...stored[0]!, time: stored[0]!.timeMs }])
    rememberEvaluation(ctx.alarms, evaluation, [])
    await vi.waitFor(async () =>
      expect(await listStates(other, 'on-the-way', 'Strained')).toEqual(['active_unacknowledged']),
    )
  })
})

test('an alarm acknowledged on the other node activates again with the next sample, whether or not the message arrived', async () => {
  await insertAsset(platform, 'again')
  const take = (value: number) => bring(other, [{ assetId: 'again', value }])
  const [activation] = await take(90)
  await take(70)
  await unheard(async () => {
    await acknowledgeAlarm(platform.ctx, {
      tenantId: 'default',
      alarmStatusId: activation!.status.alarmStatusId,
      by: 'ann',
    })
    expect((await take(91)).map(({ isActivation }) => isActivation)).toEqual([true])
  })
})

test('a sample older than the one stored by the other node changes nothing', async () => {
  await insertAsset(platform, 'late')
  const now = Date.now() - 1000
  await bring(other, [{ assetId: 'late', value: 1, ms: now }])
  await bring(platform.ctx, [{ assetId: 'late', value: 70, ms: now + 2 }])
  expect(await bring(other, [{ assetId: 'late', value: 90, ms: now + 1 }])).toEqual([])
})
