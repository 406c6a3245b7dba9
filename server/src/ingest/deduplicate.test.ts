/**
 * Duplicates whose client was bound again since the first delivery, and retries after a lost answer.
 * [docs/telemetry#repeats]
 */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { insertAsset, makePumpModel } from '../../test/harness/assets.ts'
import { bind, binding, makeClient } from '../../test/harness/bindings.ts'
import { findDevice, makeMessage } from '../../test/harness/device-message.ts'
import { type Platform, startPlatform } from '../../test/harness/platform.ts'
import { storeReported } from './store-reported.ts'
import { storeTelemetry } from './store-telemetry.ts'
import type { Device } from './message.ts'

let platform: Platform
beforeAll(async () => {
  platform = await startPlatform()
  await makePumpModel(platform)
})
afterAll(() => platform[Symbol.asyncDispose]())

let count = 0
let device: Device
let [client, first, second] = ['', '', '']
beforeEach(async () => {
  count++
  ;[client, first, second] = [`sensor-${count}`, `first-${count}`, `second-${count}`]
  await makeClient(platform, client)
  for (const id of [first, second]) await insertAsset(platform, id)
  device = await findDevice(platform, client)
})

const bindTo = async (asset: string, remote: string | undefined) => {
  const entry = remote
    ? binding(`${asset}/-/telemetry/temperature`, remote)
    : binding(`${asset}/-/telemetry/temperature`, {})
  expect((await bind(platform, asset, { endpointBindings: [entry] })).status).toBe(200)
}
const signal = () => `${client}/-/telemetry/t`

/** A message like that of the gateway. */
const deliver = (payload: object, options: { packetId?: number; isRepeat?: boolean } = {}) =>
  new Promise<void>((resolve, reject) =>
    platform.parts.ingest.telemetry(makeMessage(device, payload, options), (error) =>
      error ? reject(error) : resolve(),
    ),
  )

/** Number of samples of each owner. */
async function stored(...owners: string[]) {
  const { rows } = await platform.ctx.pool.query<{ owner_id: string; count: number }>(
    `select owner_id, count(*)::int from series join samples on series_number = number
     where owner_id = any($1) group by owner_id`,
    [owners],
  )
  return owners.map((owner) => rows.find(({ owner_id }) => owner_id === owner)?.count ?? 0)
}

const payloads = {
  'timed by arrival': { t: 1 },
  'with its own time': { t: 1, timestamp: '2026-03-01T00:00:00Z' },
}

test.each(Object.entries(payloads))('%s: bound for the first time', async (_what, payload) => {
  await deliver(payload)
  await bindTo(first, signal())
  await deliver(payload, { isRepeat: true })
  expect(await stored(client, first)).toEqual([1, 0])
})

test.each(Object.entries(payloads))('%s: bound to another asset, and back', async (_what, payload) => {
  await bindTo(first, signal())
  await deliver(payload)
  await bindTo(first, undefined)
  await bindTo(second, signal())
  await deliver(payload, { isRepeat: true })
  expect(await stored(client, first, second)).toEqual([0, 1, 0])
  await bindTo(second, undefined)
  await deliver(payload, { isRepeat: true })
  expect(await stored(client, first, second)).toEqual([0, 1, 0])
})

test.each(Object.entries(payloads))(
  '%s: a new message is stored under its present owner',
  async (_what, payload) => {
    await bindTo(first, signal())
    await deliver(payload)
    await bindTo(first, undefined)
    await bindTo(second, signal())
    // Another packet and another value: neither was stored before, although both have DUP.
    await deliver({ ...payload, t: 2 }, { packetId: 6, isRepeat: true })
    await deliver({ ...payload, t: 3 }, { packetId: 7 })
    expect(await stored(client, first, second)).toEqual([0, 1, 2])
  },
)

test('only duplicates of stored messages are dropped from a batch, and the second of two equal ones', async () => {
  const { ctx } = platform
  const startMs = Date.now()
  // Each arrived at a different time, so that no unique key identifies duplicates.
  const sent = [1, 2, 3, 3, 4].map((packetId, index) => ({
    ...makeMessage(device, { t: packetId }, { packetId, isRepeat: true }),
    receivedAtMs: startMs + 10 + index,
  }))
  const before = sent.slice(0, 2).map((message) => ({ ...message, receivedAtMs: startMs, isRepeat: false }))
  await storeTelemetry(ctx, { messages: before, earlier: Promise.resolve() })
  expect(await stored(client)).toEqual([2])
  await storeTelemetry(ctx, { messages: sent, earlier: Promise.resolve() })
  expect(await stored(client)).toEqual([4])
})

test.each([0, 5])(
  'with packet identifier %i: a retry after a lost commit answer stores nothing',
  async (packetId) => {
    const { ctx } = platform
    const message = makeMessage(device, { t: 1 }, { packetId })
    const again = { ...message, isRepeat: true }
    for (const one of [message, again])
      await storeTelemetry(ctx, { messages: [one], earlier: Promise.resolve() })
    expect(await stored(client)).toEqual([1])
    for (const one of [message, again])
      await storeReported(ctx, { messages: [one], earlier: Promise.resolve() })
    const twin = ctx.db
      .selectFrom('client_twins')
      .select('reported_version')
      .where('client_number', '=', device.number)
    expect((await twin.executeTakeFirstOrThrow()).reported_version).toBe('1')
  },
)

test('without a packet identifier each is a message of its own', async () => {
  for (let time = 0; time < 2; time++) await deliver({ t: 1 }, { packetId: 0 })
  expect(await stored(client)).toEqual([2])
})
