/** The answer to a commit is lost: subscribers get what it stored all the same. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeAlarm, startAlarmPlatform } from '../../test/harness/alarm-walk.ts'
import { insertAsset } from '../../test/harness/assets.ts'
import { bind, binding, makeClient } from '../../test/harness/bindings.ts'
import { findDevice, makeMessage } from '../../test/harness/device-message.ts'
import type { Platform } from '../../test/harness/platform.ts'
import type { Context } from '../context.ts'
import { createBatchCommit } from './commit-batch.ts'
import type { Device } from './message.ts'
import { storeReported } from './store-reported.ts'
import { storeTelemetry } from './store-telemetry.ts'

let platform: Platform
beforeAll(async () => {
  platform = await startAlarmPlatform()
})
afterAll(() => platform[Symbol.asyncDispose]())

/** Loses the answer of its first transaction, which is committed. */
function losingAnswer({ ctx }: Platform) {
  const pushed: unknown[] = []
  let left = 1
  const transaction = () => ({
    execute: async (run: Parameters<ReturnType<typeof ctx.db.transaction>['execute']>[0]) => {
      const result = await ctx.db.transaction().execute(run)
      if (left-- > 0) throw new Error('Connection terminated unexpectedly')
      return result
    },
  })
  const push: Context['push'] = {
    ...ctx.push,
    isWatched: () => true,
    publishSamples: (samples) => void pushed.push(...samples.map(({ name, value }) => `${name} ${value}`)),
    publishAlarms: (changes) => void pushed.push(...changes.map(({ status }) => status.state)),
    restartConnections: () => void pushed.push('again'),
  }
  const db = new Proxy(ctx.db, {
    get: (target, name) => {
      const member: unknown = name === 'transaction' ? transaction : Reflect.get(target, name, target)
      return typeof member === 'function' ? member.bind(target) : member
    },
  })
  return { ctx: { ...ctx, db, push }, pushed }
}

/** Its series are there, so that the first transaction is that of its next message. */
async function makeBoundDevice(id: string): Promise<Device> {
  await makeClient(platform, id)
  await insertAsset(platform, `asset-of-${id}`)
  await bind(platform, `asset-of-${id}`, {
    endpointBindings: [binding(`asset-of-${id}/-/telemetry/temperature`, `${id}/-/telemetry/t`)],
  })
  await makeAlarm(platform, { name: id, entityIds: [`asset-of-${id}`] })
  const device = await findDevice(platform, id)
  const { ctx } = platform
  const [beat, report] = [{ t: 20 }, { door: 'closed' }].map((payload) => makeMessage(device, payload))
  await createBatchCommit(ctx, storeTelemetry)([beat!], Promise.resolve())
  await createBatchCommit(ctx, storeReported)([report!], Promise.resolve())
  return device
}

test('samples and alarms are pushed when the next try finds them stored', async () => {
  const device = await makeBoundDevice('hot')
  const { ctx, pushed } = losingAnswer(platform)
  const store = createBatchCommit(ctx, storeTelemetry)
  await store([makeMessage(device, { t: 90 }, { packetId: 1 })], Promise.resolve())
  expect(pushed).toContain('temperature 90')
  expect(pushed).toContain('active_unacknowledged')
  expect(pushed).not.toContain('again')
})

test('so are reported properties', async () => {
  const device = await makeBoundDevice('reporting')
  const { ctx, pushed } = losingAnswer(platform)
  const store = createBatchCommit(ctx, storeReported)
  await store([makeMessage(device, { door: 'open' }, { packetId: 1 })], Promise.resolve())
  expect(pushed).toEqual(['door open'])
})

test('where no try is left, subscribers begin again', async () => {
  const device = await makeBoundDevice('late')
  const { ctx, pushed } = losingAnswer(platform)
  const store = createBatchCommit(ctx, storeReported)
  const message = makeMessage(device, { door: 'open' }, { packetId: 1 })
  message.receivedAtMs = Date.now() - 60_000
  await expect(store([message], Promise.resolve())).rejects.toThrow('terminated')
  expect(pushed).toEqual(['again'])
})
