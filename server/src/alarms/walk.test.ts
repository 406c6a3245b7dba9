import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { alarmRow, bring, hot, makeAlarm, listStates, storedSamples } from '../../test/harness/alarm-walk.ts'
import { insertAsset, makePumpModel } from '../../test/harness/assets.ts'
import { makeNotification } from '../../test/harness/notifications.ts'
import { type Platform, startPlatform } from '../../test/harness/platform.ts'
import { startTestJobs } from '../../test/harness/due-jobs.ts'
import { NOTIFY } from '../notifications/activate.ts'
import { crontab as allTimes } from '../start-up/housekeeping.ts'
import { createAlarms } from './create-alarms.ts'
import { acknowledgeAlarm } from './statuses/acknowledge.ts'
import { checkHold } from './watch/holds.ts'
import { checkSilence } from './watch/silence.ts'
import { alarmTasks } from './tasks.ts'
import { forgetAssets } from './watch/forget.ts'
import { evaluateInMemory, loadMissing } from './watch/evaluate-alarms.ts'
import { rememberEvaluation } from './after-commit.ts'
import { applyAlarms } from './apply-alarms.ts'
import { settled } from './watch/reevaluate.ts'

const crontab = allTimes
  .split('\n')
  .filter((line) => line.includes('alarm'))
  .join('\n')

let platform: Platform
beforeAll(async () => {
  platform = await startPlatform()
  await makePumpModel(platform)
})
afterAll(async () => {
  await settled(platform.ctx.alarms)
  await platform[Symbol.asyncDispose]()
})

let made = 0
let pump: string
beforeEach(async () => {
  pump = `pump-${++made}`
  await insertAsset(platform, pump)
})

const createAlarm = (fields: object = {}) => makeAlarm(platform, { entityIds: [pump], ...fields })
const at = (value: unknown, ms?: number, more: object = {}) =>
  bring(platform.ctx, [{ assetId: pump, value, ...(ms !== undefined && { ms }), ...more }])
const acknowledge = async () => {
  const row = await platform.ctx.db
    .selectFrom('alarm_statuses')
    .select('id')
    .where('asset_id', '=', pump)
    .where('state', '<>', 'cleared')
    .executeTakeFirstOrThrow()
  return acknowledgeAlarm(platform.ctx, { tenantId: 'default', alarmStatusId: row.id, by: 'ann' })
}
const states = () => listStates(platform.ctx, pump)
const kinds = (changes: { isActivation: boolean; status: { state: string } }[]) =>
  changes.map(({ isActivation, status }) => `${status.state}${isActivation ? '!' : ''}`)

/** Simulates the memory of a restarted server. */
const restart = () => {
  platform.ctx.alarms = createAlarms(platform.ctx)
}

test('[docs/alarms#states] a crossing that is acknowledged and returns is cleared, and may trigger again', async () => {
  await createAlarm()
  expect(await at(80)).toEqual([])
  const [change] = await at(81)
  expect(change).toMatchObject({ tenantId: 'default', isActivation: true })
  expect(change!.status).toMatchObject({
    entityId: pump,
    entityName: `Asset ${pump}`,
    value: 81,
    severity: 3,
  })
  expect(await at(82)).toEqual([])
  await acknowledge()
  expect(await states()).toEqual(['active_acknowledged'])
  expect(await at(83)).toEqual([])
  expect(kinds(await at(79))).toEqual(['cleared'])
  expect(await at(78)).toEqual([])
  expect(kinds(await at(81))).toEqual(['active_unacknowledged!'])
  expect(await states()).toEqual(['cleared', 'active_unacknowledged'])
})

test('[docs/alarms#states] a crossing that returns and is then acknowledged does not trigger meanwhile', async () => {
  await createAlarm()
  await at(90)
  expect(kinds(await at(70))).toEqual(['inactive_unacknowledged'])
  expect([await at(90), await at(70), await at(90)]).toEqual([[], [], []])
  await acknowledge()
  expect(await states()).toEqual(['cleared'])
  expect(kinds(await at(91))).toEqual(['active_unacknowledged!'])
})

test('an activation queues the notifications of its alarm', async () => {
  await makeNotification(platform, await createAlarm())
  await at(90)
  await at(70)
  const queued = 'select from graphile_worker.jobs where task_identifier = $1'
  expect((await platform.ctx.pool.query(queued, [NOTIFY])).rowCount).toBe(1)
})

test('an alarm that flaps within one batch activates once, and its final state is stored', async () => {
  await createAlarm()
  const now = Date.now() - 60_000
  const flaps = Array.from({ length: 50 }, (_, i) => ({ assetId: pump, value: i % 2 ? 70 : 90, ms: now + i }))
  expect(kinds(await bring(platform.ctx, flaps.toReversed()))).toEqual([
    'active_unacknowledged!',
    'inactive_unacknowledged',
  ])
  expect(await states()).toEqual(['inactive_unacknowledged'])
})

test('a sample older than the newest of its signal changes nothing, also after a restart', async () => {
  await createAlarm()
  const now = Date.now()
  await at(90, now - 1000)
  expect(await at(70, now - 5000)).toEqual([])
  restart()
  expect(await at(70, now - 4000)).toEqual([])
  expect(await states()).toEqual(['active_unacknowledged'])
  expect(kinds(await at(70, now))).toEqual(['inactive_unacknowledged'])
  await acknowledge()
  expect(await at(90, now - 2000)).toEqual([])
  expect(await states()).toEqual(['cleared'])
})

test('samples later than maxLatenessSeconds are not evaluated', async () => {
  await createAlarm({ maxLatenessSeconds: 60 })
  expect(await at(90, Date.now() - 120_000)).toEqual([])
  expect(kinds(await at(90, Date.now() - 30_000))).toEqual(['active_unacknowledged!'])
})

test('a clock that is a year ahead does not silence an asset for a year', async () => {
  await createAlarm()
  expect(await at(70, Date.now() + 365 * 86_400_000)).toEqual([])
  expect(kinds(await at(90))).toEqual(['active_unacknowledged!'])
  restart()
  expect(kinds(await at(70))).toEqual(['inactive_unacknowledged'])
})

test('a condition over several signals reads the last known value of each, also of components and after a restart', async () => {
  const condition = JSON.stringify({
    and: [{ '>': [{ var: 'temperature' }, 80] }, { '>': [{ var: 'motor.rpm' }, 1000] }],
  })
  await createAlarm({ condition })
  expect(await at(90)).toEqual([])
  restart()
  expect(kinds(await at(1500, undefined, { name: 'rpm', componentId: 'motor' }))).toEqual([
    'active_unacknowledged!',
  ])
  expect(kinds(await at(10))).toEqual(['inactive_unacknowledged'])
})

test('the values of one message are evaluated together', async () => {
  const condition = JSON.stringify({ '>': [{ var: 'temperature' }, { var: 'pressure' }] })
  await createAlarm({ condition })
  const ms = Date.now()
  const both = (t: number, p: number, time: number) =>
    bring(platform.ctx, [
      { assetId: pump, value: t, ms: time },
      { assetId: pump, name: 'pressure', value: p, ms: time },
    ])
  expect(await both(1, 2, ms - 10)).toEqual([])
  expect(await both(10, 20, ms - 5)).toEqual([])
  expect(kinds(await both(30, 20, ms))).toEqual(['active_unacknowledged!'])
})

test('between the thresholds of condition and clearCondition nothing changes', async () => {
  await createAlarm({ clearCondition: JSON.stringify({ '<': [{ var: 'temperature' }, 60] }) })
  await at(90)
  expect(await at(70)).toEqual([])
  expect(kinds(await at(59))).toEqual(['inactive_unacknowledged'])
})

test('a transaction that fails leaves nothing in memory', async () => {
  await createAlarm()
  expect(await bring(platform.ctx, [{ assetId: pump, value: 90 }], { isLost: true })).toEqual([])
  expect(kinds(await at(90))).toEqual(['active_unacknowledged!'])
})

test('duplicates, other tenants and clients with the id of the asset have no effect', async () => {
  await createAlarm()
  const ms = Date.now()
  await at(90, ms)
  expect(await at(90, ms)).toEqual([])
  const [sample] = await storedSamples(platform.ctx, [{ assetId: pump, value: 1 }])
  const { alarms } = platform.ctx
  for (const other of [
    { tenantId: 'nobody' },
    { ownerType: 'client' as const },
    { type: 'propertyReported' as const },
  ]) {
    await loadMissing(alarms, [{ ...sample!, ...other }])
    expect((await evaluateInMemory(alarms, [{ ...sample!, ...other }])).crossings).toEqual([])
  }
})

test('once everything is in memory, an evaluation asks no database', async () => {
  await createAlarm()
  await at(1)
  const samples = await storedSamples(platform.ctx, [{ assetId: pump, value: 2 }])
  expect(loadMissing(platform.ctx.alarms, samples)).toBeUndefined()
  await makeAlarm(platform, { entityIds: [pump] })
  expect(loadMissing(platform.ctx.alarms, samples)).toBeInstanceOf(Promise)
})

test('batches that overtake each other end in the state of the newest sample', async () => {
  await createAlarm()
  await at(1, Date.now() - 1000)
  const { ctx } = platform
  const now = Date.now() - 10
  const [high, low] = await storedSamples(ctx, [
    { assetId: pump, value: 90, ms: now },
    { assetId: pump, value: 70, ms: now + 1 },
  ])
  const first = await evaluateInMemory(ctx.alarms, [high!])
  const second = await evaluateInMemory(ctx.alarms, [low!])
  expect(second.crossings).toEqual([])
  const changes = await ctx.db.transaction().execute((tx) => applyAlarms(ctx.alarms, tx, first))
  rememberEvaluation(ctx.alarms, second, [])
  rememberEvaluation(ctx.alarms, first, changes)
  await settled(ctx.alarms)
  expect(await states()).toEqual(['inactive_unacknowledged'])
})

test('forSeconds is evaluated by the time of the samples, without a gap', async () => {
  await createAlarm({ forSeconds: 60 })
  const now = Date.now() - 600_000
  expect(await at(90, now)).toEqual([])
  expect(await at(90, now + 59_000)).toEqual([])
  expect(await at(70, now + 59_500)).toEqual([])
  expect(await at(90, now + 60_000)).toEqual([])
  restart()
  expect(await at(90, now + 119_000)).toEqual([])
  expect(kinds(await at(90, now + 120_000))).toEqual(['active_unacknowledged!'])
})

test('forSeconds is evaluated by the clock if no further sample arrives, and not before', async () => {
  const alarmId = await createAlarm({ forSeconds: 60 })
  const watched = { tenantId: 'default', alarmId, assetId: pump }
  await at(90)
  const { rows } =
    await sql`select from graphile_worker.jobs where key = ${`${alarmId} ${pump}`} and run_at > now() + interval '50 seconds'`.execute(
      platform.ctx.db,
    )
  expect(rows).toHaveLength(1)
  await checkHold(platform.ctx, watched)
  expect(await states()).toEqual([])
  const passes = () =>
    sql`update alarm_holds set due_at = now() where alarm_id = ${alarmId}`.execute(platform.ctx.db)
  await passes()
  restart()
  await Promise.all([checkHold(platform.ctx, watched), checkHold(platform.ctx, watched)])
  expect(await states()).toEqual(['active_unacknowledged'])
  expect(kinds(await at(70))).toEqual(['inactive_unacknowledged'])
  await acknowledge()
  await at(90)
  await at(70)
  await passes()
  await checkHold(platform.ctx, watched)
  expect(await states()).toEqual(['cleared'])
})

test('a hold whose alarm no longer watches the asset ends without an activation', async () => {
  const alarmId = await createAlarm({ forSeconds: 60 })
  await at(90)
  const { db } = platform.ctx
  await sql`update alarm_holds set due_at = now() where alarm_id = ${alarmId}`.execute(db)
  await sql`update alarms set entity_ids = '{another}' where id = ${alarmId}`.execute(db)
  await checkHold(platform.ctx, { tenantId: 'default', alarmId, assetId: pump })
  expect(await states()).toEqual([])
  const { rows } = await sql`select from alarm_holds where alarm_id = ${alarmId}`.execute(db)
  expect(rows).toEqual([])
})

test('a worker runs the job of a hold', async () => {
  await createAlarm({ forSeconds: 1 })
  const { ctx } = platform
  const jobs = await startTestJobs(ctx, alarmTasks(ctx), crontab)
  try {
    await at(90)
    await vi.waitFor(async () => expect(await states()).toEqual(['active_unacknowledged']), {
      interval: 100,
    })
  } finally {
    await jobs[Symbol.asyncDispose]()
  }
})

test('with noDataSeconds, silence activates once and the next sample ends it', async () => {
  await createAlarm({ noDataSeconds: 60 })
  const silent = () => checkSilence(platform.ctx)
  await silent()
  expect(await states()).toEqual([])
  await sql`update assets set created_at = now() - interval '1 hour' where id = ${pump}`.execute(
    platform.ctx.db,
  )
  await at(50)
  await silent()
  expect(await states()).toEqual([])
  await sql`update sample_rows set time = time - interval '2 minutes'`.execute(platform.ctx.db)
  restart()
  await silent()
  await silent()
  expect(await states()).toEqual(['active_unacknowledged'])
  expect(await at(50, Date.now() - 90_000)).toEqual([])
  expect(kinds(await at(50))).toEqual(['inactive_unacknowledged'])
})

test('an alarm without a condition detects silence of every signal', async () => {
  await createAlarm({ condition: null, noDataSeconds: 60 })
  await sql`update assets set created_at = now() - interval '1 hour' where id = ${pump}`.execute(
    platform.ctx.db,
  )
  await checkSilence(platform.ctx)
  expect(await states()).toEqual(['active_unacknowledged'])
  expect(kinds(await at('on', undefined, { name: 'status' }))).toEqual(['inactive_unacknowledged'])
})

test.each([
  ['of the signal that its condition reads', {}, ['active_unacknowledged']],
  ['of every signal where it has no condition', { condition: null }, []],
])('an alarm detects silence %s', async (_of, fields, expected) => {
  await createAlarm({ ...fields, noDataSeconds: 60 })
  await sql`update assets set created_at = now() - interval '1 hour' where id = ${pump}`.execute(
    platform.ctx.db,
  )
  await at('on', undefined, { name: 'status' })
  await checkSilence(platform.ctx)
  expect(await states()).toEqual(expected)
})

test('a change of the condition settles what is open; a change of the name does not', async () => {
  const id = await createAlarm()
  const url = `/v1/alarms/${id}`
  await at(90)
  expect((await platform.put(url, { name: 'Very hot', severity: 5 })).status).toBe(200)
  expect(await states()).toEqual(['active_unacknowledged'])
  const condition = JSON.stringify({ '>': [{ var: 'temperature' }, 95] })
  await platform.put(url, { name: 'Very hot', condition })
  expect(await states()).toEqual(['cleared'])
  expect(await at(94)).toEqual([])
  const [change] = await at(96)
  expect(change!.status).toMatchObject({ alarmName: 'Very hot', severity: 5 })
  const history = await platform.get(`/v1/alarms/status/history?entityId=${pump}`)
  expect(history.body[0]).toMatchObject({ state: 'cleared', clearedReason: 'alarm_changed' })
})

test('an evaluation of an older version of the alarm decides nothing', async () => {
  const id = await createAlarm()
  await at(1)
  const { ctx } = platform
  const samples = await storedSamples(ctx, [{ assetId: pump, value: 90 }])
  const evaluation = await evaluateInMemory(ctx.alarms, samples)
  await platform.put(`/v1/alarms/${id}`, { name: 'Hot', condition: hot.replace('80', '100') })
  expect(await ctx.db.transaction().execute((tx) => applyAlarms(ctx.alarms, tx, evaluation))).toEqual([])
  expect((await alarmRow(ctx, id)).revision).toBe(2)
  expect(await states()).toEqual([])
})

test('a change of assets settles only the statuses of assets that are no longer watched; deleting settles all', async () => {
  const other = `${pump}-b`
  await insertAsset(platform, other)
  const id = await createAlarm({ entityIds: [pump, other] })
  await bring(platform.ctx, [
    { assetId: pump, value: 90 },
    { assetId: other, value: 90 },
  ])
  await platform.put(`/v1/alarms/${id}`, { name: 'Hot', entityIds: [other] })
  expect([await states(), await listStates(platform.ctx, other)]).toEqual([
    ['cleared'],
    ['active_unacknowledged'],
  ])
  expect(await at(95)).toEqual([])
  await platform.delete(`/v1/alarms/${id}`)
  expect(await listStates(platform.ctx, other)).toEqual(['cleared'])
  expect(await bring(platform.ctx, [{ assetId: other, value: 99 }])).toEqual([])
})

test('a forgotten asset is loaded again: an alarm whose status was deleted in the database triggers again', async () => {
  await createAlarm()
  await at(90)
  await sql`update alarm_statuses set state = 'cleared', cleared_at = now() where asset_id = ${pump}`.execute(
    platform.ctx.db,
  )
  forgetAssets(platform.ctx.alarms, 'default', [pump])
  expect(kinds(await at(91))).toEqual(['active_unacknowledged!'])
})

test('every change is published once it is committed, whatever caused it', async () => {
  await createAlarm()
  const publish = vi.spyOn(platform.ctx.push, 'publishAlarms')
  await at(90)
  await acknowledge()
  const published = publish.mock.calls.flatMap(([changes]) => changes.map(({ status }) => status.state))
  expect(published).toEqual(['active_unacknowledged', 'active_acknowledged'])
  publish.mockRestore()
})
