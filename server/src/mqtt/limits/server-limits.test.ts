import { once } from 'node:events'
import { connect } from 'node:net'
import type { Packet } from 'mqtt-packet'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  publishPacket,
  type RawClient,
  startGateway,
  type TestDevice,
  type TestGateway,
} from '../../../test/harness/gateway.ts'
import { listLimitEvents } from './store.ts'

const limits = {
  partialBytes: 100_000,
  uncommittedMessages: 50,
  uncommittedBytes: 60_000,
  queuedBytes: 20_000,
}

let gateway: TestGateway
let device: TestDevice
let stranger: TestDevice
beforeAll(async () => {
  gateway = await startGateway({}, limits)
  stranger = await gateway.makeStranger()
})
afterAll(() => gateway[Symbol.asyncDispose]())

async function expectLedger({ number }: TestDevice, row: object): Promise<void> {
  await expect.poll(() => listLimitEvents(gateway.ctx.db, number)).toMatchObject([row])
}

describe('a limit of all connections to a server', () => {
  let client: RawClient
  let other: RawClient
  const startBoth = async () => {
    device = await gateway.makeDevice()
    client = await gateway.raw(device)
    other = await gateway.raw(stranger)
  }
  const destroyBoth = () => [client, other].forEach(({ socket }) => socket.destroy())

  test('incomplete packets: the connection that sends more ends, and that of another tenant goes on', async () => {
    await startBoth()
    other.write(Buffer.of(0x32, 0x10))
    client.write(Buffer.concat([Buffer.of(0x32, 0xc0, 0x84, 0x3d), Buffer.alloc(150_000)]))
    await client.closed
    await expectLedger(device, {
      limit_name: 'partial_bytes_of_all',
      outcome: 'refused',
      count: '1',
      message: expect.stringContaining('Send packets in one piece.'),
    })
    const row = await gateway.connectionOf(device, ({ connected }) => !connected)
    expect(row.disconnect_reason).toBe('too_slow')
    expect(other.socket.closed).toBe(false)
    destroyBoth()
  })

  test.each([
    ['uncommitted_messages_of_all', 60, 10, 50],
    ['uncommitted_bytes_of_all', 5, 20_000, 3],
  ])('%s: devices are delayed, and nothing is lost', async (limit, count, size, full) => {
    await startBoth()
    const topic = `devices/${device.id}/telemetry`
    client.send(publishPacket(topic, { payload: '{"text":"first"}' }))
    await client.next()
    const commits = await gateway.holdCommits()
    for (let index = 1; index <= count; index++)
      client.send(
        publishPacket(topic, {
          messageId: index,
          payload: JSON.stringify({ text: 'x'.repeat(size), index }),
        }),
      )
    await gateway.backlogReaches(full)
    await commits.release()
    for (let index = 1; index <= count; index++)
      expect(await client.next()).toMatchObject({ cmd: 'puback', messageId: index })
    await expectLedger(device, {
      limit_name: limit,
      outcome: 'delayed',
      message: expect.stringContaining('Look at the database.'),
    })
    destroyBoth()
  })

  test('messages for all sessions: those of the device that does not acknowledge are dropped', async () => {
    await startBoth()
    const subscribe = async ({ id }: TestDevice, { send, next }: RawClient) => {
      send({
        cmd: 'subscribe',
        messageId: 1,
        subscriptions: [{ topic: `devices/${id}/note`, qos: 1 }],
      } as Packet)
      await next()
    }
    await subscribe(device, client)
    await subscribe(stranger, other)
    const sender = await gateway.raw(device, { clientId: 'sender' })
    for (let index = 1; index <= 5; index++) {
      sender.send(
        publishPacket(`devices/${device.id}/note`, { messageId: index, payload: Buffer.alloc(6000) }),
      )
      await sender.next()
    }
    await expectLedger(device, {
      limit_name: 'queued_bytes_of_all',
      outcome: 'dropped',
      count: '2',
      bytes: '12000',
      message: expect.stringContaining('Acknowledge sooner.'),
    })
    other.send(publishPacket(`devices/${stranger.id}/note`, { payload: Buffer.alloc(6000) }))
    const received = [await other.next(), await other.next()]
    expect(received.map(({ cmd }) => cmd).toSorted()).toEqual(['puback', 'publish'])
    expect(await listLimitEvents(gateway.ctx.db, stranger.number)).toEqual([])
    sender.socket.destroy()
    destroyBoth()
  })
})

describe.each([
  ['sign_ins', { signIns: 3 }],
  ['sign_ins_of_address', { signInsOfAddress: 3 }],
])('connections that have not signed in: %s', (limit, few) => {
  let server: TestGateway
  beforeAll(async () => {
    server = await startGateway({}, few)
  })
  afterAll(() => server[Symbol.asyncDispose]())

  test('one more is closed and counted with the reason; those of devices go on', async () => {
    const client = await server.raw(await server.makeDevice())
    const open = () => connect({ port: server.port, host: '127.0.0.1', localAddress: '127.0.0.5' })
    const waiting = [open(), open(), open()]
    await Promise.all(waiting.map((socket) => once(socket, 'connect')))
    const refused = open()
    refused.resume()
    await once(refused, 'close')
    const { values } = await server.ctx.metrics.mqttRefusals.get()
    expect(values).toMatchObject([{ labels: { reason: limit }, value: 1 }])
    client.send({ cmd: 'pingreq' })
    expect(await client.next()).toMatchObject({ cmd: 'pingresp' })
    if (limit === 'sign_ins_of_address') (await server.raw(await server.makeStranger())).socket.destroy()
    for (const socket of waiting) socket.destroy()
    client.socket.destroy()
  })
})
