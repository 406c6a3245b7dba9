import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Platform, startPlatform } from '../../../test/harness/platform.ts'
import {
  connectRealtime,
  makeClient,
  type RealtimeClient,
  sampleMaker,
} from '../../../test/harness/realtime.ts'
import { storeSamples } from '../../../test/harness/telemetry.ts'
import type { StoredSample } from '../../timeseries/storage/stored-sample.ts'

let platform: Platform
let sample: (ownerId: string, value: unknown, fields?: Partial<StoredSample>) => StoredSample
let client: RealtimeClient
beforeAll(async () => {
  platform = await startPlatform()
  sample = await sampleMaker(platform)
  for (const id of ['gauge', 'other', 'large']) {
    await makeClient(platform, id)
    const { tenantNumber, ownerType, ownerId } = sample(id, 0)
    const time = Date.now() - 60_000
    await storeSamples(platform.ctx, { tenantNumber, ownerType, ownerId }, [
      { name: 'temperature', time, value: `${id} 20` },
      { name: 'pressure', time, value: `${id} 1000` },
      { name: hostile, time, value: `${id} hostile` },
    ])
  }
})
afterAll(() => platform[Symbol.asyncDispose]())
beforeEach(async () => {
  client?.socket.close()
  client = await connectRealtime(platform)
})

const hostile = `<img onerror=1> "\\' \u202eمقياس 🌡`
const url = '/v1/realtime/subscriptions'

async function subscribe(assets: string[], fields: object) {
  const { body } = await platform.post(url, {
    connectionId: client.connectionId,
    topic: 'telemetry',
    assets,
    ...fields,
  })
  await settled(body.id)
  return body.id as string
}
const change = async (id: string, fields: object) => {
  expect(await platform.put(`${url}/${id}`, fields)).toMatchObject({ status: 200, body: fields })
  await settled(id)
}
/** Waits until it has received all last values. */
async function settled(id: string) {
  await expect.poll(() => platform.ctx.push.subscriptions.get(id)?.start?.pending).toBeUndefined()
}
const push = (...samples: StoredSample[]) => platform.ctx.push.publishSamples(samples)

/** The data of all messages up to now: the server answers a ping after all that it has sent. */
async function received() {
  client.socket.send('{"type":"ping"}')
  const data = []
  for (let message = await client.next(); message.type !== 'pong'; message = await client.next())
    data.push(message.data)
  return data
}
const receivedValues = async () => (await received()).map(({ value }) => value).toSorted()

test('names narrow the last values and what follows [docs/push#subscriptions]', async () => {
  await subscribe(['gauge', 'other'], { timeseriesName: ['temperature', hostile, 'unknown'] })
  expect(await receivedValues()).toEqual(['gauge 20', 'gauge hostile', 'other 20', 'other hostile'])
  push(
    sample('gauge', 21),
    sample('gauge', 22, { name: 'pressure' }),
    sample('other', 23, { name: hostile }),
    sample('other', 24, { name: 'Temperature' }),
  )
  expect(await receivedValues()).toEqual([21, 23])
})

test('a change brings the last values of the series that it adds, and no others', async () => {
  const id = await subscribe(['gauge'], { timeseriesName: ['temperature'] })
  expect(await receivedValues()).toEqual(['gauge 20'])
  await change(id, { timeseriesName: ['temperature', 'pressure'] })
  expect(await receivedValues()).toEqual(['gauge 1000'])
  await change(id, { assets: ['gauge', 'other'] })
  expect(await receivedValues()).toEqual(['other 1000', 'other 20'])
  await change(id, { timeseriesName: null })
  expect(await receivedValues()).toEqual(['gauge hostile', 'other hostile'])
  await change(id, { timeseriesName: ['pressure'] })
  expect(await receivedValues()).toEqual([])
  push(sample('gauge', 1), sample('other', 2, { name: 'pressure' }))
  expect(await receivedValues()).toEqual([2])
  await change(id, { assets: ['large'], timeseriesName: ['temperature'] })
  expect(await receivedValues()).toEqual(['large 20'])
})

test('a change while the last values are read also narrows what has arrived meanwhile', async () => {
  const { readInTurn, subscriptions } = platform.ctx.push
  let release!: () => void
  const released = new Promise<void>((resolve) => (release = resolve))
  // As many reads as run at the same time, so that those of the subscription wait.
  const others = Array.from({ length: 4 }, () =>
    readInTurn(() => released.then(() => ({ value: undefined, done: true }))),
  )
  const body = { connectionId: client.connectionId, topic: 'telemetry', assets: ['gauge', 'other'] }
  const { id } = (await platform.post(url, body)).body
  push(
    sample('gauge', 1),
    sample('gauge', 2, { name: 'pressure' }),
    sample('other', 3),
    sample('other', 4, { name: 'pressure' }),
  )
  const waitingBytes = subscriptions.get(id)!.start!.pendingBytes
  const narrow = { assets: ['gauge'], timeseriesName: ['pressure'] }
  expect((await platform.put(`${url}/${id}`, narrow)).status).toBe(200)
  const { start } = subscriptions.get(id)!
  expect(start!.pendingBytes).toBeLessThan(waitingBytes / 3)
  push(sample('gauge', 5, { name: 'pressure' }), sample('other', 6))
  release()
  await Promise.all(others)
  await settled(id)
  expect((await received()).map(({ value }) => value)).toEqual(['gauge 1000', 2, 5])
})

test('names go with telemetry: a subscription that has them cannot become one of alarms', async () => {
  const id = await subscribe(['gauge'], { timeseriesName: ['temperature'] })
  expect(await platform.put(`${url}/${id}`, { topic: 'alarm' })).toMatchObject({
    status: 400,
    body: {
      details: { issues: [{ path: 'timeseriesName', message: expect.stringContaining('alarms') }] },
    },
  })
  await change(id, { topic: 'alarm', timeseriesName: null })
})

test('a batched subscription gets what is sent at the same time in one message [docs/push#batches]', async () => {
  const id = await subscribe(['gauge', 'other'], { batched: true })
  const [last, ...rest] = await received()
  expect(rest).toEqual([])
  expect(last).toMatchObject({ topic: 'telemetry', subscriptionId: id })
  expect(last.items.map(({ value }: { value: unknown }) => value).toSorted()).toEqual([
    'gauge 1000',
    'gauge 20',
    'gauge hostile',
    'other 1000',
    'other 20',
    'other hostile',
  ])

  const timeMs = Date.now()
  const time = new Date(timeMs).toISOString()
  push(sample('gauge', 1, { timeMs }), sample('large', 2), sample('other', { a: [3] }, { timeMs }))
  push(sample('gauge', 4, { timeMs, name: hostile }))
  const common = { componentId: null, timeseriesType: 'telemetry', time }
  expect(await received()).toEqual([
    {
      topic: 'telemetry',
      subscriptionId: id,
      items: [
        { ...common, assetId: 'gauge', timeseriesName: 'temperature', value: 1 },
        { ...common, assetId: 'other', timeseriesName: 'temperature', value: { a: [3] } },
      ],
    },
    {
      topic: 'telemetry',
      subscriptionId: id,
      items: [{ ...common, assetId: 'gauge', timeseriesName: hostile, value: 4 }],
    },
  ])
})

test('a batch is divided where its values are large, and keeps their order', async () => {
  await subscribe(['large'], { batched: true, timeseriesName: ['big', 'small'] })
  const big = randomBytes(100_000).toString('hex')
  const one = (value: string, name: string) => sample('large', value, { name })
  push(one('1', 'small'), one(big, 'big'), one('2', 'small'), one(big, 'big'), one('3', 'small'))
  const parts = await received()
  expect(parts.map(({ items }) => items.map(({ value }: { value: string }) => value.slice(0, 1)))).toEqual([
    ['1', big[0], '2'],
    [big[0], '3'],
  ])
})

test('subscriptions with and without batches, names and sampling do not disturb each other', async () => {
  const [all, batched, sampled] = [
    await subscribe(['gauge'], {}),
    await subscribe(['gauge'], { batched: true, timeseriesName: ['pressure'] }),
    await subscribe(['gauge'], { batched: true, samplingType: 'first', sampleIntervalSeconds: 600 }),
  ]
  await received()
  push(sample('gauge', 1), sample('gauge', 2), sample('gauge', 3, { name: 'pressure' }))
  const data = await received()
  const valuesOf = (id: string) =>
    data
      .filter(({ subscriptionId }) => subscriptionId === id)
      .map(({ value, items }) => value ?? items.map((item: { value: unknown }) => item.value))
  expect(valuesOf(all)).toEqual([1, 2, 3])
  expect(valuesOf(batched)).toEqual([[3]])
  expect(valuesOf(sampled)).toEqual([[1, 3]])
})
