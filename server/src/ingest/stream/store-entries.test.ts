/** Messages of the stream are stored from the position that the database has, whatever a node believes. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { StreamLane } from '../../database/tables/ingest.ts'
import type { Device } from '../message.ts'
import type { StoredSample } from '../../timeseries/storage/stored-sample.ts'
import { startGateway, type TestDevice, type TestGateway } from '../../../test/harness/gateway.ts'
import { claimShare, FencedError, insertPartitions, listHeld } from './partitions.ts'
import type { StreamContext } from './state.ts'
import { storeEntries } from './store-entries.ts'
import { encodeBatch } from './batch-format.ts'
import type { StreamConnection } from './state.ts'
import { createTrack, type Entry, getPosition, readTrack as readBatches } from './tracks.ts'

let gateway: TestGateway
let ctx: StreamContext
let device: TestDevice
let tenantNumber: number
beforeAll(async () => {
  gateway = await startGateway()
  // Its address is not used: the batches come from the test.
  ctx = gateway.ctx as unknown as StreamContext
  device = await gateway.makeDevice()
  tenantNumber = (await ctx.pool.query(`select number from tenants where id = 'default'`)).rows[0].number
  await insertPartitions(ctx.db)
  await claimShare(ctx.db, ctx.nodes.id, 'a stream')
})
afterAll(() => gateway[Symbol.asyncDispose]())

async function readTrack(lane: StreamLane = 'reported') {
  const held = await listHeld(ctx.db, ctx.nodes.id)
  return createTrack(
    held.find((one) => one.lane === lane && one.partition === device.number % 64)!,
    'a server',
  )
}

const receivedAtMs = Date.now() - 600_000

/** Batches of one report each, with one sequence number after the other. */
function makeEntries(track: Awaited<ReturnType<typeof readTrack>>, reports: object[]): Entry[] {
  let from = getPosition(track)
  return reports.map((report) => {
    const next = { sequence: from.sequence + 1, part: 0, batchTime: from.batchTime + 1n }
    const entry: Entry = {
      track,
      record: {
        client: { number: device.number, id: device.id, tenantNumber },
        topic: `devices/${device.id}/twin/reported`,
        payload: Buffer.from(JSON.stringify(report)),
        receivedAtMs,
        packetId: 1,
        isRepeat: false,
        letter: undefined,
      },
      mayBeLate: false,
      sender: 'a gateway',
      number: from.sequence,
      sequence: from.sequence,
      from,
      next,
    }
    from = next
    return entry
  })
}

const store = (entries: Entry[]) =>
  storeEntries(ctx, entries, { lane: 'reported', isolate: false, unanswered: [] })

const readVersion = async () => {
  const { rows } = await ctx.pool.query(
    'select reported_version from client_twins where client_number = $1',
    [device.number],
  )
  return Number(rows[0].reported_version)
}

test('after a commit whose answer was lost nothing is stored twice [docs/stream#partitions]', async () => {
  const stale = await readTrack()
  await store(makeEntries(stale, [{ door: 'open' }, { door: 'closed' }]))
  expect(await readVersion()).toBe(2)
  // The node knows the position before the commit, and reads the same batches with a further one.
  const again = makeEntries(stale, [{ door: 'open' }, { door: 'closed' }, { door: 'open' }])
  await expect(store(again)).rejects.toThrow(FencedError)
  expect(await readVersion()).toBe(2)
  expect(getPosition(await readTrack())).toMatchObject({ sequence: 3, part: 0 })
  await store(makeEntries(await readTrack(), [{ door: 'open' }]))
  expect(await readVersion()).toBe(3)
})

test.each([
  ['whole batches', 10],
  ['a part of a batch', 3],
])('after %s nothing is stored twice where the clock of NATS went back', async (_what, count) => {
  const before = await readVersion()
  const track = await readTrack()
  const { sequence, batchTime } = track
  const latest = new Date(Number(batchTime / 1_000_000n) + 60_000)
  const times = [latest, new Date(latest.getTime() - 200)]
  const batches = times.map((time, index) => {
    const items = [1, 2].map((n) => ({
      message: {
        device: { ...device, tenantNumber } as unknown as Device,
        topic: `devices/${device.id}/twin/reported`,
        payload: Buffer.from(JSON.stringify({ step: `${count} ${index} ${n}` })),
        receivedAtMs,
        packetId: 10 + index * 2 + n,
        isRepeat: false,
      },
      letter: undefined,
    }))
    const data = encodeBatch(`${count}-${index}`, items)
    return { seq: sequence + index, time, timestamp: time.toISOString(), data }
  })
  const getMessage = async (_name: string, { seq }: { seq: number }) =>
    batches.find((batch) => batch.seq >= seq) ?? null
  const stream = {
    name: 'a stream',
    nats: { info: { server_id: 'a server' } },
    manager: { direct: { getMessage } },
  } as unknown as StreamConnection
  const limits = { messages: 100, bytes: 1_000_000 }
  const { entries } = await readBatches(stream, track, limits)
  expect(entries).toHaveLength(4)
  await store(entries.slice(0, count))
  // After a failed round, all messages of the stream are read again.
  const { entries: left } = await readBatches(stream, await readTrack(), limits)
  expect(left).toHaveLength(Math.max(0, 4 - count))
  if (left.length > 0) await store(left)
  expect(await readVersion()).toBe(before + 4)
})

test('alarms learn when a message that waited had arrived [docs/stream#alarms]', async () => {
  const samples: StoredSample[] = []
  const push = {
    ...ctx.push,
    isWatched: () => true,
    publishSamples: (stored: StoredSample[]) => void samples.push(...stored),
  }
  const entries = makeEntries(await readTrack('telemetry'), [{ n: 1 }])
  await storeEntries({ ...ctx, push }, entries, { lane: 'telemetry', isolate: false, unanswered: [] })
  expect(samples).toMatchObject([{ name: 'n', value: 1, receivedAtMs }])
})
