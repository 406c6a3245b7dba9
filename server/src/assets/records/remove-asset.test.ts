/**
 * Deleting an asset or a provider client removes its bindings and its history, and ends the alarms of an asset. Objects
 * with the same id and those of other tenants keep theirs.
 */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { insertAsset, insertBinding, makePumpModel } from '../../../test/harness/assets.ts'
import { type Platform, startPlatform } from '../../../test/harness/platform.ts'
import { storeSamples } from '../../../test/harness/telemetry.ts'
import { newId } from '../../lib/ids.ts'
import { findStream, rememberStream } from '../../timeseries/storage/series-registry.ts'
import { timeseriesTasks } from '../../timeseries/tasks.ts'
import type { BindingChange } from '../bindings/binding-changes.ts'
import { listBindings } from '../bindings/store.ts'
import { DELETE_SAMPLES } from './remove-asset.ts'

let platform: Platform
let tenantNumber: number
const changes: BindingChange[] = []
beforeAll(async () => {
  platform = await startPlatform()
  await makePumpModel(platform)
  platform.ctx.bindingListeners.push((change) => changes.push(change))
  const tenant = platform.ctx.db.selectFrom('tenants').select('number').where('id', '=', 'default')
  tenantNumber = (await tenant.executeTakeFirstOrThrow()).number
})
beforeEach(() => void changes.splice(0))
afterAll(() => platform[Symbol.asyncDispose]())

const makeClient = (id: string) => platform.post('/v1/providers/mqtt/clients', { id, displayName: id })
const removeAsset = (id: string) => platform.delete(`/v1/assets/${id}`)
const removeClient = (id: string) => platform.delete(`/v1/providers/mqtt/clients/${id}`)
const listRemotes = async (assetId: string) =>
  (await listBindings(platform.ctx.db, 'default', assetId)).map(({ name, remotes }) => [
    name,
    remotes.map(({ instanceType, instanceId }) => `${instanceType} ${instanceId}`),
  ])
const announced = () => changes.map(({ instanceIds }) => instanceIds?.toSorted())

test('bindings lose the remotes of a deleted asset; a binding without remotes is deleted', async () => {
  for (const id of ['gone', 'other', 'reader']) await insertAsset(platform, id)
  await insertBinding(platform, 'gone/-/telemetry/temperature', ['other/-/telemetry/temperature'])
  await insertBinding(platform, 'reader/-/telemetry/temperature', ['gone/-/telemetry/temperature'])
  await insertBinding(platform, 'reader/-/telemetry/pressure', [
    'gone/-/telemetry/pressure',
    'other/-/telemetry/pressure',
  ])
  expect((await removeAsset('gone')).status).toBe(204)
  expect(await listRemotes('reader')).toEqual([['pressure', ['asset other']]])
  expect((await platform.get('/v1/assets/reader')).body.contentBindings).toEqual([
    { endpointId: 'reader/-/telemetry/pressure', instanceId: 'other' },
  ])
  expect(announced()).toEqual([['gone', 'other', 'reader']])
  const left = await platform.ctx.db.selectFrom('asset_bindings').select('name').execute()
  expect(left).toEqual([{ name: 'pressure' }])
})

test('bindings to a deleted provider client are removed; those to an asset with the same id stay', async () => {
  await makeClient('twin')
  await insertAsset(platform, 'a')
  await insertAsset(platform, 'b')
  await insertBinding(platform, 'a/-/telemetry/temperature', ['twin/-/telemetry/t'])
  await insertBinding(platform, 'a/-/telemetry/pressure', ['b/-/telemetry/pressure', 'twin/-/telemetry/p'])
  await insertAsset(platform, 'twin')
  expect((await removeAsset('twin')).status).toBe(204)
  expect(await listRemotes('a')).toEqual([
    ['pressure', ['asset b', 'client twin']],
    ['temperature', ['client twin']],
  ])
  changes.splice(0)
  expect((await removeClient('twin')).status).toBe(204)
  expect(await listRemotes('a')).toEqual([['pressure', ['asset b']]])
  expect(announced()).toEqual([['a', 'b', 'twin']])
})

test('deleting a client without bindings publishes no binding change', async () => {
  await makeClient('lonely')
  expect((await removeClient('lonely')).status).toBe(204)
  expect(changes).toEqual([])
})

test('two assets that read from each other can be deleted at the same moment', async () => {
  for (let round = 0; round < 5; round++) {
    const [x, y] = [`x-${round}`, `y-${round}`]
    await insertAsset(platform, x)
    await insertAsset(platform, y)
    await insertBinding(platform, `${x}/-/telemetry/temperature`, [`${y}/-/telemetry/temperature`])
    await insertBinding(platform, `${y}/-/telemetry/temperature`, [`${x}/-/telemetry/temperature`])
    const answers = await Promise.all([removeAsset(x), removeAsset(y), removeAsset(x)])
    expect(answers.map(({ status }) => status).toSorted()).toEqual([204, 204, 404])
  }
})

test('its history is deleted; that of a client with the same id stays', async () => {
  const { ctx } = platform
  await insertAsset(platform, 'past')
  await makeClient('past')
  const owner = { tenantNumber, ownerType: 'asset', ownerId: 'past' } as const
  const samples = [
    { name: 'temperature', time: Date.now(), value: 1 },
    { name: 'temperature', time: 0, value: 2 },
    { name: 'status', time: Date.now(), value: 'on' },
  ]
  await storeSamples(ctx, owner, samples)
  await storeSamples(ctx, { ...owner, ownerType: 'client' }, samples)
  const key = { ...owner, type: 'telemetry' } as const
  rememberStream(ctx.series, key, { number: 12345, slots: new Map(), lastHours: [], isFull: false })
  await removeAsset('past')
  expect(findStream(ctx.series, key, key.type)).toBe(undefined)
  const series = ctx.db.selectFrom('series').select('owner_type').where('owner_id', '=', 'past')
  expect(await series.execute()).toEqual([{ owner_type: 'client' }, { owner_type: 'client' }])
  const { rows: jobs } = await ctx.pool.query(
    'select payload from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id where t.identifier = $1',
    [DELETE_SAMPLES],
  )
  expect(jobs).toEqual([
    {
      payload: {
        tenantNumber,
        seriesNumbers: [expect.any(Number), expect.any(Number)],
        streamNumbers: [expect.any(Number)],
      },
    },
  ])
  const count = async () =>
    (
      await ctx.pool.query(
        'select count(numbers)::int as numbers, count(others)::int as others from sample_rows',
      )
    ).rows[0]
  expect(await count()).toEqual({ numbers: 4, others: 2 })
  // The job may run twice.
  for (let time = 0; time < 2; time++) await timeseriesTasks(ctx)[DELETE_SAMPLES]!(jobs[0].payload)
  expect(await count()).toEqual({ numbers: 2, others: 1 })
})

test('its alarms end and stay in the history', async () => {
  const { db } = platform.ctx
  await insertAsset(platform, 'alarmed')
  const status = (
    state: 'active_acknowledged' | 'cleared' | 'inactive_unacknowledged',
    assetId = 'alarmed',
  ) => ({
    id: newId(),
    tenant_id: 'default',
    alarm_id: newId(),
    alarm_name: 'Hot',
    severity: 3,
    asset_id: assetId,
    asset_name: 'Pump',
    state,
    activated_at: '2026-01-01T00:00:00Z',
    acknowledged_at: null,
    acknowledged_by: null,
    inactive_at: state === 'active_acknowledged' ? null : '2026-01-02T00:00:00Z',
    cleared_at: state === 'cleared' ? '2026-01-02T00:00:00Z' : null,
    value: '1',
    time: '2026-01-01T00:00:00Z',
  })
  const [open, half, past, foreign] = [
    status('active_acknowledged'),
    status('inactive_unacknowledged'),
    status('cleared'),
    status('active_acknowledged', 'somebody-else'),
  ]
  await db.insertInto('alarm_statuses').values([open, half, past, foreign]).execute()
  await removeAsset('alarmed')
  const rows = await db
    .selectFrom('alarm_statuses')
    .select(['id', 'state', 'inactive_at', 'cleared_at', 'cleared_reason'])
    .execute()
  const row = ({ id }: { id: string }) => rows.find((one) => one.id === id)
  const then = new Date('2026-01-02T00:00:00Z')
  expect(row(open)).toMatchObject({
    state: 'cleared',
    inactive_at: expect.any(Date),
    cleared_at: expect.any(Date),
    cleared_reason: 'asset_deleted',
  })
  expect(row(half)).toMatchObject({ state: 'cleared', inactive_at: then, cleared_at: expect.any(Date) })
  expect(row(past)).toMatchObject({ state: 'cleared', cleared_at: then })
  expect(row(foreign)).toMatchObject({ state: 'active_acknowledged', cleared_at: null })
})

test('nothing of another tenant is deleted, even with the same ids', async () => {
  const { token, organizationId } = await platform.makeTenant('neighbour')
  const definition = { '@context': 'dtmi:dtdl:context;3', '@id': 'dtmi:n;1', '@type': 'Interface' }
  await platform.post('/v1/models', { organizationId, definition }, { token })
  const body = { id: 'shared-id', modelId: 'dtmi:n;1', displayName: 'N', organizationId }
  expect((await platform.post('/v1/assets', body, { token })).status).toBe(201)
  await insertAsset(platform, 'shared-id')
  await insertAsset(platform, 'watcher')
  await insertBinding(platform, 'watcher/-/telemetry/temperature', ['shared-id/-/telemetry/temperature'])
  expect((await platform.delete('/v1/assets/shared-id', { token })).status).toBe(204)
  expect(await listRemotes('watcher')).toEqual([['temperature', ['asset shared-id']]])
  expect(changes).toMatchObject([{ tenantId: 'neighbour', instanceIds: ['shared-id'] }])
})
