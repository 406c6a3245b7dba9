import { setTimeout as sleep } from 'node:timers/promises'
import type { Packet } from 'mqtt-packet'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import {
  publishPacket,
  type RawClient,
  startGateway,
  type TestDevice,
  type TestGateway,
} from '../../../test/harness/gateway.ts'
import type { LimitEvent } from './ledger.ts'
import { createLedger } from './ledger.ts'
import { type StoredLimitEvent, listLimitEvents } from './store.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startGateway()
})
afterAll(() => gateway[Symbol.asyncDispose]())

/** Waits until the ledger of the device has such a row. */
async function ledgerRow(device: TestDevice, limit: string, isExpected = (_row: StoredLimitEvent) => true) {
  return vi.waitFor(async () => {
    const rows = await listLimitEvents(gateway.ctx.db, device.number)
    const row = rows.find(({ limit_name }) => limit_name === limit)
    if (row && isExpected(row)) return row
    throw new Error(`still ${JSON.stringify(rows)}`)
  })
}

const subscribe = (...topics: string[]) =>
  ({
    cmd: 'subscribe',
    messageId: 1,
    subscriptions: topics.map((topic) => ({ topic, qos: 1 })),
  }) as Packet

describe('the ledger has what a limit did [docs/mqtt#ledger]', () => {
  test('subscriptions refused', async () => {
    const device = await gateway.makeDevice()
    const client = await gateway.raw(device)
    client.send(subscribe(...Array.from({ length: 103 }, (_, index) => `devices/${device.id}/t${index}`)))
    expect(await ledgerRow(device, 'subscriptions')).toMatchObject({ outcome: 'refused', count: '3' })
    client.socket.destroy()
  })

  test('a message that is too large, and a packet that is', async () => {
    const device = await gateway.makeDevice()
    const client = await gateway.raw(device)
    client.write(Buffer.of(0x32, 0xff, 0xff, 0xff, 0x7f))
    await client.closed
    const other = await gateway.raw(device)
    other.write(Buffer.of(0x82, 0x81, 0x80, 0x04))
    await other.closed
    expect(await ledgerRow(device, 'message_bytes')).toMatchObject({ outcome: 'refused', count: '1' })
    expect(await ledgerRow(device, 'packet_bytes')).toMatchObject({ outcome: 'refused', count: '1' })
  })

  test('connections of a device refused', async () => {
    const device = await gateway.makeDevice()
    const clients = []
    for (let index = 0; index < 50; index++)
      clients.push(await gateway.raw(device, { clientId: `session-${index}` }))
    await expect(gateway.raw(device, { clientId: 'one-more' })).rejects.toThrow('"returnCode":3')
    expect(await ledgerRow(device, 'sessions')).toMatchObject({ outcome: 'refused', count: '1' })
    for (const { socket } of clients) socket.destroy()
  })

  test('retained messages refused, with the topic', async () => {
    const device = await gateway.makeDevice()
    const client = await gateway.raw(device)
    for (let index = 0; index <= 100; index++)
      client.send(publishPacket(`devices/${device.id}/n${index}`, { retain: true, messageId: index + 1 }))
    const row = await ledgerRow(device, 'retained_messages')
    expect(row).toMatchObject({ outcome: 'refused', count: '1', bytes: '5' })
    expect(row.message).toContain(`devices/${device.id}/n100`)
    client.socket.destroy()
  })

  test('the oldest messages of a session that does not acknowledge', async () => {
    const device = await gateway.makeDevice()
    const client = await gateway.raw(device)
    const topic = `devices/${device.id}/note`
    client.send(subscribe(topic))
    await client.next()
    const sender = await gateway.raw(device, { clientId: 'sender' })
    // 100 are on their way, and 100 wait.
    for (let index = 1; index <= 203; index++) sender.send(publishPacket(topic, { messageId: index }))
    const row = await ledgerRow(device, 'queued_messages', ({ count }) => count === '3')
    expect(row).toMatchObject({ outcome: 'dropped', bytes: '15' })
    expect(row.message).toContain(topic)
    client.socket.destroy()
    sender.socket.destroy()
  })

  test('messages of a stored session whose device is away', async () => {
    const device = await gateway.makeDevice()
    const topic = `devices/${device.id}/note`
    const listener = await gateway.raw(device, { clientId: 'stored', clean: false })
    listener.send(subscribe(topic))
    await listener.next()
    listener.socket.destroy()
    await gateway.connectionOf(device, ({ connected }) => !connected)
    const sender = await gateway.raw(device)
    for (let index = 1; index <= 104; index++) sender.send(publishPacket(topic, { messageId: index }))
    expect(await ledgerRow(device, 'queued_messages', ({ count }) => count === '4')).toMatchObject({
      outcome: 'dropped',
    })
    sender.socket.destroy()
  })

  test('QoS 0 for a device that does not read', async () => {
    const device = await gateway.makeDevice()
    const topic = `devices/${device.id}/note`
    const client = await gateway.raw(device)
    client.send({ ...subscribe(topic), subscriptions: [{ topic, qos: 0 }] } as Packet)
    await client.next()
    client.socket.pause()
    const sender = await gateway.raw(device, { clientId: 'sender' })
    const payload = Buffer.alloc(500_000)
    for (let index = 1; index <= 40; index++) {
      sender.send(publishPacket(topic, { messageId: index, payload }))
      await sender.next()
    }
    const row = await ledgerRow(device, 'unsent_bytes')
    expect(row.outcome).toBe('dropped')
    expect(Number(row.bytes)).toBe(Number(row.count) * 500_000)
    client.socket.destroy()
    sender.socket.destroy()
  })

  test('messages that are larger than a device takes', async () => {
    const device = await gateway.makeDevice()
    const topic = `devices/${device.id}/note`
    const client = await gateway.connect(device, {
      protocolVersion: 5,
      properties: { maximumPacketSize: 200 },
    })
    await client.subscribeAsync(topic, { qos: 1 })
    await client.publishAsync(topic, 'x'.repeat(300), { qos: 1 })
    const row = await ledgerRow(device, 'client_packet_bytes')
    expect(row).toMatchObject({ outcome: 'dropped', count: '1', bytes: '300' })
    await client.endAsync()
  })

  test('messages that waited for their commit', async () => {
    const device = await gateway.makeDevice()
    const client = await gateway.raw(device)
    const topic = `devices/${device.id}/telemetry`
    const payload = JSON.stringify({ text: 'x'.repeat(900_000) })
    for (let index = 1; index <= 20; index++) client.send(publishPacket(topic, { messageId: index, payload }))
    const row = await ledgerRow(device, 'uncommitted_bytes')
    expect(row.outcome).toBe('delayed')
    expect(Number(row.delay_ms)).toBeGreaterThan(0)
    client.socket.destroy()
  })

  test('many messages that waited for their commit; a device of another tenant was not made to wait', async () => {
    const [device, stranger] = [await gateway.makeDevice(), await gateway.makeStranger()]
    const [client, other] = [await gateway.raw(device), await gateway.raw(stranger)]
    const send = ({ id }: TestDevice, { send: write }: RawClient, messageId: number) =>
      write(publishPacket(`devices/${id}/telemetry`, { messageId, payload: `{"a":${messageId}}` }))
    send(device, client, 1)
    send(stranger, other, 1)
    await Promise.all([client.next(), other.next()])
    const commits = await gateway.holdCommits()
    for (let index = 2; index <= 3000; index++) send(device, client, index)
    for (let index = 2; index <= 100; index++) send(stranger, other, index)
    await gateway.backlogReaches(2000)
    await commits.release()
    for (let index = 2; index <= 3000; index++)
      expect(await client.next()).toMatchObject({ cmd: 'puback', messageId: index })
    expect(await ledgerRow(device, 'uncommitted_messages')).toMatchObject({
      outcome: 'delayed',
      message: expect.stringContaining('too many messages'),
    })
    for (let index = 2; index <= 100; index++)
      expect(await other.next()).toMatchObject({ cmd: 'puback', messageId: index })
    expect(await listLimitEvents(gateway.ctx.db, stranger.number)).toEqual([])
    for (const { socket } of [client, other]) socket.destroy()
  })

  test('the oldest bytes of a session that does not acknowledge', async () => {
    const device = await gateway.makeDevice()
    const topic = `devices/${device.id}/note`
    const client = await gateway.raw(device)
    client.send(subscribe(topic))
    await client.next()
    const sender = await gateway.raw(device, { clientId: 'sender' })
    const payload = Buffer.alloc(500_000)
    for (let index = 1; index <= 8; index++) {
      sender.send(publishPacket(topic, { messageId: index, payload }))
      await sender.next()
    }
    const row = await ledgerRow(device, 'queued_bytes')
    expect(row).toMatchObject({ outcome: 'dropped', message: expect.stringContaining('the oldest') })
    expect(Number(row.bytes)).toBe(Number(row.count) * 500_000)
    for (const { socket } of [client, sender]) socket.destroy()
  })

  test('messages that expired before the device took them', async () => {
    const device = await gateway.makeDevice()
    const topic = `devices/${device.id}/note`
    const client = await gateway.raw(device, { protocolVersion: 5, properties: { receiveMaximum: 1 } })
    client.send(subscribe(topic))
    await client.next()
    client.send(publishPacket(topic))
    await client.next()
    client.send(publishPacket(topic, { messageId: 2, properties: { messageExpiryInterval: 1 } }))
    await client.next()
    await client.next()
    await sleep(1100)
    client.send({ cmd: 'puback', messageId: 1 })
    expect(await ledgerRow(device, 'message_expiry')).toMatchObject({
      outcome: 'dropped',
      count: '1',
      bytes: '5',
      message: expect.stringContaining('as their sender had asked'),
    })
    client.socket.destroy()
  })

  test.each([
    ['receive_maximum', 'Wait for acknowledgements.', 0x93],
    ['topic_alias_maximum', 'Use its topic alias maximum.', 0x94],
    ['topic_levels', 'Shorten it.', 0x82],
  ])('a connection that ended because of %s', async (limit, advice, reasonCode) => {
    const device = await gateway.makeDevice()
    const client = await gateway.raw(device, { protocolVersion: 5 })
    const topic = `devices/${device.id}/note`
    if (limit === 'receive_maximum')
      for (let index = 1; index <= 1001; index++)
        client.send(publishPacket(topic, { qos: 2, messageId: index }))
    else if (limit === 'topic_alias_maximum')
      client.send(publishPacket(topic, { properties: { topicAlias: 17 } }))
    else client.send(publishPacket(`devices/${device.id}${'/a'.repeat(99)}`))
    await client.closed
    expect(client.received().at(-1)).toMatchObject({ cmd: 'disconnect', reasonCode })
    expect(await ledgerRow(device, limit)).toMatchObject({
      outcome: 'refused',
      count: '1',
      message: expect.stringContaining(advice),
    })
  })
})

describe('a flood of events', () => {
  const dropped: LimitEvent = { limit: 'queued_messages', outcome: 'dropped', bytes: 10 }

  test('is one row and few writes', async () => {
    const device = await gateway.makeDevice()
    let writes = 0
    const db = gateway.ctx.db.withPlugin({
      transformQuery: ({ node }) => (writes++, node),
      transformResult: async ({ result }) => result,
    })
    const ledger = createLedger({ ...gateway.ctx, db })
    const topic = 'x'.repeat(60_000)
    const rounds = 3
    for (let round = 0; round < rounds; round++) {
      for (let index = 0; index < 100_000; index++) ledger.record(device.number, { ...dropped, topic })
      await sleep(1)
    }
    await ledger[Symbol.asyncDispose]()
    // On a slow machine each round takes longer than the time between two writes.
    expect(writes).toBeLessThanOrEqual(rounds + 1)
    const row = await ledgerRow(device, 'queued_messages')
    expect(row).toMatchObject({ count: '300000', bytes: '3000000' })
    expect(row.message.length).toBeLessThan(500)
  })

  test('rows of a deleted client do not keep those of others from being written', async () => {
    const device = await gateway.makeDevice()
    const ledger = createLedger(gateway.ctx)
    ledger.record(2_000_000_000, dropped)
    ledger.record(device.number, dropped)
    ledger.record(device.number, { ...dropped, outcome: 'delayed', delayMs: 7.6 })
    await ledger[Symbol.asyncDispose]()
    const rows = await listLimitEvents(gateway.ctx.db, device.number)
    expect(rows).toMatchObject([
      { outcome: 'delayed', count: '1', delay_ms: '8' },
      { outcome: 'dropped', count: '1', bytes: '10' },
    ])
  })
})
