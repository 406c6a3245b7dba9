import { once } from 'node:events'
import { connect } from 'node:net'
import { generate, parser, type Packet } from 'mqtt-packet'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  connectPacket,
  startGateway,
  type TestDevice,
  type TestGateway,
} from '../../../test/harness/gateway.ts'
import { listLimitEvents } from './store.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startGateway({ GANGWAY_MQTT_CONNECTIONS_PER_ADDRESS: '2' })
})
afterAll(() => gateway[Symbol.asyncDispose]())

async function connectFrom(localAddress: string, device: TestDevice, protocolVersion: 4 | 5 = 4) {
  const socket = connect({ port: gateway.port, host: '127.0.0.1', localAddress })
  socket.on('error', () => {})
  const reader = parser({ protocolVersion })
  const packets: Packet[] = []
  reader.on('packet', (packet) => void packets.push(packet))
  socket.on('data', (chunk) => void reader.parse(chunk))
  socket.write(generate(connectPacket(device, { protocolVersion }), { protocolVersion }))
  await expect.poll(() => packets.length).toBe(1)
  return { socket, connack: packets[0] }
}

test('one connection more of an address is refused with the reason; those of another address are not', async () => {
  const devices = await Promise.all([1, 2, 3, 4].map(() => gateway.makeDevice()))
  const [one, two, three, four] = devices as [TestDevice, TestDevice, TestDevice, TestDevice]
  const first = await connectFrom('127.0.0.2', one)
  const second = await connectFrom('127.0.0.2', two)
  expect([first.connack, second.connack]).toMatchObject([{ returnCode: 0 }, { returnCode: 0 }])

  const refused = await connectFrom('127.0.0.2', three)
  expect(refused.connack).toMatchObject({ returnCode: 3 })
  const refused5 = await connectFrom('127.0.0.2', three, 5)
  expect(refused5.connack).toMatchObject({
    reasonCode: 0x97,
    properties: { reasonString: expect.stringContaining('127.0.0.2 has 2 connections') },
  })
  const row = await gateway.connectionOf(three, ({ refused_reason }) => refused_reason !== null)
  expect(row.refused_reason).toContain('connections_per_address')
  await expect
    .poll(() => listLimitEvents(gateway.ctx.db, three.number))
    .toMatchObject([{ limit_name: 'connections_per_address', outcome: 'refused', count: '2' }])

  expect((await connectFrom('127.0.0.3', four)).connack).toMatchObject({ returnCode: 0 })

  first.socket.destroy()
  await once(first.socket, 'close')
  await gateway.connectionOf(one, ({ connected }) => !connected)
  expect((await connectFrom('127.0.0.2', three)).connack).toMatchObject({ returnCode: 0 })
})

test('connections over the limit that say nothing are closed once too many wait', async () => {
  const sockets = Array.from({ length: 110 }, () => {
    const socket = connect({ port: gateway.port, host: '127.0.0.1', localAddress: '127.0.0.4' })
    socket.on('error', () => {})
    socket.resume()
    return socket
  })
  // Two are within the limit, and a hundred may wait for their refusal.
  await expect.poll(() => sockets.filter(({ closed }) => closed).length).toBe(8)
  for (const socket of sockets) socket.destroy()
})
