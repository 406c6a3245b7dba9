/** Alarms and batches: samples that are committed together are evaluated together. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeAlarm, listStates, startAlarmPlatform } from '../../test/harness/alarm-walk.ts'
import { insertAsset } from '../../test/harness/assets.ts'
import { bind, binding, makeClient } from '../../test/harness/bindings.ts'
import { findDevice, makeMessage } from '../../test/harness/device-message.ts'
import type { Platform } from '../../test/harness/platform.ts'
import type { Context } from '../context.ts'
import type { Device, DeviceMessage } from './message.ts'
import { storeTelemetry } from './store-telemetry.ts'

let platform: Platform
beforeAll(async () => {
  platform = await startAlarmPlatform()
})
afterAll(() => platform[Symbol.asyncDispose]())

let packetId = 0
const store = (ctx: Context, message: DeviceMessage) =>
  storeTelemetry(ctx, { messages: [message], earlier: Promise.resolve() })
const bring = (ctx: Context, device: Device, payload: object) =>
  store(ctx, makeMessage(device, payload, { packetId: ++packetId }))

/** Commits transactions, but loses the answers. */
function losingAnswers(ctx: Context): Context {
  const db = Object.create(ctx.db, {
    transaction: {
      value: () => ({
        execute: async (run: Parameters<ReturnType<typeof ctx.db.transaction>['execute']>[0]) => {
          await ctx.db.transaction().execute(run)
          throw new Error('Connection terminated unexpectedly')
        },
      }),
    },
  })
  return { ...ctx, db }
}

test('an alarm clears normally although the answer to the commit that activated it was lost', async () => {
  const { ctx } = platform
  await makeClient(platform, 'sensor')
  await insertAsset(platform, 'hot')
  const device = await findDevice(platform, 'sensor')
  await bind(platform, 'hot', {
    endpointBindings: [binding('hot/-/telemetry/temperature', 'sensor/-/telemetry/t')],
  })
  await makeAlarm(platform, { entityIds: ['hot'] })
  await bring(ctx, device, { t: 20 })
  const high = makeMessage(device, { t: 90 }, { packetId: ++packetId })
  await expect(store(losingAnswers(ctx), high)).rejects.toThrow('terminated')
  expect(await listStates(ctx, 'hot')).toEqual(['active_unacknowledged'])
  // The retry finds the committed message.
  await store(ctx, { ...high, isRepeat: true })
  await bring(ctx, device, { t: 20 })
  expect(await listStates(ctx, 'hot')).toEqual(['inactive_unacknowledged'])
})

test('the values of an asset in one message are evaluated together, whatever else reads them', async () => {
  const { ctx } = platform
  await makeClient(platform, 'unit')
  for (const id of ['pump', 'meter']) await insertAsset(platform, id)
  const device = await findDevice(platform, 'unit')
  await bind(platform, 'pump', {
    endpointBindings: [
      binding('pump/-/telemetry/temperature', 'unit/-/telemetry/t'),
      binding('pump/motor/telemetry/rpm', 'unit/-/telemetry/rpm'),
    ],
  })
  await bind(platform, 'meter', {
    endpointBindings: [binding('meter/-/telemetry/pressure', 'unit/-/telemetry/p')],
  })
  // Hot while the motor stands still.
  const condition = {
    and: [{ '>': [{ var: 'temperature' }, 80] }, { '<': [{ var: 'motor.rpm' }, 10] }],
  }
  await makeAlarm(platform, { condition: JSON.stringify(condition) })
  await bring(ctx, device, { t: 20, p: 1, rpm: 0 })
  await bring(ctx, device, { t: 90, p: 1, rpm: 900 })
  expect(await listStates(ctx, 'pump')).toEqual([])
  await bring(ctx, device, { t: 90, p: 1, rpm: 5 })
  expect(await listStates(ctx, 'pump')).toEqual(['active_unacknowledged'])
})
