import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeAlarm, statesOf } from '../../test/harness/alarm-walk.ts'
import { insertAsset, makePumpModel } from '../../test/harness/assets.ts'
import { type Platform, startPlatform } from '../../test/harness/platform.ts'
import { checkSilence } from './silence.ts'

let platform: Platform
beforeAll(async () => {
  platform = await startPlatform()
  await makePumpModel(platform)
})
afterAll(async () => {
  await platform.ctx.alarms.settled()
  await platform[Symbol.asyncDispose]()
})

test('an alarm that cannot be looked at holds up no other, and is told', async () => {
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
  expect(await statesOf(platform.ctx, 'first')).toEqual([])
  expect(await statesOf(platform.ctx, 'second')).toEqual(['active_unacknowledged'])
  await pool.query('drop trigger refuse_first on alarm_statuses')
  await checkSilence(platform.ctx)
  expect(await statesOf(platform.ctx, 'first')).toEqual(['active_unacknowledged'])
})
