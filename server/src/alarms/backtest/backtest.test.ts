import { afterAll, beforeAll, expect, test } from 'vitest'
import { hot } from '../../../test/harness/alarm-walk.ts'
import { insertAsset, makePumpModel, pumpModel } from '../../../test/harness/assets.ts'
import { type Platform, startPlatform } from '../../../test/harness/platform.ts'
import { storeSamples } from '../../../test/harness/telemetry.ts'

let platform: Platform
const start = Date.now() - 86_400_000
const at = (seconds: number) => new Date(start + seconds * 1000).toISOString()

beforeAll(async () => {
  platform = await startPlatform()
  await makePumpModel(platform)
  const { number } = await platform.ctx.db
    .selectFrom('tenants')
    .select('number')
    .where('id', '=', 'default')
    .executeTakeFirstOrThrow()
  for (const [assetId, values] of Object.entries({
    a: [70, 90, 70, 90, 95, 70],
    b: [1, 2, 3, 90],
    quiet: [],
    lists: [90, Array.from({ length: 30_000 }, () => 1), 70],
    many: Array.from({ length: 1000 }, () => 1),
  })) {
    await insertAsset(platform, assetId)
    const owner = { tenantNumber: number, ownerType: 'asset' as const, ownerId: assetId }
    if (values.length > 0)
      await storeSamples(
        platform.ctx,
        owner,
        values.map((value, i) => ({ name: 'temperature', time: at(i * 60), value })),
      )
  }
})
afterAll(() => platform[Symbol.asyncDispose]())

const run = (alarm: object = {}, fields: object = {}, options = {}) =>
  platform.post(
    '/v1/alarms/backtest',
    {
      alarm: { entityTypeId: pumpModel, condition: hot, ...alarm },
      assetIds: ['a', 'b', 'quiet'],
      from: at(0),
      to: at(3600),
      ...fields,
    },
    options,
  )

test('counts activations and notifications, and stores nothing [docs/alarms#backtest]', async () => {
  const { status, body } = await run()
  expect(status).toBe(200)
  expect(body).toEqual({
    activations: [
      { entityId: 'a', activatedAt: at(60), inactiveAt: at(120), value: 90, timestamp: at(60) },
      { entityId: 'a', activatedAt: at(180), inactiveAt: at(300), value: 90, timestamp: at(180) },
      { entityId: 'b', activatedAt: at(180), inactiveAt: null, value: 90, timestamp: at(180) },
    ],
    notifications: 3,
    notificationsUnacknowledged: 2,
    samples: 10,
    samplesNotJudged: 0,
  })
  expect((await platform.get('/v1/alarms/status')).body).toEqual([])
  expect((await platform.get('/v1/alarms')).body).toEqual([])
})

test('the span includes its start and excludes its end', async () => {
  const { body } = await run({}, { from: at(60), to: at(180), assetIds: ['a'] })
  expect(body).toMatchObject({ samples: 2, notifications: 1 })
})

const times = ({ body }: { body: { activations: { entityId: string; activatedAt: string }[] } }) =>
  body.activations.map(({ entityId, activatedAt }) => [entityId, activatedAt])

test('samples at which the condition takes too much work leave the alarm as it is, and are counted', async () => {
  const someBelowZero = { some: [{ var: 'temperature' }, { '<': [{ var: '' }, 0] }] }
  const condition = JSON.stringify({ or: [JSON.parse(hot), someBelowZero] })
  const { body } = await run({ condition }, { assetIds: ['lists', 'b'] })
  expect(body).toMatchObject({ samples: 7, samplesNotJudged: 1 })
  expect(body.activations[0]).toEqual({
    entityId: 'lists',
    activatedAt: at(0),
    inactiveAt: at(120),
    value: 90,
    timestamp: at(0),
  })
})

test('conditions that take too much work over the whole span are refused', async () => {
  const long = { in: ['b', 'a'.repeat(30_000)] }
  const condition = JSON.stringify({
    or: [JSON.parse(hot), { some: [Array.from({ length: 50 }, () => 1), long] }],
  })
  const { status, body } = await run({ condition }, { assetIds: ['many'], to: at(86_400) })
  expect(status).toBe(400)
  expect(body.details.issues[0].message).toContain('20000000 steps')
})

test('forSeconds is evaluated by samples and by the clock', async () => {
  expect(times(await run({ forSeconds: 60 }))).toEqual([
    ['a', at(240)],
    ['b', at(240)],
  ])
  expect(times(await run({ forSeconds: 30 }, { assetIds: ['a'] }))).toEqual([
    ['a', at(90)],
    ['a', at(210)],
  ])
})

test('clearCondition and noDataSeconds are evaluated', async () => {
  const clearCondition = JSON.stringify({ '<': [{ var: 'temperature' }, 50] })
  expect(times(await run({ clearCondition }, { assetIds: ['a'] }))).toEqual([['a', at(60)]])
  expect(times(await run({ condition: null, noDataSeconds: 600 }, { assetIds: ['b', 'quiet'] }))).toEqual([
    ['b', at(780)],
    ['quiet', at(600)],
  ])
})

test.each([
  ['no model', { entityTypeId: null }, {}, 'entityTypeId'],
  ['an unknown signal', { condition: hot.replace('temperature', 'heat') }, {}, 'condition'],
  ['no assets', {}, { assetIds: [] }, 'assetIds'],
  ['an unknown asset', {}, { assetIds: ['nobody'] }, 'entityIds'],
  ['a span backwards', {}, { from: at(10), to: at(0) }, 'to'],
  ['no time', {}, { from: 'yesterday' }, 'from'],
])('%s is refused', async (_what, alarm, fields, path) => {
  const { status, body } = await run(alarm, fields)
  expect(status).toBe(400)
  expect(body.details.issues[0].path).toContain(path)
})

test('another tenant cannot find the model', async () => {
  const { token } = await platform.makeTenant('untested')
  expect((await run({}, {}, { token })).status).toBe(400)
})
