import { once } from 'node:events'
import { type AddressInfo, connect as connectSocket, createServer } from 'node:net'
import { connectAsync } from 'mqtt'
import { generate } from 'mqtt-packet'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { connectPacket, startGateway, type TestGateway } from '../../test/harness/gateway.ts'
import { createGateway } from './gateway.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startGateway()
})
afterAll(() => gateway[Symbol.asyncDispose]())

/** Another gateway of the same process, so that its stop begins when the test says so. */
async function listenApart() {
  const own = await createGateway(gateway.ctx, gateway.parts)
  const server = createServer((socket) => own.accept(socket, socket.remoteAddress))
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  return { own, server, port: (server.address() as AddressInfo).port }
}

/** Locks the table: statements that read it or write to it wait until the lock is released. */
async function holdTable(table: 'sample_rows' | 'mqtt_sessions') {
  const client = await gateway.database.pool.connect()
  await client.query(`begin; lock table ${table} in access exclusive mode`)
  return {
    untilSomebodyWaits: () =>
      vi.waitUntil(async () => {
        const { rows } = await client.query(
          'select from pg_locks join pg_database on oid = database where not granted and datname = current_database()',
        )
        return rows.length > 0
      }),
    letGo: async () => {
      await client.query('rollback')
      client.release()
    },
  }
}

test('from the beginning of a stop no connection and no message is taken, and what was taken is acknowledged', async () => {
  const device = await gateway.makeDevice()
  const { own, server, port } = await listenApart()
  const client = await connectAsync(`mqtt://127.0.0.1:${port}`, {
    username: device.id,
    password: device.key,
    clientId: device.id,
    reconnectPeriod: 0,
  })
  const publish = (payload: string) =>
    client.publishAsync(`devices/${device.id}/telemetry`, payload, { qos: 1 })
  const storage = await holdTable('sample_rows')
  const taken = publish('{"a":1}')
  await storage.untilSomebodyWaits()

  const stopped = own[Symbol.asyncDispose]()
  const late = publish('{"a":2}').then(
    () => 'acknowledged',
    () => 'not taken',
  )
  const newcomer = connectSocket(port, '127.0.0.1')
  newcomer.on('error', () => {})
  await once(newcomer, 'close')

  await storage.letGo()
  await expect(taken).resolves.toBeDefined()
  await stopped
  await client.endAsync(true)
  expect(await late).toBe('not taken')
  expect(await gateway.samplesOf(device)).toHaveLength(1)
  await new Promise((resolve) => server.close(resolve))
})

test('a node that has the time disconnects devices one after another, and says why', async () => {
  const { own, server, port } = await listenApart()
  const devices = await Promise.all(Array.from({ length: 20 }, () => gateway.makeDevice()))
  const clients = await Promise.all(
    devices.map(({ id, key }) =>
      connectAsync(`mqtt://127.0.0.1:${port}`, {
        username: id,
        password: key,
        clientId: id,
        protocolVersion: 5,
        reconnectPeriod: 0,
      }),
    ),
  )
  const reasons: unknown[] = []
  for (const client of clients) client.on('disconnect', ({ reasonCode }) => reasons.push(reasonCode))
  const closed = clients.map(
    (client) => new Promise<void>((resolve) => client.once('close', () => resolve())),
  )
  const handedOver = own.handOver(3000)
  await Promise.race(closed)
  expect(clients.some(({ connected }) => connected)).toBe(true)
  await Promise.all([handedOver, ...closed])
  const serverShuttingDown = 0x8b
  expect(reasons).toEqual(devices.map(() => serverShuttingDown))
  for (const device of devices)
    expect(await gateway.connectionOf(device, ({ connected }) => !connected)).toMatchObject({
      disconnect_reason: 'server_stopped',
    })
  await own[Symbol.asyncDispose]()
  await new Promise((resolve) => server.close(resolve))
})

test('a stop goes on where a device answers its end with a reset', async () => {
  const { own, server, port } = await listenApart()
  const device = await gateway.makeDevice()
  const socket = connectSocket({ port, host: '127.0.0.1', allowHalfOpen: true })
  socket.write(generate(connectPacket(device)))
  await once(socket, 'data')
  socket.once('end', () => socket.resetAndDestroy())
  await own[Symbol.asyncDispose]()
  expect(await gateway.connectionOf(device, ({ connected }) => !connected)).toMatchObject({
    disconnect_reason: 'server_stopped',
  })
  await new Promise((resolve) => server.close(resolve))
})

test('a stop waits for the wills of the connections that it ends', async () => {
  const { own, server, port } = await listenApart()
  const device = await gateway.makeDevice()
  await connectAsync(`mqtt://127.0.0.1:${port}`, {
    username: device.id,
    password: device.key,
    clientId: device.id,
    reconnectPeriod: 0,
    will: {
      topic: `devices/${device.id}/telemetry`,
      payload: Buffer.from('{"gone":true}'),
      qos: 1,
      retain: false,
    },
  })
  // The will is for sessions without a connection, too, which are read first.
  const sessions = await holdTable('mqtt_sessions')
  const handedOver = own.handOver()
  await sessions.untilSomebodyWaits()
  await sessions.letGo()
  await handedOver
  expect(await gateway.samplesOf(device)).toHaveLength(1)
  await own[Symbol.asyncDispose]()
  await new Promise((resolve) => server.close(resolve))
})
