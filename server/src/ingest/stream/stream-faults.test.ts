/** Parts of the stream fail: what was acknowledged is stored, once and in order. [docs/stream#faults] */
import { setImmediate } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import {
  publishPacket,
  type RawClient,
  type TestDevice,
  type TestGateway,
} from '../../../test/harness/gateway.ts'
import { startIngestNode } from '../../../test/harness/ingest-node.ts'
import { type NatsServer, skipWithoutNats } from '../../../test/harness/nats-server.ts'
import { startSilentProxy } from '../../../test/harness/silent-proxy.ts'
import {
  range,
  type Sender,
  startReplicatedGateway,
  startStreamGateway,
  STREAM_BYTES,
  type StreamGateway,
  telemetry,
} from '../../../test/harness/stream-gateway.ts'
import type { Device } from '../message.ts'
import { encodeBatch, formatBatchId, markSentBefore } from './batch-format.ts'

const skip = skipWithoutNats('faults of a stream of messages')

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

/** Takes the subjects of the batches from the stream, as if it had no leader, until `restore` is called. */
async function leaveStream() {
  let subjects: string[] = []
  const setSubjects = (choose: () => string[]) =>
    streams.useStream(async ({ manager, name }) => {
      const { config } = await manager.streams.info(name)
      subjects = subjects.length > 0 ? subjects : config.subjects
      await manager.streams.update(name, { ...config, subjects: choose() })
    })
  await setSubjects(() => ['elsewhere'])
  return { state: 'away', restore: () => setSubjects(() => subjects) }
}

/** Lets the stream refuse each batch as too large, until `restore` is called. */
async function refuseSize() {
  const setSize = (max_msg_size: number) =>
    streams.useStream(async ({ manager, name }) => {
      const { config } = await manager.streams.info(name)
      await manager.streams.update(name, { ...config, max_msg_size })
    })
  await setSize(1)
  return { state: 'away', restore: () => setSize(-1) }
}

/** Lets the stream refuse each batch, until `restore` is called. */
async function fillStream() {
  const setMaxBytes = (choose: (bytes: number) => number) =>
    streams.useStream(async ({ manager, name }) => {
      const { config, state } = await manager.streams.info(name)
      await manager.streams.update(name, { ...config, max_bytes: choose(state.bytes) })
    })
  await setMaxBytes((bytes) => bytes)
  return { state: 'full', restore: () => setMaxBytes(() => STREAM_BYTES) }
}

test.skipIf(skip).each([
  ['a full stream refused', fillStream],
  ['the stream refused for another reason', refuseSize],
  ['found no leader of the stream', leaveStream],
])('a message that %s is no repeat of one with the same packet', async (_what, refuse) => {
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
  const refusal = await refuse()
  send('open')
  await expect.poll(() => gateway.parts.stream!.state()).toBe(refusal.state)
  await refusal.restore()
  expect((await client.next()).cmd).toBe('puback')
  await using _node = await startIngestNode(gateway)
  await untilStored()
  expect(await streams.readTwin(device)).toMatchObject({
    reported_version: '3',
    reported: { door: 'open' },
  })
})

test.skipIf(skip)('a full stream refuses what does not fit, and keeps what was acknowledged', async () => {
  const setMaxBytes = (max_bytes: number) =>
    streams.useStream(async ({ manager, name }) => {
      await manager.streams.update(name, { max_bytes })
    })
  const { ingest } = gateway.parts.stream!
  // A message that has waited for long is tried once.
  const submit = (n: number, spaces: number) =>
    new Promise<boolean>((resolve) => {
      const payload = Buffer.from(`{"n":${n}${' '.repeat(spaces)}}`)
      const message = { ...streams.makeMessage(device), payload, receivedAtMs: Date.now() - 60_000 }
      ingest.telemetry({ ...message, packetId: n }, (error) => resolve(error === undefined))
    })
  await setMaxBytes(32 * 1024)
  const acknowledged: number[] = []
  for (const n of range(1, 300)) if (await submit(n, 600 - 2 * n)) acknowledged.push(n)
  expect(acknowledged.length).toBeLessThan(300)
  await setMaxBytes(STREAM_BYTES)
  await using _node = await startIngestNode(gateway)
  await untilStored()
  expect(await sorted()).toEqual(acknowledged)
})

test.skipIf(skip)('what follows a message that could not be published does not overtake it', async () => {
  const { ingest } = gateway.parts.stream!
  const submit = (waitedMs = 0) =>
    new Promise<string>((resolve) => {
      const report = { ...streams.makeMessage(device), receivedAtMs: Date.now() - waitedMs }
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
  const first = { ...streams.makeMessage(device), payload: Buffer.from('{"n":1}') }
  const again = { ...first, receivedAtMs: first.receivedAtMs + 5000, isRepeat: true }
  const late = encodeBatch('one', [{ message: first, letter: undefined }])
  // The first gateway had no answer, and its batch gets into the stream last.
  markSentBefore(late)
  await streams.useStream(async ({ publisher, prefix }) => {
    const subject = `${prefix}.telemetry.${device.number % 64}`
    await publisher.publish(subject, encodeBatch('other', [{ message: again, letter: undefined }]))
    await publisher.publish(subject, late)
  })
  await using _node = await startIngestNode(gateway)
  await untilStored()
  expect(await sorted()).toEqual([1])
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
  expect((await streams.readTwin(device)).reported_version).toBe('2')
  expect(await gateway.deadLettersOf(device)).toHaveLength(1)
})

test.skipIf(skip)(
  'a batch that was held up on its way comes after its second try, and counts once',
  async () => {
    const messages = [1, 2].map((n) => ({
      ...streams.makeMessage(device),
      topic: `devices/${device.id}/twin/reported`,
      payload: Buffer.from(`{"a":${n}}`),
    }))
    const [first, second] = messages.map((message, index) =>
      encodeBatch(formatBatchId({ sender: 'gateway', number: 9 + index }), [{ message, letter: undefined }]),
    ) as [Buffer, Buffer]
    const again = Buffer.from(first)
    markSentBefore(again)
    await using _node = await startIngestNode(gateway)
    for (const batch of [again, second, first])
      await streams.useStream(async ({ publisher, prefix }) => {
        await publisher.publish(`${prefix}.reported.${device.number % 64}`, batch)
      })
    await untilStored()
    expect(await streams.readTwin(device)).toMatchObject({ reported_version: '2', reported: { a: 2 } })
  },
)

/** Publishes all batches of the stream once more, as a gateway does that got no answer. */
const repeatAll = () =>
  streams.useStream(async ({ manager, publisher, name }) => {
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

test.skipIf(skip)(
  'messages of a client whose number is that of another one are dropped and counted',
  async () => {
    const send = (other: Partial<Device>) =>
      streams.useStream(async ({ publisher, prefix }) => {
        const batch = encodeBatch('id', [
          {
            message: {
              ...streams.makeMessage(device),
              device: { ...streams.makeMessage(device).device, ...other },
            },
            letter: undefined,
          },
        ])
        await publisher.publish(`${prefix}.reported.${device.number % 64}`, batch)
      })
    await send({ id: 'before-the-restore' })
    await send({ tenantNumber: streams.makeMessage(device).device.tenantNumber + 1 })
    await send({})
    await using node = await startIngestNode(gateway)
    await untilStored()
    expect((await streams.readTwin(device)).reported_version).toBe('1')
    expect(await node.ctx.metrics.registry.metrics()).toContain(
      'gangway_ingest_messages_without_client_total 2',
    )
  },
)

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
    const twin = await streams.readTwin(device)
    expect(Object.values(twin.reported).toSorted((a, b) => Number(a) - Number(b))).toEqual(range(1, 18))
    expect(twin.reported_version).toBe('18')
  },
)

test.skipIf(skip)(
  'what is not stored is there after each server of NATS was killed and started [docs/stream#what-is-lost]',
  async () => {
    await using replicated = await startReplicatedGateway()
    const { pool } = replicated.gateway.database
    const [held, other] = [await replicated.connect(), await replicated.connect()]
    await using _node = await startIngestNode(replicated.gateway)
    const holder = await pool.connect()
    await holder.query('begin')
    await holder.query('select from ingest_partitions where partition = $1 for update', [
      held.device.number % 64,
    ])
    for (const sender of [held, other])
      for (const n of range(0, 10)) await replicated.publish(sender, telemetry([n]))
    const readState = async () => {
      let state = { batches: 0, isReplicated: false }
      await replicated.useStream(async ({ manager, name }) => {
        const info = await manager.streams.info(name)
        const isReplicated = info.cluster?.replicas?.filter(({ current }) => current).length === 2
        state = { batches: info.state.messages, isReplicated }
      })
      return state
    }
    // What the other device sent is stored, and deleted. More follows, so that all servers know that they have agreed on it.
    await expect.poll(readState).toEqual({ batches: 10, isReplicated: true })
    for (const n of range(10, 10)) await replicated.publish(other, telemetry([n]))
    await expect.poll(readState).toEqual({ batches: 10, isReplicated: true })
    for (const server of replicated.nats.servers) {
      await server.kill()
      await server.start()
      await expect.poll(readState).toEqual({ batches: 10, isReplicated: true })
    }
    await holder.query('rollback')
    holder.release()
    await replicated.untilStored()
    expect(await replicated.readNumbers(held.device)).toEqual(range(0, 10))
    expect(await replicated.readNumbers(other.device)).toEqual(range(0, 20))
  },
)

test.skipIf(skip)(
  'a stream that was made while servers were missing gets its replicas [docs/stream#the-stream]',
  async () => {
    await using replicated = await startReplicatedGateway()
    await replicated.useStream(async ({ manager, name }) => {
      await manager.streams.update(name, { num_replicas: 1 })
      await expect.poll(async () => (await manager.streams.info(name)).config.num_replicas).toBe(3)
    })
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

test.skipIf(skip)(
  'a node that does not reach the stream has nothing that waits for the database [docs/stream#what-devices-see]',
  async () => {
    await using proxy = await startSilentProxy(nats.url)
    await using cut = await startIngestNode(gateway, proxy.url)
    const commits = await gateway.holdCommits()
    // The second one is announced to the node, and read after the first one is stored.
    await publish(telemetry([1]))
    await publish(telemetry([2]))
    const { back } = proxy.refuseAll()
    await commits.release()
    let longestMs = 0
    await expect
      .poll(async () => {
        longestMs = Math.max(longestMs, cut.longestWaitMs())
        return owners()
      })
      .toEqual(new Map([[null, 64]]))
    expect(longestMs).toBe(0)
    back()
    await expect.poll(() => sorted()).toEqual([1, 2])
  },
)
