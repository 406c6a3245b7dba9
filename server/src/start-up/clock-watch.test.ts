/** The clock is set back by a day: times that were stored before must not delay anything. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import {
  bring,
  makeAlarm,
  listStates,
  storedSamples,
  startAlarmPlatform,
} from '../../test/harness/alarm-walk.ts'
import { insertAsset } from '../../test/harness/assets.ts'
import { testLog } from '../../test/harness/log.ts'
import type { Platform } from '../../test/harness/platform.ts'
import { migrateJobs, startJobs } from '../jobs/jobs.ts'
import type { StoredSample } from '../timeseries/storage/stored-sample.ts'
import { createClock, correctFutureTimes } from './clock-watch.ts'
import { resetFutureTimes } from './future-times.ts'
import { evaluateInMemory, loadMissing } from '../alarms/watch/evaluate-alarms.ts'
import { rememberEvaluation } from '../alarms/after-commit.ts'

const DAY_MS = 24 * 3600 * 1000

let platform: Platform
beforeAll(async () => {
  platform = await startAlarmPlatform()
  await migrateJobs(platform.ctx.pool, testLog)
})
afterAll(() => platform[Symbol.asyncDispose]())

test('a clock that is set back is reported once, one that runs normally or is set forward is not', () => {
  let [wallMs, steadyMs] = [1_000_000_000, 0]
  const setBackMs = createClock(
    () => wallMs,
    () => steadyMs,
  )
  const pass = (wall: number, steady = wall) => {
    wallMs += wall
    steadyMs += steady
    return setBackMs()
  }
  expect(pass(5_000)).toBe(0)
  expect(pass(-3_595_000, 5_000)).toBe(3_600_000)
  expect(pass(5_000)).toBe(0)
  expect(pass(3_600_000, 5_000)).toBe(0)
  expect(pass(4_000, 5_000)).toBe(0)
})

test('an alarm that moved before the clock went back ends and activates again', async () => {
  const { ctx } = platform
  await makeAlarm(platform)
  await insertAsset(platform, 'set-back')
  const moved = async (value: number) => {
    await bring(ctx, [{ assetId: 'set-back', value }])
    return listStates(ctx, 'set-back')
  }
  expect(await moved(90)).toEqual(['active_unacknowledged'])
  await ctx.pool.query(`update alarm_statuses set moved_by_time = now() + interval '1 day'`)
  expect(await moved(1)).toEqual(['inactive_unacknowledged'])
})

test('samples after the clock was set back are evaluated, although memory has later ones', async () => {
  const { ctx } = platform
  await insertAsset(platform, 'in-memory')
  const [sample] = (await storedSamples(ctx, [{ assetId: 'in-memory', value: 1 }])) as [StoredSample]
  const aheadMs = Date.now() + DAY_MS
  await loadMissing(ctx.alarms, [sample])
  rememberEvaluation(
    ctx.alarms,
    await evaluateInMemory(ctx.alarms, [{ ...sample, timeMs: aheadMs }], aheadMs),
    [],
  )
  const { crossings } = await evaluateInMemory(ctx.alarms, [{ ...sample, value: 90, timeMs: Date.now() }])
  expect(crossings.map(({ crossing }) => crossing)).toEqual(['crosses'])
})

test('future times become the present at the start: periodic work, jobs, holds, leases, pauses', async () => {
  const { pool } = platform.ctx
  await pool.query(`insert into graphile_worker._private_known_crontabs
    values ('tick', now() + interval '1 day', now() + interval '1 day')`)
  await pool.query(`select graphile_worker.add_job('later', run_at := now() + interval '1 day 90 seconds')`)
  await pool.query(
    `update graphile_worker._private_jobs set created_at = now() + interval '1 day', updated_at = created_at`,
  )
  await pool.query(`insert into login_failures values ('set-back', 50, now() + interval '1 day')`)
  await resetFutureTimes(pool, testLog)
  const { rows } = await pool.query(`
    select (select max(last_execution) <= now() from graphile_worker._private_known_crontabs) as cron,
      (select max(run_at) between now() + interval '1 minute' and now() + interval '2 minutes' from graphile_worker.jobs) as job,
      (select last_failure_at <= now() from login_failures where key = 'set-back') as failures,
      (select bool_and(moved_by_time <= now()) from alarm_statuses) as statuses`)
  expect(rows).toEqual([{ cron: true, job: true, failures: true, statuses: true }])
})

test('while the server runs, jobs continue after the clock was set back', async () => {
  const { ctx } = platform
  const run = vi.fn<() => Promise<void>>(async () => {})
  const jobs = await startJobs({ ...ctx, log: testLog, tasks: { run }, crontab: '* * * * * run' })
  await ctx.pool.query(
    `update graphile_worker._private_known_crontabs set last_execution = now() + interval '1 day'`,
  )
  await correctFutureTimes(ctx, jobs)
  const { rows } = await ctx.pool.query(
    `select max(last_execution) <= now() as due from graphile_worker._private_known_crontabs`,
  )
  expect(rows).toEqual([{ due: true }])
  await ctx.pool.query(`select graphile_worker.add_job('run')`)
  await vi.waitUntil(() => run.mock.calls.length > 0)
  await jobs[Symbol.asyncDispose]()
})
