/** Requests of the usage. [docs/telemetry#storage-used] */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Platform, startPlatform } from '../../../test/harness/platform.ts'
import { insertTenant, storeSamples } from '../../../test/harness/telemetry.ts'
import { packSamples } from '../storage/packed/pack-samples.ts'
import { DAY_MS, dayNumber } from '../storage/partition-names.ts'
import { forecastDisk } from './disk-forecast.ts'

let platform: Platform
beforeAll(async () => {
  platform = await startPlatform()
})
afterAll(() => platform[Symbol.asyncDispose]())

test('a tenant sees its own telemetry, and owners of the environment the disk', async () => {
  const { token } = await platform.makeTenant('acme')
  const tenant = await platform.ctx.db
    .selectFrom('tenants')
    .select('number')
    .where('id', '=', 'acme')
    .executeTakeFirstOrThrow()
  const owner = { tenantNumber: tenant.number, ownerType: 'client', ownerId: 'pump' } as const
  const yesterday = Date.now() - 86_400_000
  await storeSamples(platform.ctx, owner, [
    { name: 'a', time: yesterday, value: 1 },
    { name: 'a', time: Date.now(), value: 2 },
  ])
  const own = await platform.get('/v1/telemetry/storage', { token })
  expect(own.status).toBe(200)
  expect(own.body).toMatchObject({
    values: 2,
    isEstimate: false,
    growth: { days: 1, valuesPerDay: 1 },
    disk: null,
  })
  const { body } = await platform.get('/v1/telemetry/storage')
  expect(body.values).toBe(0)
  if (body.disk !== null) expect(body.disk.freeBytes).toBeGreaterThan(0)
})

test('of a piece with many days, the growth of the disk counts the last ones', async () => {
  const { ctx } = platform
  const owner = {
    tenantNumber: await insertTenant(ctx, 'slow'),
    ownerType: 'client',
    ownerId: 'meter',
  } as const
  const today = dayNumber(Date.now()) * DAY_MS
  const ages = [11, 10, 9, 8, 7, 6, 5, 4, 3, 2]
  await storeSamples(
    ctx,
    owner,
    ages.map((days) => ({ name: 'a', time: today - days * DAY_MS, value: days })),
  )
  await packSamples(ctx, { nowMs: today })
  const { rows } = await ctx.pool.query<{ bytes: number }>(
    'select octet_length(data) as bytes from packed_rows where tenant_number = $1',
    [owner.tenantNumber],
  )
  expect(rows).toHaveLength(1)
  const here = { ...ctx, config: { ...ctx.config, databaseUrl: undefined } }
  const disk = await forecastDisk(here, ctx.db, today)
  expect(disk!.growthBytesPerDay).toBe(Math.round(rows[0]!.bytes / ages.length))
})
