/** Requests of the usage. [docs/telemetry#storage-used] */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Platform, startPlatform } from '../../../test/harness/platform.ts'
import { storeSamples } from '../../../test/harness/telemetry.ts'

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
