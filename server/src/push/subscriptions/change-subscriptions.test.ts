import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { insertAsset, makePumpModel } from '../../../test/harness/assets.ts'
import { type Platform, startPlatform } from '../../../test/harness/platform.ts'
import {
  connectRealtime,
  makeClient,
  type RealtimeClient,
  sampleMaker,
} from '../../../test/harness/realtime.ts'
import { storeSamples } from '../../../test/harness/telemetry.ts'
import { makeUser, relate } from '../../../test/harness/users.ts'
import type { AlarmChange } from '../../alarms/statuses/alarm-change.ts'
import type { AlarmState } from '../../database/tables.ts'
import { newId } from '../../lib/ids.ts'
import type { StoredSample } from '../../timeseries/storage/stored-sample.ts'

let platform: Platform
let sample: (ownerId: string, value: unknown, fields?: Partial<StoredSample>) => StoredSample
let client: RealtimeClient
beforeAll(async () => {
  platform = await startPlatform()
  sample = await sampleMaker(platform)
  await makePumpModel(platform)
  for (const id of ['gauge', 'other', 'late', 'busy', 'sampled']) await makeClient(platform, id)
  await insertAsset(platform, 'pump')
  client = await connectRealtime(platform)
})
afterAll(() => platform[Symbol.asyncDispose]())

const url = '/v1/realtime/subscriptions'
const bodyFor = (assets: string[], fields: object = {}) => ({
  connectionId: client.connectionId,
  topic: 'telemetry',
  assets,
  ...fields,
})
const subscribe = async (assets: string[], fields: object = {}) => {
  const { status, body } = await platform.post(url, bodyFor(assets, fields))
  expect({ status, body }).toMatchObject({ status: 201 })
  return body
}
/** Waits until it has received all last values. */
async function settled(id: string) {
  await expect.poll(() => platform.ctx.push.subscriptions.get(id)?.start?.pending).toBeUndefined()
}
const push = (...samples: StoredSample[]) => platform.ctx.push.publishSamples(samples)
const values = async (count: number) => (await client.take(count)).map(({ value }) => value)

test('makes, lists, changes and deletes a subscription [docs/push#subscriptions]', async () => {
  const before = Date.now()
  const made = await subscribe(['gauge', 'pump'])
  const me = (await platform.get('/v1/auth/me')).body
  expect(made).toEqual({
    id: made.id,
    connectionId: client.connectionId,
    user: me.id,
    topic: 'telemetry',
    startTimestamp: expect.any(String),
    assets: ['gauge', 'pump'],
    timeseriesName: null,
    batched: false,
    samplingType: 'none',
    sampleIntervalSeconds: null,
  })
  expect(Date.parse(made.startTimestamp)).toBeGreaterThanOrEqual(before)
  expect((await platform.get(url)).body).toEqual([made])
  const change = {
    assets: ['pump'],
    timeseriesName: ['temperature'],
    batched: true,
    samplingType: 'first',
    sampleIntervalSeconds: 5,
  }
  const changed = (await platform.put(`${url}/${made.id}`, change)).body
  expect(changed).toEqual({ ...made, ...change, startTimestamp: changed.startTimestamp })
  expect((await platform.put(`${url}/${made.id}`, {})).body).toMatchObject(change)
  expect((await platform.get(url)).body).toHaveLength(1)
  const [shown] = (await platform.get(url)).body
  const ended = await platform.delete(`${url}/${made.id}`)
  expect([ended.status, ended.body]).toEqual([200, shown])
  expect((await platform.delete(`${url}/${made.id}`)).status).toBe(404)
  expect((await platform.put(`${url}/${made.id}`, {})).status).toBe(404)
  expect(platform.ctx.push.watchers.size).toBe(0)
})

test('a list of subscriptions has pages', async () => {
  const made = [await subscribe(['gauge']), await subscribe(['pump']), await subscribe(['other'])]
  const first = await platform.get(`${url}?limit=2`)
  expect(first.body.map(({ id }: { id: string }) => id)).toEqual([made[0].id, made[1].id])
  const next = /<(.*)>/.exec(first.headers.get('link')!)![1]!
  expect((await platform.get(next)).body).toEqual([made[2]])
  for (const { id } of made) await platform.delete(`${url}/${id}`)
})

test.each([
  ['no asset', { assets: [] }],
  ['the same asset twice', { assets: ['gauge', 'gauge'] }],
  ['too many assets', { assets: Array.from({ length: 1001 }, (_, index) => `a${index}`) }],
  ['an invalid id', { assets: ['a b'] }],
  ['another topic', { topic: 'weather' }],
  ['another sampling', { samplingType: 'last' }],
  ['sampling without an interval', { samplingType: 'first' }],
  ['an interval of zero', { samplingType: 'first', sampleIntervalSeconds: 0 }],
  ['an interval of more than a day', { samplingType: 'first', sampleIntervalSeconds: 86_401 }],
  ['no name', { timeseriesName: [] }],
  ['the same name twice', { timeseriesName: ['a', 'a'] }],
  ['too many names', { timeseriesName: Array.from({ length: 1001 }, (_, index) => `a${index}`) }],
  ['a name that is too long', { timeseriesName: ['a'.repeat(257)] }],
  ['a name without a list', { timeseriesName: 'temperature' }],
  ['alarms of a signal', { topic: 'alarm', timeseriesName: ['temperature'] }],
  ['batches as a text', { batched: 'true' }],
  ['sampled alarms', { topic: 'alarm', samplingType: 'first', sampleIntervalSeconds: 1 }],
  ['no connection', { connectionId: undefined }],
])('%s is refused', async (_what, fields) => {
  const { status, body } = await platform.post(url, { ...bodyFor(['gauge']), ...fields })
  expect({ status, error: body.error }).toEqual({ status: 400, error: 'validation_error' })
})

test('a connection that does not exist or is not the caller’s is not found', async () => {
  expect(await platform.post(url, bodyFor(['gauge'], { connectionId: newId() }))).toMatchObject({
    status: 404,
    body: { message: expect.stringContaining('negotiate') },
  })
  const { id, token } = await makeUser(platform)
  await relate(platform, `${id} viewer provider_client:gauge`)
  expect((await platform.post(url, bodyFor(['gauge']), { token })).status).toBe(404)
  const made = await subscribe(['gauge'])
  expect((await platform.get(url, { token })).body).toEqual([])
  expect((await platform.put(`${url}/${made.id}`, {}, { token })).status).toBe(404)
  expect((await platform.delete(`${url}/${made.id}`, { token })).status).toBe(404)
  await platform.delete(`${url}/${made.id}`)
})

test('subscribing needs view on each asset, and a refusal names the asset', async () => {
  const { id, token } = await makeUser(platform)
  await relate(platform, `${id} viewer provider_client:gauge`)
  const own = await connectRealtime(platform, undefined, { token })
  const ask = (assets: string[]) =>
    platform.post(url, bodyFor(assets, { connectionId: own.connectionId }), { token })
  expect(await ask(['gauge', 'pump'])).toMatchObject({
    status: 403,
    body: { details: { required: { resourceType: 'asset', resourceId: 'pump', permission: 'view' } } },
  })
  expect(await ask(['gauge', 'nothing'])).toMatchObject({
    status: 404,
    body: { message: 'There is no asset nothing.' },
  })
  const foreign = await platform.makeTenant('elsewhere')
  expect((await platform.post(url, bodyFor(['gauge']), { token: foreign.token })).status).toBe(404)
  expect((await ask(['gauge'])).status).toBe(201)
  own.socket.close()
})

test('an API token that is limited to other privileges cannot subscribe, also not on another connection', async () => {
  const tokenFor = async (privilege: string) =>
    (await platform.post('/v1/api-tokens', { displayName: 'ci', privileges: [privilege] })).body.token
  const [fits, other] = [await tokenFor('provider_client_management'), await tokenFor('alarm_management')]
  for (const [token, status] of [
    [fits, 201],
    [other, 403],
  ] as const) {
    const own = await connectRealtime(platform, undefined, { token })
    const body = bodyFor(['gauge'], { connectionId: own.connectionId })
    expect((await platform.post(url, body, { token })).status).toBe(status)
    expect((await platform.post(url, bodyFor(['gauge']), { token })).status).toBe(status === 201 ? 404 : 403)
    own.socket.close()
  }
})

test('a value whose time is not that of its arrival says when it arrived [docs/push#messages]', async () => {
  const made = await subscribe(['gauge'])
  await settled(made.id)
  const timeMs = Date.now()
  const receivedAtMs = timeMs - 3_600_000
  push(
    sample('gauge', 1, { timeMs, receivedAtMs }),
    sample('gauge', 2, { timeMs, receivedAtMs: timeMs - 1000 }),
  )
  expect((await client.next()).data).toMatchObject({
    value: 1,
    receivedAt: new Date(receivedAtMs).toISOString(),
  })
  expect((await client.next()).data).not.toHaveProperty('receivedAt')
  await platform.delete(`${url}/${made.id}`)
})

test('pushes every sample of the assets, and of no others, in order [docs/push#messages]', async () => {
  const made = await subscribe(['gauge', 'pump'])
  await settled(made.id)
  const timeMs = Date.parse('2026-05-01T12:00:00.250Z')
  push(
    sample('other', 0),
    sample('gauge', 20.5, { timeMs }),
    sample('pump', 0, { ownerType: 'client' }),
    sample('pump', { a: ['"'] }, { ownerType: 'asset', componentId: 'motor', name: 'rpm', timeMs }),
    sample('gauge', 'x', { tenantId: 'elsewhere' }),
    sample('gauge', 'late', { timeMs: timeMs - 1000, type: 'propertyReported' }),
  )
  const common = { topic: 'telemetry', subscriptionId: made.id, time: '2026-05-01T12:00:00.250Z' }
  const root = { assetId: 'gauge', componentId: null, timeseriesName: 'temperature' }
  const messages = [await client.next(), await client.next(), await client.next()]
  expect(messages[0]).toMatchObject({ type: 'message', from: 'server', dataType: 'json' })
  const receivedAt = expect.stringMatching(/^\d{4}-.*Z$/)
  expect(messages.map(({ data }) => data)).toEqual([
    { ...common, ...root, timeseriesType: 'telemetry', value: 20.5, receivedAt },
    {
      ...common,
      assetId: 'pump',
      componentId: 'motor',
      timeseriesName: 'rpm',
      timeseriesType: 'telemetry',
      value: { a: ['"'] },
      receivedAt,
    },
    {
      ...common,
      ...root,
      timeseriesType: 'propertyReported',
      value: 'late',
      time: '2026-05-01T11:59:59.250Z',
      receivedAt,
    },
  ])
  await platform.delete(`${url}/${made.id}`)
  push(sample('gauge', 1))
  expect(client.messages).toEqual([])
})

const sampleOwner = (id: string) => {
  const { tenantNumber, ownerType, ownerId } = sample(id, 0)
  return { tenantNumber, ownerType, ownerId }
}

test('last known values are sent first; no sample is missed, and none older follows', async () => {
  const now = Date.now()
  // Too large together for one answer of the database, which cannot compress them.
  const [big, large] = [randomBytes(500_000).toString('hex'), { x: randomBytes(500_000).toString('hex') }]
  await storeSamples(platform.ctx, sampleOwner('late'), [
    { name: 'temperature', time: now - 2000, value: 1 },
    { name: 'temperature', time: now - 1000, value: 2 },
    { name: 'status', time: '2024-01-01T00:00:00Z', value: 'old' },
    { name: 'big', time: now, value: big },
    { name: 'large', time: now, value: large },
  ])
  const made = await subscribe(['late'])
  // They are committed before or after the last values were read, and pushed meanwhile.
  push(
    sample('late', 1, { timeMs: now - 2000 }),
    sample('late', 2, { timeMs: now - 1000 }),
    sample('late', large, { timeMs: now, name: 'large' }),
    sample('late', 3, { timeMs: now }),
  )
  const last = new Map((await client.take(4)).map(({ timeseriesName, value }) => [timeseriesName, value]))
  expect(last.get('temperature')).toBe(2)
  expect(last.get('status')).toBe('old')
  expect(last.get('big') === big).toBe(true)
  expect(last.get('large').x === large.x).toBe(true)
  expect(await values(1)).toEqual([3])
  push(sample('late', 2, { timeMs: now - 1000 }), sample('late', 4, { timeMs: now + 1 }))
  expect(await values(1)).toEqual([4])
  await platform.delete(`${url}/${made.id}`)
})

test('added assets receive their last values, and those that stay do not receive them again', async () => {
  const time = Date.now() - 1000
  await storeSamples(platform.ctx, sampleOwner('other'), [{ name: 'temperature', time, value: 7 }])
  await storeSamples(platform.ctx, sampleOwner('gauge'), [{ name: 'temperature', time, value: 8 }])
  const made = await subscribe(['other'])
  expect(await values(1)).toEqual([7])
  await settled(made.id)
  await platform.put(`${url}/${made.id}`, { assets: ['other', 'gauge'] })
  expect(await values(1)).toEqual([8])
  await settled(made.id)
  push(sample('other', 9), sample('gauge', 10))
  expect(await values(2)).toEqual([9, 10])
  await platform.delete(`${url}/${made.id}`)
})

test('sampling `first` lets the first value of each series and interval through', async () => {
  const made = await subscribe(['sampled'], { samplingType: 'first', sampleIntervalSeconds: 600 })
  await settled(made.id)
  push(sample('sampled', 1), sample('sampled', 2), sample('sampled', 3, { name: 'pressure' }))
  push(sample('sampled', 4), sample('sampled', 5, { name: 'pressure' }))
  expect(await values(2)).toEqual([1, 3])
  // Simulates that the interval has passed.
  platform.ctx.push.subscriptions.get(made.id)!.windows.clear()
  push(sample('sampled', 6), sample('sampled', 7))
  expect(await values(1)).toEqual([6])
  // A renewed subscription continues unchanged.
  await platform.put(`${url}/${made.id}`, {})
  push(sample('sampled', 8))
  expect(client.messages).toEqual([])
  await platform.delete(`${url}/${made.id}`)
})

const activatedAt = new Date('2026-05-01T12:00:00Z')
function alarmChange(assetId: string, alarmStatusId: string, state: AlarmState): AlarmChange {
  return {
    tenantId: 'default',
    isActivation: state === 'active_unacknowledged',
    status: {
      alarmStatusId,
      alarmId: alarmStatusId,
      alarmName: 'Too hot',
      entityId: assetId,
      entityName: assetId,
      severity: 3,
      state,
      active: state.startsWith('active'),
      acknowledged: false,
      activatedAt: activatedAt.toISOString(),
      acknowledgedAt: null,
      acknowledgedBy: null,
      acknowledgeComment: null,
      inactiveAt: null,
      clearedAt: null,
      clearedReason: null,
      value: 90,
      timestamp: activatedAt.toISOString(),
    },
  }
}

test('open alarms are sent first, then each of their states [docs/push#last-known-values]', async () => {
  const [open, cleared, next] = [newId(), newId(), newId()]
  const row = (id: string, state: AlarmState, asset_id = 'pump') => ({
    id,
    tenant_id: 'default',
    alarm_id: id,
    alarm_name: 'Too hot',
    severity: 3,
    asset_id,
    asset_name: asset_id,
    state,
    activated_at: activatedAt,
    acknowledged_at: null,
    acknowledged_by: null,
    inactive_at: null,
    cleared_at: null,
    value: '90',
    time: activatedAt,
  })
  await platform.ctx.db
    .insertInto('alarm_statuses')
    .values([
      row(open, 'active_unacknowledged'),
      row(cleared, 'cleared'),
      row(newId(), 'active_unacknowledged', 'x'),
    ])
    .execute()
  const made = await subscribe(['pump'], { topic: 'alarm' })
  platform.ctx.push.publishAlarms([
    alarmChange('pump', open, 'active_unacknowledged'),
    alarmChange('pump', open, 'inactive_unacknowledged'),
  ])
  const [first, second] = await client.take(2)
  expect(first).toEqual({
    topic: 'alarm',
    subscriptionId: made.id,
    status: alarmChange('pump', open, 'active_unacknowledged').status,
  })
  expect(second.status.state).toBe('inactive_unacknowledged')
  platform.ctx.push.publishAlarms([
    alarmChange('other', newId(), 'active_unacknowledged'),
    alarmChange('pump', next, 'active_unacknowledged'),
    { ...alarmChange('pump', next, 'cleared'), tenantId: 'elsewhere' },
    alarmChange('pump', open, 'cleared'),
  ])
  expect((await client.take(2)).map(({ status }) => [status.alarmStatusId, status.state])).toEqual([
    [next, 'active_unacknowledged'],
    [open, 'cleared'],
  ])
  push(sample('pump', 1, { ownerType: 'asset' }))
  await platform.delete(`${url}/${made.id}`)
  expect(client.messages).toEqual([])
})

test('the subscriptions of a connection, and the assets and named signals of a user, are limited', async () => {
  const { limits } = platform.ctx.push
  const usual = { ...limits }
  const made = await subscribe(['gauge', 'pump'])
  await client.next()
  Object.assign(limits, { subscriptionsPerConnection: 1 })
  expect((await platform.post(url, bodyFor(['gauge']))).body.error).toBe('conflict')
  Object.assign(limits, usual, { entriesPerUser: 2 })
  expect((await platform.post(url, bodyFor(['gauge']))).body.error).toBe('conflict')
  expect((await platform.put(`${url}/${made.id}`, { assets: ['gauge', 'pump', 'other'] })).status).toBe(409)
  expect((await platform.put(`${url}/${made.id}`, { timeseriesName: ['rpm'] })).status).toBe(409)
  expect((await platform.put(`${url}/${made.id}`, { assets: ['other', 'pump'] })).status).toBe(200)
  Object.assign(limits, usual)
  await platform.delete(`${url}/${made.id}`)
})
