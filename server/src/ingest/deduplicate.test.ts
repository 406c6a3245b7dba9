/**
 * Duplicates whose client was bound again since the first delivery, and retries after a lost answer.
 * [docs/telemetry#repeats]
 */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { insertAsset, makePumpModel } from '../../test/harness/assets.ts'
import { bind, binding, makeClient } from '../../test/harness/bindings.ts'
import { findDevice, makeMessage } from '../../test/harness/device-message.ts'
import { type Platform, startPlatform } from '../../test/harness/platform.ts'
import { applyBindingChange } from '../assets/bindings/binding-changes.ts'
import { storeReported } from './store-reported.ts'
import { storeTelemetry } from './store-telemetry.ts'
import { packSamples } from '../timeseries/storage/packed/pack-samples.ts'
import { listPackedCells, listPackedPieces } from '../../test/harness/packed-pieces.ts'
import type { Device } from './message.ts'
import { allSamples } from '../../test/harness/sample-tables.ts'

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
type Options = { packetId?: number; isRepeat?: boolean; isImported?: true }
const deliver = (payload: object, { isImported, ...options }: Options = {}) =>
  new Promise<void>((resolve, reject) =>
    platform.parts.ingest.telemetry(
      { ...makeMessage(device, payload, options), ...(isImported && { isImported }) },
      (error) => (error ? reject(error) : resolve()),
    ),
  )

/** Number of samples of each owner. */
async function stored(...owners: string[]) {
  const { rows } = await platform.ctx.pool.query<{ owner_id: string; count: number }>(
    `select owner_id, count(*)::int from series join ${allSamples} sample on series_number = number
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

test('a repeat with its own time needs no mark, also on a node that never had the former bindings', async () => {
  const payload = payloads['with its own time']
  await bindTo(first, signal())
  await deliver(payload)
  await bindTo(first, undefined)
  await bindTo(second, signal())
  applyBindingChange(platform.ctx, { tenantId: null, instanceIds: null })
  await deliver(payload)
  expect(await stored(client, first, second)).toEqual([0, 1, 0])
  await deliver({ ...payload, t: 2 })
  expect(await stored(client, first, second)).toEqual([0, 1, 1])
})

test('an import that is repeated adds what new bindings make of it, once', async () => {
  const deliverHistory = async () => {
    for (const t of [1, 2])
      await deliver(
        { t, p: 'text', u: t + 0.5, timestamp: `2026-03-01T00:00:0${t}Z` },
        { packetId: 0, isImported: true },
      )
  }
  const bindSignal = async (name: string, remote: string) =>
    expect(
      (
        await bind(platform, first, {
          endpointBindings: [binding(`${first}/-/telemetry/${name}`, `${client}/-/telemetry/${remote}`)],
        })
      ).status,
    ).toBe(200)
  await deliverHistory()
  await deliverHistory()
  expect(await stored(client, first)).toEqual([6, 0])
  await bindSignal('temperature', 't')
  await deliverHistory()
  expect(await stored(client, first)).toEqual([6, 2])
  await bindSignal('pressure', 'u')
  await bindSignal('status', 'p')
  for (let times = 0; times < 2; times++) {
    await deliverHistory()
    expect(await stored(client, first)).toEqual([6, 6])
  }
  const { rows } = await platform.ctx.pool.query(
    `select name, value from series join ${allSamples} sample on series_number = number
     where owner_id = $1 order by time, name`,
    [first],
  )
  const sample = (name: string, value: unknown) => ({ name, value })
  const values = [1, 2].flatMap((t) => [
    sample('pressure', t + 0.5),
    sample('status', 'text'),
    sample('temperature', t),
  ])
  expect(rows).toEqual(values)
})

test('an import repeated after its day was packed stores only the values of new bindings', async () => {
  const { pool } = platform.ctx
  const day = '2026-03-07'
  const deliverHistory = () =>
    deliver({ t: 7, u: 8, timestamp: `${day}T00:00:01Z` }, { packetId: 0, isImported: true })
  const bindSignals = (...names: string[]) =>
    bind(platform, first, {
      endpointBindings: names.map((name) =>
        binding(`${first}/-/telemetry/${name}`, `${client}/-/telemetry/${name === 'pressure' ? 'u' : 't'}`),
      ),
    })
  const listValues = async (owner: string) => {
    const { rows } = await pool.query('select number from tenants where id = $1', ['default'])
    const pieces = (await listPackedPieces(pool, rows[0].number)).filter(
      ({ ownerId, firstTime }) => ownerId === owner && firstTime >= Date.parse(day),
    )
    return listPackedCells(pieces).map(([, , , value]) => value)
  }
  const deliverTwice = async () => {
    for (let times = 0; times < 2; times++) {
      await deliverHistory()
      await packSamples(platform.ctx)
      // The second import stores nothing, so there is nothing to pack.
      if (times === 1) expect(await stored(client, first)).toEqual([0, 0])
    }
  }
  await deliverTwice()
  expect([await listValues(client), await listValues(first)]).toEqual([[7, 8], []])
  await bindSignals('temperature')
  await deliverTwice()
  expect([await listValues(client), await listValues(first)]).toEqual([[7, 8], [7]])
  await bindSignals('temperature', 'pressure')
  await deliverHistory()
  expect(await stored(client, first)).toEqual([0, 1])
  await packSamples(platform.ctx)
  expect((await listValues(first)).toSorted()).toEqual([7, 8])
})
