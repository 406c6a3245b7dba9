/** Messages pass the stream: acknowledged by it, stored once and in order by the nodes that hold its partitions. */
import { pino } from 'pino'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import {
  publishPacket,
  type RawClient,
  type TestDevice,
  type TestGateway,
} from '../../../test/harness/gateway.ts'
import { startIngestNode } from '../../../test/harness/ingest-node.ts'
import { type NatsServer, skipWithoutNats } from '../../../test/harness/nats-server.ts'
import {
  range,
  type Sender,
  startStreamGateway,
  STREAM_BYTES,
  type StreamGateway,
  telemetry,
} from '../../../test/harness/stream-gateway.ts'
import { encodeBatch } from './batch-format.ts'
import { warnOfLeftBatches } from './left-batches.ts'

const skip = skipWithoutNats('messages of devices through a stream')

let streams: StreamGateway
let gateway: TestGateway
let nats: NatsServer
beforeAll(async () => {
  if (!skip) ({ gateway, nats } = streams = await startStreamGateway())
})
afterAll(() => streams?.[Symbol.asyncDispose]())

let own: Sender
let device: TestDevice
let client: RawClient
beforeEach(async () => {
  if (!skip) ({ device, client } = own = await streams.connect())
})

const publish = (payloads: string[], topic?: string, sender = own) => streams.publish(sender, payloads, topic)
const sorted = (of = device) => streams.readNumbers(of)
const owners = () => streams.readOwners()
const untilStored = () => streams.untilStored()

test.skipIf(skip)(
  'what devices send is acknowledged before it is stored, then stored once and in order [docs/stream#what-devices-see]',
  async () => {
    const other = { device: await gateway.makeDevice(), client: undefined as unknown as RawClient }
    other.client = await gateway.raw(other.device)
    const count = 300
    await Promise.all([
      publish(telemetry(range(0, count))),
      publish(telemetry(range(1000, count)), 'telemetry', other),
    ])
    await publish(
      range(1, 50).map((n) => JSON.stringify({ [`p${n}`]: n, last: n })),
      'twin/reported',
    )
    await publish(['{', '{"n":"'])
    await publish(['nobody'], 'nowhere')
    expect(await sorted()).toEqual([])

    await using _node = await startIngestNode(gateway)
    await expect.poll(() => sorted()).toEqual(range(0, count))
    await expect.poll(() => sorted(other.device)).toEqual(range(1000, count))
    await expect.poll(async () => (await streams.readTwin(device))?.reported_version).toBe('50')
    expect((await streams.readTwin(device)).reported.last).toBe(50)
    await expect
      .poll(async () => (await gateway.deadLettersOf(device)).map(({ reason }) => reason).toSorted())
      .toEqual(['not_json', 'not_json', 'unknown_topic'])
  },
)

test.skipIf(skip)('what is stored leaves the stream', async () => {
  await publish(telemetry([1]))
  await using _node = await startIngestNode(gateway)
  await untilStored()
  await expect.poll(async () => (await gateway.parts.stream!.readStatus()).bytes).toBe(0)
  expect(await sorted()).toEqual([1])
})

test.skipIf(skip)('nodes share the partitions evenly, and take over those of one that leaves', async () => {
  const first = await startIngestNode(gateway)
  expect(await owners()).toEqual(new Map([[first.ctx.nodes.id, 64]]))
  const second = await startIngestNode(gateway)
  await expect.poll(async () => [...(await owners()).values()]).toEqual([32, 32])
  await publish(telemetry(range(0, 50)))
  await first[Symbol.asyncDispose]()
  await publish(telemetry(range(50, 50)))
  await expect.poll(() => owners()).toEqual(new Map([[second.ctx.nodes.id, 64]]))
  await expect.poll(() => sorted()).toEqual(range(0, 100))
  await second[Symbol.asyncDispose]()
  expect(await owners()).toEqual(new Map([[null, 64]]))
})

test.skipIf(skip)(
  'a node that hangs loses its partitions, and its late commit is refused [docs/stream#partitions]',
  async () => {
    await using slow = await startIngestNode(gateway)
    const commits = await gateway.holdCommits()
    await publish(telemetry(range(0, 20)))
    const { pool } = gateway.database
    const waiting = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    await expect.poll(async () => (await pool.query(waiting)).rowCount).toBe(1)
    // Its lease expires, as if the process had stood still.
    const expire = async () => {
      await pool.query(`update ingest_nodes set seen_until = '-infinity' where node_id = $1`, [
        slow.ctx.nodes.id,
      ])
      return (await owners()).get(slow.ctx.nodes.id) ?? 0
    }
    await using quick = await startIngestNode(gateway)
    await expect.poll(expire).toBeLessThan(64)
    await expect.poll(async () => (await owners()).get(quick.ctx.nodes.id) ?? 0).toBeGreaterThan(0)
    await commits.release()
    await expect.poll(() => sorted()).toEqual(range(0, 20))
    await publish(telemetry(range(20, 5)))
    await expect.poll(() => sorted()).toEqual(range(0, 25))
  },
)

test.skipIf(skip)('while the database is away devices are acknowledged, and stored afterwards', async () => {
  await using _node = await startIngestNode(gateway)
  await publish(telemetry([0]))
  await expect.poll(() => sorted()).toEqual([0])
  const database = await gateway.loseDatabase()
  await publish(telemetry(range(1, 200)))
  await database.back()
  await expect.poll(() => sorted()).toEqual(range(0, 201))
})

test.skipIf(skip)('while the stream is away devices wait', async () => {
  await nats.kill()
  client.send(publishPacket(`devices/${device.id}/telemetry`, { payload: '{"n":1}', messageId: 1 }))
  await gateway.backlogReaches(1)
  await expect.poll(() => gateway.parts.stream!.state()).toBe('away')
  expect(client.received()).toEqual([])
  await nats.start()
  expect(await client.next()).toMatchObject({ cmd: 'puback', messageId: 1 })
  expect(gateway.parts.stream!.state()).toBe('ok')
  await using _node = await startIngestNode(gateway)
  await expect.poll(() => sorted()).toEqual([1])
})

test.skipIf(skip)('while the stream is full devices wait, until messages are stored', async () => {
  const large = `{"n":1${' '.repeat(1_000_000)}}`
  let sent = 0
  while (gateway.parts.stream!.state() === 'ok') {
    client.send(publishPacket(`devices/${device.id}/telemetry`, { payload: large, messageId: ++sent }))
    await expect
      .poll(() => client.received().length > 0 || gateway.parts.stream!.state() === 'full')
      .toBe(true)
  }
  expect(gateway.parts.stream!.state()).toBe('full')
  await using _node = await startIngestNode(gateway)
  expect(await client.next()).toMatchObject({ cmd: 'puback', messageId: sent })
  await expect.poll(() => gateway.parts.stream!.state()).toBe('ok')
  await expect.poll(async () => (await sorted()).length).toBe(sent)
})

const listUnreadable = async () =>
  (
    await gateway.database.pool.query(
      'select lane, reason, payload from unreadable_batches order by sequence',
    )
  ).rows

test.skipIf(skip)(
  'what is no batch is kept with its reason, and holds up nothing [docs/stream#faults]',
  async () => {
    const partition = device.number % 64
    await publish(telemetry([1]))
    await streams.useStream(async ({ publisher, prefix }) => {
      const noLetter = encodeBatch('id', [
        { message: { ...streams.makeMessage(device), payload: Buffer.from('{"n":5}') }, letter: undefined },
      ])
      await publisher.publish(`${prefix}.telemetry.${partition}`, 'hello')
      await publisher.publish(`${prefix}.telemetry.${partition}`, Buffer.concat([noLetter, Buffer.from('x')]))
      await publisher.publish(`${prefix}.telemetry.${partition}`, noLetter.subarray(0, -1))
      await publisher.publish(`${prefix}.dead_letters.${partition}`, noLetter)
      await publisher.publish(`${prefix}.reported.${partition}`, '')
    })
    await publish(telemetry([2]))
    await using node = await startIngestNode(gateway)
    await untilStored()
    expect(await sorted()).toEqual([1, 2])
    expect(await listUnreadable()).toMatchObject([
      { lane: 'telemetry', reason: 'its format 104 is not known', payload: Buffer.from('hello') },
      { lane: 'telemetry', reason: 'it is longer than its messages' },
      { lane: 'telemetry', reason: 'it ends too early' },
      { lane: 'dead_letters', reason: 'it has messages without a reason among the dead letters' },
      { lane: 'reported', reason: 'it ends too early' },
    ])
    expect(await node.ctx.metrics.registry.metrics()).toContain('gangway_ingest_unreadable_batches_total 5')
  },
)

test.skipIf(skip)(
  'a message that the database refuses becomes a dead letter, and the others are stored',
  async () => {
    const { pool } = gateway.database
    await pool.query('alter table sample_rows add constraint poison check (numbers[1] <> 666)')
    await publish(telemetry(range(660, 10)))
    await using _node = await startIngestNode(gateway)
    await untilStored()
    await pool.query('alter table sample_rows drop constraint poison')
    expect(await sorted()).toEqual(range(660, 10).filter((n) => n !== 666))
    expect(await gateway.deadLettersOf(device)).toMatchObject([
      { reason: 'refused_by_storage', payload: Buffer.from('{"n":666}') },
    ])
  },
)

test.skipIf(skip)(
  'a message on which storing fails again and again becomes a dead letter, and holds up nothing',
  async () => {
    const { pool } = gateway.database
    await pool.query(`
    create function fail() returns trigger language plpgsql as $$ begin raise 'a defect'; end $$;
    create trigger defect before insert on sample_rows for each row when (new.numbers[1] = 777) execute function fail()`)
    await publish(telemetry(range(770, 10)))
    await using _node = await startIngestNode(gateway)
    await untilStored()
    await pool.query('drop function fail cascade')
    expect(await sorted()).toEqual(range(770, 10).filter((n) => n !== 777))
    expect(await gateway.deadLettersOf(device)).toMatchObject([{ reason: 'refused_by_storage' }])
  },
)

test.skipIf(skip)('messages of a client that was deleted are dropped and counted', async () => {
  await publish(telemetry([1, 2]))
  await gateway.database.pool.query('delete from provider_clients where number = $1', [device.number])
  await using node = await startIngestNode(gateway)
  await untilStored()
  expect(await node.ctx.metrics.registry.metrics()).toContain(
    'gangway_ingest_messages_without_client_total 2',
  )
})

test.skipIf(skip)('a stream that was deleted is made again, and its partitions begin again', async () => {
  await using _node = await startIngestNode(gateway)
  await publish(telemetry([1]))
  await untilStored()
  await streams.useStream(async ({ manager, name }) => void (await manager.streams.delete(name)))
  await publish(telemetry(range(2, 5)))
  await expect.poll(() => sorted()).toEqual(range(1, 6))
})

test.skipIf(skip)('metrics say how much is in the stream and how long it waits', async () => {
  await using node = await startIngestNode(gateway)
  const commits = await gateway.holdCommits()
  await publish(telemetry([1]))
  const partition = device.number % 64
  const read = (name: string) => async () => {
    const line = new RegExp(`^${name}(?:\\{partition="${partition}"\\})? (.*)$`, 'm')
    return Number(line.exec(await node.ctx.metrics.registry.metrics())?.[1])
  }
  await expect.poll(read('gangway_ingest_partition_batches')).toBe(1)
  await expect.poll(read('gangway_ingest_partition_age_seconds')).toBeGreaterThan(0)
  expect(await read('gangway_ingest_stream_bytes')()).toBeGreaterThan(0)
  expect(await read('gangway_ingest_stream_max_bytes')()).toBe(STREAM_BYTES)
  const status = async () => (await gateway.parts.stream!.readStatus()).partitions[partition]!
  await expect
    .poll(status)
    .toMatchObject({ partition, nodeId: node.ctx.nodes.id, batches: 1, oldestAt: expect.any(Date) })
  const { oldestAt } = await status()
  expect(await gateway.parts.stream!.readStoredUntilMs()).toBe(oldestAt!.getTime())
  await commits.release()
  await expect.poll(() => gateway.parts.stream!.readStoredUntilMs()).toBeGreaterThan(oldestAt!.getTime())
  await expect.poll(read('gangway_ingest_partition_batches')).toBe(0)
  await expect.poll(read('gangway_ingest_partition_age_seconds')).toBe(0)
})

test.skipIf(skip)('all who ask what waits share a reading', async () => {
  await publish(telemetry([1]))
  const { readStatus } = gateway.parts.stream!
  const [first, ...others] = await Promise.all(Array.from({ length: 20 }, () => readStatus()))
  for (const other of others) expect(other).toBe(first)
  await expect.poll(async () => (await readStatus()) === first).toBe(false)
  await using _node = await startIngestNode(gateway)
  await untilStored()
})

test.skipIf(skip)('a server without a stream says what waits in one that was used before', async () => {
  const { ctx } = gateway
  const written: string[] = []
  const log = pino({ level: 'error' }, { write: (line: string) => void written.push(line) })
  const warn = async () => {
    written.length = 0
    await warnOfLeftBatches({ ...ctx, log }, { natsUrl: ctx.config.natsUrl! }, {})
    return written.map((line) => JSON.parse(line))
  }
  await publish(telemetry([1]))
  expect(await warn()).toMatchObject([{ batches: 1, msg: expect.stringContaining('wait in the stream') }])
  await using _node = await startIngestNode(gateway)
  await expect.poll(warn).toEqual([])
})
