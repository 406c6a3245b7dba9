import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  bring,
  makeAlarm,
  listStates,
  storedSamples,
  startAlarmPlatform,
} from '../../../test/harness/alarm-walk.ts'
import { insertAsset, pumpModel } from '../../../test/harness/assets.ts'
import { insertTenant, storeSamples } from '../../../test/harness/telemetry.ts'
import type { Platform } from '../../../test/harness/platform.ts'
import { checkSilence } from './silence.ts'

let platform: Platform
beforeAll(async () => {
  platform = await startAlarmPlatform()
})
afterAll(() => platform[Symbol.asyncDispose]())

test('an alarm that cannot be evaluated delays no other, and is logged', async () => {
  const { pool, db } = platform.ctx
  for (const id of ['first', 'second']) {
    await insertAsset(platform, id)
    await makeAlarm(platform, { entityIds: [id], condition: null, noDataSeconds: 60 })
  }
  await db
    .updateTable('assets')
    .set({ created_at: new Date(Date.now() - 600_000) } as never)
    .execute()
  await pool.query(`create function refuse_first() returns trigger language plpgsql as
    $$ begin raise 'no'; end $$`)
  await pool.query(`create trigger refuse_first before insert on alarm_statuses for each row
    when (new.asset_id = 'first') execute function refuse_first()`)
  await expect(checkSilence(platform.ctx)).rejects.toThrow('the silence of 1 alarms')
  expect(await listStates(platform.ctx, 'first')).toEqual([])
  expect(await listStates(platform.ctx, 'second')).toEqual(['active_unacknowledged'])
  await pool.query('drop trigger refuse_first on alarm_statuses')
  await checkSilence(platform.ctx)
  expect(await listStates(platform.ctx, 'first')).toEqual(['active_unacknowledged'])
})

const anHourAgo = () => new Date(Date.now() - 3_600_000)

test("samples of another tenant's asset and signal with the same ids do not count", async () => {
  const { ctx } = platform
  await insertAsset(platform, 'same-id')
  await ctx.db
    .updateTable('assets')
    .set({ created_at: anHourAgo() } as never)
    .where('id', '=', 'same-id')
    .execute()
  await makeAlarm(platform, { name: 'Quiet', entityIds: ['same-id'], condition: null, noDataSeconds: 60 })
  const tenantNumber = await insertTenant(ctx, 'stranger')
  await storeSamples(ctx, { tenantNumber, ownerType: 'asset', ownerId: 'same-id' }, [
    { name: 'temperature', time: Date.now(), value: 1 },
  ])
  // Samples under the number of that series do not count either, even if two tenants shared it.
  const [own] = await storedSamples(ctx, [{ assetId: 'elsewhere', value: 1 }])
  await storeSamples(ctx, own!, [{ name: 'temperature', time: Date.now(), value: 1 }])
  await ctx.pool.query(
    `insert into sample_rows (tenant_number, stream_number, time, message_id, numbers)
     select $1, stream_number, time, message_id, numbers from sample_rows where tenant_number = $2`,
    [own!.tenantNumber, tenantNumber],
  )
  await checkSilence(ctx)
  expect(await listStates(ctx, 'same-id', 'Quiet')).toEqual(['active_unacknowledged'])
})

test('all assets are found, even if there are more than one query reads', async () => {
  const { ctx } = platform
  const SILENT = 1001
  await ctx.pool.query(
    `insert into assets (tenant_id, id, model_id, organization_id, display_name, created_at)
     select 'default', 'many-' || place, $1, $2, 'One of many', now() - interval '1 hour' from generate_series(1, $3) place`,
    [pumpModel, platform.organizationId, SILENT],
  )
  await makeAlarm(platform, { name: 'Many', condition: null, noDataSeconds: 60 })
  await checkSilence(ctx)
  const { rows } = await ctx.pool.query(
    `select count(*)::int from alarm_statuses where alarm_name = 'Many' and asset_id like 'many-%'`,
  )
  expect(rows).toEqual([{ count: SILENT }])
})

test('a sample that waited to be stored is as late as it arrived', async () => {
  const { ctx } = platform
  await insertAsset(platform, 'late')
  await makeAlarm(platform, { name: 'Late', entityIds: ['late'], maxLatenessSeconds: 60 })
  const at = (ms: number, receivedAtMs: number) =>
    bring(ctx, [{ assetId: 'late', value: 90, ms, receivedAtMs }])
  const ms = Date.now() - 600_000
  expect(await at(ms, ms + 61_000)).toEqual([])
  expect(await at(ms + 1, ms + 59_000)).toHaveLength(1)
})

test('an asset whose messages may wait in a stream is not silent [docs/stream#alarms]', async () => {
  const { ctx } = platform
  await insertAsset(platform, 'waits')
  await makeAlarm(platform, { name: 'Waits', entityIds: ['waits'], noDataSeconds: 60 })
  await ctx.db
    .updateTable('assets')
    .set({ created_at: anHourAgo() } as never)
    .where('id', '=', 'waits')
    .execute()
  const ms = Date.now() - 600_000
  await bring(ctx, [{ assetId: 'waits', value: 50, ms }])
  const silent = (storedUntilMs: number | undefined) =>
    checkSilence({ ...ctx, stream: { readStoredUntilMs: async () => storedUntilMs } })
  await silent(ms + 59_000)
  await silent(undefined)
  expect(await listStates(ctx, 'waits', 'Waits')).toEqual([])
  await silent(ms + 61_000)
  expect(await listStates(ctx, 'waits', 'Waits')).toEqual(['active_unacknowledged'])
})
