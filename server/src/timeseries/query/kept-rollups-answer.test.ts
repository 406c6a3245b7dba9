/** What an answer says where only rollups are left. [docs/telemetry#rollups-that-are-kept] */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { testLog as log } from '../../../test/harness/log.ts'
import { type Platform, startPlatform } from '../../../test/harness/platform.ts'
import { insertClient, storeSamples } from '../../../test/harness/telemetry.ts'
import { cutExpiredPieces } from '../storage/packed/cut-expired.ts'
import { packSamples } from '../storage/packed/pack-samples.ts'
import { DAY_MS } from '../storage/partition-names.ts'

let platform: Platform
const start = Math.floor(Date.now() / DAY_MS) * DAY_MS - 20 * DAY_MS
beforeAll(async () => {
  platform = await startPlatform()
  const owner = await insertClient(platform.ctx, 'default', 'pump')
  const samples = Array.from({ length: 288 }, (_, index) => ({
    name: 'a',
    time: start + index * 300_000,
    value: index,
  }))
  await storeSamples(platform.ctx, owner, samples)
  await packSamples({ ...platform.ctx, log })
  await platform.patch('/v1/tenants/default', { telemetryRetentionDays: 10, rollupRetentionDays: 400 })
  await cutExpiredPieces(platform.ctx)
})
afterAll(() => platform[Symbol.asyncDispose]())

const ask = async (fields: object) => {
  const { status, body } = await platform.post('/v1/timeseries/get', {
    assetId: 'pump',
    timeseriesName: ['a'],
    searchSpanFrom: new Date(start).toISOString(),
    searchSpanTo: new Date(start + DAY_MS).toISOString(),
    ...fields,
  })
  expect(status).toBe(200)
  return body
}
const samplesFrom = new Date(start + DAY_MS).toISOString()

test('the answer has the aggregates, and says from when on there are samples', async () => {
  const daily = await ask({ aggregationType: 'avg', aggregationInterval: 'P1D' })
  expect(daily).toMatchObject({ samplesFrom, items: [{ items: [{ value: 143.5 }] }] })
  expect(await ask({})).toMatchObject({ samplesFrom, items: [{ items: [] }] })
  const recent = await ask({ searchSpanFrom: samplesFrom, searchSpanTo: samplesFrom })
  expect(recent).not.toHaveProperty('samplesFrom')
})

test('an interval that is chosen fits the rollups', async () => {
  const { time_bucket, items } = await ask({ resolution: 'auto', maxPoints: 1000 })
  expect(time_bucket).toBe('PT30M')
  expect(items[0].items).toHaveLength(48)
})

test('rollups of one of many signals are read too', async () => {
  const aggregation = { aggregationType: 'max', aggregationInterval: 'P1D' }
  const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i']
  const { items } = await ask({ ...aggregation, timeseriesName: names })
  expect(items[0].items).toMatchObject([{ value: 287 }])
})
