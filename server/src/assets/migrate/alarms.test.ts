/** Alarms watch the assets of one model: assets that are migrated or deleted have no open alarms of it. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import {
  alarmRow,
  bring,
  hot,
  makeAlarm,
  listStates,
  storedSamples,
  startAlarmPlatform,
} from '../../../test/harness/alarm-walk.ts'
import { insertAsset, insertBinding, makeModel } from '../../../test/harness/assets.ts'
import type { Platform } from '../../../test/harness/platform.ts'
import type { AlarmChange } from '../../alarms/statuses/alarm-change.ts'
import { checkHold } from '../../alarms/watch/holds.ts'
import { evaluateInMemory, loadMissing } from '../../alarms/watch/evaluate-alarms.ts'
import { settled } from '../../alarms/watch/reevaluate.ts'
import { applyAlarms } from '../../alarms/apply-alarms.ts'

const next = 'dtmi:com:example:Pump;2'
let platform: Platform
const published: AlarmChange[] = []
beforeAll(async () => {
  platform = await startAlarmPlatform()
  await makeModel(platform, next, [{ '@type': 'Telemetry', name: 'temperature', schema: 'double' }])
  vi.spyOn(platform.ctx.push, 'publishAlarms').mockImplementation(
    (changes) => void published.push(...changes),
  )
})
afterAll(() => platform[Symbol.asyncDispose]())

const migrate = async (assetIds: string[], fields: object = {}) =>
  platform.post('/v1/assets/migrate', { targetAssetModelId: next, assetIds, ...fields })
const openOn = async (assetId: string) => (await platform.get(`/v1/alarms/status/entity/${assetId}`)).body
const holdsOn = (assetId: string) =>
  platform.ctx.db.selectFrom('alarm_holds').selectAll().where('asset_id', '=', assetId).execute()
const publishedStatuses = (assetId: string) =>
  published.filter(({ status }) => status.entityId === assetId).map(({ status }) => status)

test('open alarms of the old model are cleared by the migration, and subscribers are notified', async () => {
  for (const id of ['moves', 'stays']) await insertAsset(platform, id)
  const alarmId = await makeAlarm(platform)
  const hotter = await makeAlarm(platform, { name: 'Waits', forSeconds: 600 })
  for (const assetId of ['moves', 'stays']) await bring(platform.ctx, [{ assetId, value: 90 }])
  expect(await migrate(['moves'], { dryRun: true })).toMatchObject({ status: 200 })
  expect(await listStates(platform.ctx, 'moves')).toEqual(['active_unacknowledged'])
  expect((await migrate(['moves'])).status).toBe(200)
  expect(await openOn('moves')).toEqual([])
  const history = await platform.get('/v1/alarms/status/history?entityId=moves')
  expect(history.body).toMatchObject([{ alarmId, state: 'cleared', clearedReason: 'asset_migrated' }])
  expect(publishedStatuses('moves').at(-1)).toMatchObject({ state: 'cleared' })
  expect(await holdsOn('moves')).toEqual([])
  // Assets that were not migrated did not change.
  expect(await openOn('stays')).toMatchObject([{ alarmId, state: 'active_unacknowledged' }])
  expect(await holdsOn('stays')).toMatchObject([{ alarm_id: hotter }])
  // After a migration to its own model, it is watched as before.
  await migrate(['stays'], { targetAssetModelId: 'dtmi:com:example:Pump;1' })
  expect(await openOn('stays')).toHaveLength(1)
  for (const id of [alarmId, hotter]) await platform.delete(`/v1/alarms/${id}`)
})

test('a sample that was evaluated before the migration activates no alarm after it', async () => {
  const { ctx } = platform
  await insertAsset(platform, 'late')
  const alarmIds = [await makeAlarm(platform), await makeAlarm(platform, { forSeconds: 600 })]
  const samples = await storedSamples(ctx, [{ assetId: 'late', value: 90 }])
  await loadMissing(ctx.alarms, samples)
  const { crossings } = await evaluateInMemory(ctx.alarms, samples)
  expect(crossings).toHaveLength(2)
  await migrate(['late'])
  expect(
    await ctx.db
      .transaction()
      .execute((tx) => applyAlarms(ctx.alarms, tx, { crossings, sharedAssets: undefined })),
  ).toEqual([])
  expect([await listStates(ctx, 'late'), await holdsOn('late')]).toEqual([[], []])
  // The alarms of the new model watch it from then on.
  alarmIds.push(await makeAlarm(platform, { name: 'New', entityTypeId: next, condition: hot }))
  const [change] = await bring(ctx, [{ assetId: 'late', value: 91 }])
  expect(change!.status).toMatchObject({ alarmName: 'New', state: 'active_unacknowledged' })
  for (const id of alarmIds) await platform.delete(`/v1/alarms/${id}`)
})

test('concurrent samples and migrations of the same assets leave no alarm open', async () => {
  const { ctx } = platform
  const alarmId = await makeAlarm(platform)
  const ids = ['r-1', 'r-2', 'r-3', 'r-4']
  for (const id of ids) await insertAsset(platform, id)
  await bring(
    ctx,
    ids.map((assetId) => ({ assetId, value: 1 })),
  )
  const [, migrated] = await Promise.all([
    Promise.all(ids.toReversed().map((assetId) => bring(ctx, [{ assetId, value: 90 }]))),
    migrate(ids),
  ])
  expect(migrated.status).toBe(200)
  await settled(ctx.alarms)
  for (const id of ids) expect(await openOn(id)).toEqual([])
  await platform.delete(`/v1/alarms/${alarmId}`)
})

test('subscribers are notified that the alarms of a deleted asset end; a new asset with its id inherits no pending alarm', async () => {
  const { ctx } = platform
  await insertAsset(platform, 'goes')
  const alarmIds = [await makeAlarm(platform), await makeAlarm(platform, { forSeconds: 600 })]
  await bring(ctx, [{ assetId: 'goes', value: 90 }])
  expect((await platform.delete('/v1/assets/goes')).status).toBe(204)
  expect(publishedStatuses('goes').at(-1)).toMatchObject({ state: 'cleared', clearedReason: 'asset_deleted' })
  expect(await holdsOn('goes')).toEqual([])
  for (const id of alarmIds) await platform.delete(`/v1/alarms/${id}`)
})

test('a new asset with the id of a deleted one has no history: its older samples activate alarms', async () => {
  const { ctx } = platform
  await insertAsset(platform, 'again')
  const alarmId = await makeAlarm(platform)
  await bring(ctx, [{ assetId: 'again', value: 90 }])
  await platform.delete('/v1/assets/again')
  await insertAsset(platform, 'again')
  const hourAgo = Date.now() - 3_600_000
  expect(await bring(ctx, [{ assetId: 'again', value: 95, ms: hourAgo }])).toHaveLength(1)
  expect(await listStates(ctx, 'again')).toEqual(['cleared', 'active_unacknowledged'])
  await platform.delete(`/v1/alarms/${alarmId}`)
})

test('a pending alarm that no longer watches the asset ends with its job', async () => {
  const { ctx } = platform
  await insertAsset(platform, 'left')
  const alarmId = await makeAlarm(platform, { forSeconds: 600 })
  await bring(ctx, [{ assetId: 'left', value: 90 }])
  // Simulates that it was not settled.
  await ctx.db.updateTable('assets').set({ model_id: next }).where('id', '=', 'left').execute()
  await ctx.db
    .updateTable('alarm_holds')
    .set({ due_at: new Date(0) })
    .where('alarm_id', '=', alarmId)
    .execute()
  await checkHold(ctx, { tenantId: 'default', alarmId, assetId: 'left' })
  expect(await holdsOn('left')).toEqual([])
  expect((await alarmRow(ctx, alarmId)).revision).toBe(1)
})

test('bindings of other assets that are broken by it are named and have a lastError [docs/assets#migration]', async () => {
  for (const id of ['read', 'reader', 'both']) await insertAsset(platform, id)
  await insertBinding(platform, 'reader/-/telemetry/temperature', ['read/-/telemetry/temperature'])
  await insertBinding(platform, 'reader/-/telemetry/pressure', [
    'read/-/telemetry/pressure',
    'read/-/telemetry/temperature',
  ])
  await insertBinding(platform, 'reader/-/command/start', ['read/-/command/start'])
  await insertBinding(platform, 'both/-/telemetry/pressure', ['read/-/telemetry/pressure'])
  const broken = [
    { localEndpointId: 'reader/-/command/start', remoteEndpointId: 'read/-/command/start' },
    { localEndpointId: 'reader/-/telemetry/pressure', remoteEndpointId: 'read/-/telemetry/pressure' },
  ]
  const errors = async () =>
    (await platform.get('/v1/assets/reader/bindings')).body.bindings.map(
      ({ localEndpointId, lastError }: { localEndpointId: string; lastError?: { message: string } }) => [
        localEndpointId,
        lastError?.message.split(' ')[0],
      ],
    )
  const unharmed = await errors()
  // The migration removes the binding of `both`, which is therefore not broken.
  const dry = await migrate(['read', 'both'], { dryRun: true })
  expect(dry.body.assets).toMatchObject([{ assetId: 'read', brokenBindings: broken }, { brokenBindings: [] }])
  expect(await errors()).toEqual(unharmed)
  const { body } = await migrate(['read', 'both'])
  expect(body).toEqual(dry.body)
  expect(await errors()).toEqual([
    ['reader/-/command/start', 'read/-/command/start'],
    ['reader/-/telemetry/pressure', 'read/-/telemetry/pressure'],
    ['reader/-/telemetry/temperature', undefined],
  ])
  // After the migration back, the endpoints that they read exist again.
  const back = await migrate(['read'], { targetAssetModelId: 'dtmi:com:example:Pump;1' })
  expect(back.body.assets).toMatchObject([{ brokenBindings: [] }])
  expect(await errors()).toEqual(unharmed)
})
