/** Messages pass the stream: acknowledged by it, stored once and in order by the nodes that hold its partitions. */
import { setImmediate } from 'node:timers/promises'
import { jetstream, type JetStreamClient, type JetStreamManager, jetstreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { pino } from 'pino'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import {
  publishPacket,
  type RawClient,
  startGateway,
  type TestDevice,
  type TestGateway,
} from '../../../test/harness/gateway.ts'
import { startSilentProxy } from '../../../test/harness/silent-proxy.ts'
import { startIngestNode } from '../../../test/harness/ingest-node.ts'
import { type NatsServer, skipWithoutNats, startNats } from '../../../test/harness/nats-server.ts'
import type { Device } from '../message.ts'
import { encodeBatch, markSentBefore } from './batch-format.ts'
import { warnOfLeftBatches } from './left-batches.ts'

const skip = skipWithoutNats('messages of devices through a stream')

let nats: NatsServer
/** Takes messages, and stores none. */
let gateway: TestGateway
beforeAll(async () => {
  if (skip) return
  nats = await startNats({ config: 'max_payload: 2MB' })
  gateway = await startGateway({
    GANGWAY_ROLES: 'gateway',
    GANGWAY_NATS_URL: nats.url,
    GANGWAY_INGEST: 'stream',
    GANGWAY_STREAM_BYTES: `${16 * 1024 * 1024}`,
  })
})
afterAll(async () => {
  await gateway?.[Symbol.asyncDispose]()
  await nats?.[Symbol.asyncDispose]()
})

let device: TestDevice
let client: RawClient
/** Of the devices. */
let tenantNumber: number
beforeEach(async () => {
  if (skip) return
  device = await gateway.makeDevice()
  client = await gateway.raw(device)
  const { rows } = await gateway.database.pool.query(`select number from tenants where id = 'default'`)
  tenantNumber = rows[0].number
})

let packetId = 0
const nextId = () => (packetId = (packetId % 65_000) + 1)

/** Publishes with QoS 1. @returns once all are acknowledged */
async function publish(payloads: string[], topic = 'telemetry', of = { device, client }) {
  for (const payload of payloads)
    of.client.send(publishPacket(`devices/${of.device.id}/${topic}`, { payload, messageId: nextId() }))
  for (const _ of payloads) expect((await of.client.next()).cmd).toBe('puback')
}

const values = async (of = device) =>
  (await gateway.samplesOf(of)).filter(({ name }) => name === 'n').map(({ value }) => value)

/** Numbers that arrive within a millisecond have the same time, and no order among the samples. */
const sorted = async (of = device) => (await values(of)).toSorted((a, b) => Number(a) - Number(b))

const range = (from: number, count: number) => Array.from({ length: count }, (_, index) => from + index)
const telemetry = (numbers: number[]) => numbers.map((n) => JSON.stringify({ n }))

const twinOf = async ({ number }: TestDevice) =>
  (await gateway.database.pool.query('select * from client_twins where client_number = $1', [number])).rows[0]

async function owners() {
  const { rows } = await gateway.database.pool.query(
    `select node_id, count(*)::int as count from ingest_partitions where lane = 'telemetry' group by 1 order by 2 desc, 1`,
  )
  return new Map(rows.map(({ node_id, count }) => [node_id, count]))
}

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
    expect(await values()).toEqual([])

    await using _node = await startIngestNode(gateway)
    await expect.poll(() => sorted()).toEqual(range(0, count))
    await expect.poll(() => sorted(other.device)).toEqual(range(1000, count))
    await expect.poll(async () => (await twinOf(device))?.reported_version).toBe('50')
    expect((await twinOf(device)).reported.last).toBe(50)
    await expect
      .poll(async () => (await gateway.deadLettersOf(device)).map(({ reason }) => reason).toSorted())
      .toEqual(['not_json', 'not_json', 'unknown_topic'])
  },
)

test.skipIf(skip)('what is stored leaves the stream', async () => {
  await publish(telemetry([1]))
  await using _node = await startIngestNode(gateway)
  const status = () => gateway.parts.stream!.readStatus()
  await expect.poll(async () => (await status()).bytes).toBe(0)
  expect(await values()).toEqual([1])
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
  await expect.poll(() => values()).toEqual([1])
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
  await expect.poll(async () => (await values()).length).toBe(sent)
})

/** Lets the stream refuse each batch, until `restore` is called. */
async function fillStream() {
  const setMaxBytes = (choose: (bytes: number) => number) =>
    useStream(async ({ manager, name }) => {
      const { config, state } = await manager.streams.info(name)
      await manager.streams.update(name, { ...config, max_bytes: choose(state.bytes) })
    })
  await setMaxBytes((bytes) => bytes)
  return { restore: () => setMaxBytes(() => 16 * 1024 * 1024) }
}

test.skipIf(skip)(
  'a message that a full stream refused is no repeat of one with the same packet',
  async () => {
    const send = (door: string) =>
      client.send(
        publishPacket(`devices/${device.id}/twin/reported`, {
          payload: JSON.stringify({ door }),
          messageId: 1,
        }),
      )
    for (const door of ['open', 'closed']) {
      send(door)
      expect((await client.next()).cmd).toBe('puback')
    }
    const full = await fillStream()
    send('open')
    await expect.poll(() => gateway.parts.stream!.state()).toBe('full')
    await full.restore()
    expect((await client.next()).cmd).toBe('puback')
    await using _node = await startIngestNode(gateway)
    await untilStored()
    expect(await twinOf(device)).toMatchObject({ reported_version: '3', reported: { door: 'open' } })
  },
)

test.skipIf(skip)('what follows a message that could not be published does not overtake it', async () => {
  const { ingest } = gateway.parts.stream!
  const submit = (waitedMs = 0) =>
    new Promise<string>((resolve) => {
      const report = { ...message(), receivedAtMs: Date.now() - waitedMs }
      ingest.reported(report, (error) => resolve(error ? 'refused' : 'published'))
    })
  await publish(telemetry([1]))
  const full = await fillStream()
  try {
    const first = submit(60_000)
    await setImmediate()
    // They gather behind the batch under way. With the next message, they are as many as a batch may have.
    const behind = Array.from({ length: 499 }, () => submit())
    expect(await first).toBe('refused')
    const [second, third] = [submit(), submit()]
    expect(await second).toBe('refused')
    await full.restore()
    expect(await third).toBe('refused')
    expect(new Set(await Promise.all(behind))).toEqual(new Set(['refused']))
    expect([await submit(), await submit()]).toEqual(['published', 'published'])
  } finally {
    await full.restore()
  }
})

test.skipIf(skip)('telemetry that a device sent again to another gateway counts once', async () => {
  const first = { ...message(), payload: Buffer.from('{"n":1}') }
  const again = { ...first, receivedAtMs: first.receivedAtMs + 5000, isRepeat: true }
  const late = encodeBatch('one', [{ message: first, letter: undefined }])
  // The first gateway had no answer, and its batch gets into the stream last.
  markSentBefore(late)
  await useStream(async ({ publisher, prefix }) => {
    const subject = `${prefix}.telemetry.${device.number % 64}`
    await publisher.publish(subject, encodeBatch('other', [{ message: again, letter: undefined }]))
    await publisher.publish(subject, late)
  })
  await using _node = await startIngestNode(gateway)
  await untilStored()
  expect(await values()).toEqual([1])
})

test.skipIf(skip)('a batch whose acknowledgement was lost counts once', async () => {
  await publish(telemetry(range(0, 3)))
  await publish(['{"a":1}', '{"a":2}'], 'twin/reported')
  client.send(publishPacket(`devices/${device.id}/telemetry`, { payload: '{"n":7}', qos: 0 }))
  await publish(['nobody'], 'nowhere')
  await gateway.parts.stream!.ingest.settled()
  await repeatAll()
  await using _node = await startIngestNode(gateway)
  await untilStored()
  expect(await sorted()).toEqual([0, 1, 2, 7])
  expect((await twinOf(device)).reported_version).toBe('2')
  expect(await gateway.deadLettersOf(device)).toHaveLength(1)
})

/** What is stored is deleted from the stream. */
const untilStored = () =>
  useStream(async ({ manager, name }) => {
    await expect.poll(async () => (await manager.streams.info(name)).state.messages).toBe(0)
  })

/** Publishes all batches of the stream once more, as a gateway does that got no answer, without the id that the stream knows. */
const repeatAll = () =>
  useStream(async ({ manager, publisher, name }) => {
    const { messages, last_seq } = (await manager.streams.info(name)).state
    expect(messages).toBeGreaterThan(0)
    for (let seq = 1; seq <= last_seq; seq++) {
      const found = await manager.streams.getMessage(name, { seq }).catch(() => null)
      if (!found) continue
      const batch = Buffer.from(found.data)
      markSentBefore(batch)
      await publisher.publish(found.subject, batch)
    }
  })

/** A program beside the platform. */
async function useStream(work: (stream: StreamAccess) => Promise<void>) {
  const connection = await connect({ servers: nats.url })
  try {
    const manager = await jetstreamManager(connection)
    const [name] = await manager.streams.names().next()
    const prefix = (await manager.streams.info(name!)).config.subjects[0]!.replace('.*.*', '')
    await work({ manager, publisher: jetstream(connection), name: name!, prefix })
  } finally {
    await connection.close()
  }
}

interface StreamAccess {
  manager: JetStreamManager
  publisher: JetStreamClient
  name: string
  prefix: string
}

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
    await useStream(async ({ publisher, prefix }) => {
      const noLetter = encodeBatch('id', [
        { message: { ...message(), payload: Buffer.from('{"n":5}') }, letter: undefined },
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

const message = () => ({
  device: { number: device.number, id: device.id, tenantNumber } as Device,
  topic: `devices/${device.id}/telemetry`,
  payload: Buffer.from('{}'),
  receivedAtMs: Date.now(),
  packetId: 1,
  isRepeat: false,
})

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

test.skipIf(skip)(
  'messages of a client whose number is that of another one are dropped and counted',
  async () => {
    const send = (other: Partial<Device>) =>
      useStream(async ({ publisher, prefix }) => {
        const batch = encodeBatch('id', [
          { message: { ...message(), device: { ...message().device, ...other } }, letter: undefined },
        ])
        await publisher.publish(`${prefix}.reported.${device.number % 64}`, batch)
      })
    await send({ id: 'before-the-restore' })
    await send({ tenantNumber: tenantNumber + 1 })
    await send({})
    await using node = await startIngestNode(gateway)
    await untilStored()
    expect((await twinOf(device)).reported_version).toBe('1')
    expect(await node.ctx.metrics.registry.metrics()).toContain(
      'gangway_ingest_messages_without_client_total 2',
    )
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
  await useStream(async ({ manager, name }) => void (await manager.streams.delete(name)))
  await publish(telemetry(range(2, 5)))
  await expect.poll(() => sorted()).toEqual(range(1, 6))
})

test.skipIf(skip)(
  'after a stream lost its end nothing counts twice, and nothing that came later is lost [docs/stream#what-is-lost]',
  async () => {
    // Each is a batch of its own.
    const report = async (numbers: number[]) => {
      for (const n of numbers) await publish([JSON.stringify({ [`p${n}`]: n })], 'twin/reported')
    }
    await report(range(1, 3))
    await nats.kill()
    await nats.saveStore()
    await nats.start()
    await using _node = await startIngestNode(gateway)
    await report(range(4, 5))
    await untilStored()
    await nats.kill()
    await nats.restoreStore()
    await nats.start()
    // The first of them have the sequence numbers of those that are lost, the others later ones.
    await report(range(9, 10))
    await untilStored()
    const twin = await twinOf(device)
    expect(Object.values(twin.reported).toSorted((a, b) => Number(a) - Number(b))).toEqual(range(1, 18))
    expect(twin.reported_version).toBe('18')
  },
)

test.skipIf(skip)(
  'a node that does not reach the stream leaves its partitions to another [docs/stream#partitions]',
  async () => {
    await using proxy = await startSilentProxy(nats.url)
    await using cut = await startIngestNode(gateway, proxy.url)
    await using other = await startIngestNode(gateway)
    await expect.poll(async () => [...(await owners()).values()]).toEqual([32, 32])
    const { back } = proxy.refuseAll()
    await expect.poll(() => owners()).toEqual(new Map([[other.ctx.nodes.id, 64]]))
    back()
    await expect.poll(async () => (await owners()).get(cut.ctx.nodes.id)).toBe(32)
    await publish(telemetry(range(0, 10)))
    await expect.poll(() => sorted()).toEqual(range(0, 10))
  },
)

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
  expect(await read('gangway_ingest_stream_max_bytes')()).toBe(16 * 1024 * 1024)
  const { partitions } = await gateway.parts.stream!.readStatus()
  expect(partitions[partition]).toMatchObject({ partition, nodeId: node.ctx.nodes.id, batches: 1 })
  await commits.release()
  await expect.poll(read('gangway_ingest_partition_batches')).toBe(0)
  await expect.poll(read('gangway_ingest_partition_age_seconds')).toBe(0)
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
