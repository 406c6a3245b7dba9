/** The order of a will and of what its device says when it comes back. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import {
  publishPacket,
  type RawOptions,
  startGateway,
  type TestDevice,
  type TestGateway,
} from '../../../test/harness/gateway.ts'
import { MAX_STORED_SESSIONS_OF_DEVICE } from '../connection/limits.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startGateway()
})
afterAll(() => gateway[Symbol.asyncDispose]())

const status = ({ id }: TestDevice) => `devices/${id}/status`

const withWill = (device: TestDevice): RawOptions => ({
  will: { topic: status(device), payload: Buffer.from('offline'), qos: 1, retain: true },
})

async function sayOnline(device: TestDevice, options: RawOptions = {}) {
  const client = await gateway.raw(device, options)
  client.send(publishPacket(status(device), { payload: 'online', retain: true }))
  await client.next()
  return client
}

const retained = async ({ number }: TestDevice) =>
  (
    await gateway.database.pool.query('select payload from mqtt_retained_messages where client_number = $1', [
      number,
    ])
  ).rows.map(({ payload }) => `${payload}`)

/** Does not read the table that `holdNodes` locks. */
const untilLost = ({ number }: TestDevice) =>
  vi.waitUntil(async () => {
    const { rows } = await gateway.database.pool.query<{ reason: string }>(lastReason, [number])
    return rows[0]?.reason === 'connection_lost'
  })
const lastReason = 'select disconnect_reason as reason from client_connections where client_number = $1'

/** This node cannot know whether it counts as dead, and has to ask before it publishes a will. */
async function holdNodes() {
  const client = await gateway.database.pool.connect()
  await client.query('begin; lock table server_nodes in access exclusive mode')
  await vi.waitUntil(() => !gateway.ctx.nodes.liveness.isCertain())
  return {
    release: async () => {
      await client.query('rollback')
      client.release()
    },
  }
}

test('a will that waits for an answer of the database leaves before what its device says next [docs/mqtt#sessions]', async () => {
  const device = await gateway.makeDevice()
  const listener = await gateway.raw(device, { clientId: 'listener' })
  listener.send({ cmd: 'subscribe', messageId: 1, subscriptions: [{ topic: status(device), qos: 0 }] })
  await listener.next()
  const vanishing = await gateway.raw(device, withWill(device))
  const nodes = await holdNodes()
  vanishing.socket.resetAndDestroy()
  await untilLost(device)
  const back = await sayOnline(device)
  await nodes.release()
  const published = [await listener.next(), await listener.next()]
  expect(published).toMatchObject([{ payload: Buffer.from('offline') }, { payload: Buffer.from('online') }])
  for (const { socket } of [listener, back]) socket.destroy()
  // All wills are stored once the gateway has stopped.
  await gateway.restart()
  expect(await retained(device)).toEqual(['online'])
})

test('a will on telemetry has the time at which the connection ended, however long it waits', async () => {
  const device = await gateway.makeDevice()
  const vanishing = await gateway.raw(device, {
    will: {
      topic: `devices/${device.id}/telemetry`,
      payload: Buffer.from('{"gone":true}'),
      qos: 1,
      retain: false,
    },
  })
  const nodes = await holdNodes()
  vanishing.socket.resetAndDestroy()
  await untilLost(device)
  const endedMs = Date.now()
  await vi.waitUntil(() => Date.now() > endedMs)
  await nodes.release()
  await expect.poll(() => gateway.samplesOf(device)).toHaveLength(1)
  const [sample] = await gateway.samplesOf(device)
  expect(sample!.time.getTime()).toBeLessThanOrEqual(endedMs)
})

test('of more sessions than a device may keep the wills of those that it left first are due [docs/mqtt#sessions]', async () => {
  const device = await gateway.makeDevice()
  const kept = MAX_STORED_SESSIONS_OF_DEVICE
  for (let number = 1; number <= kept + 2; number++) {
    const client = await gateway.raw(device, {
      protocolVersion: 5,
      clientId: `session-${number}`,
      properties: { sessionExpiryInterval: 3600 },
      will: {
        topic: `devices/${device.id}/telemetry`,
        payload: Buffer.from(`{"gone${number}":true}`),
        qos: 1,
        retain: false,
        properties: { willDelayInterval: 3600 },
      },
    })
    client.socket.resetAndDestroy()
    await vi.waitUntil(async () => (await countLeft(device)) === Math.min(number, kept))
  }
  await expect
    .poll(async () => (await gateway.samplesOf(device)).map(({ name }) => name).toSorted())
    .toEqual(['gone1', 'gone2'])
})

/** Stored sessions of the device without a connection. */
const countLeft = async ({ number }: TestDevice): Promise<number> =>
  (
    await gateway.database.pool.query(
      'select from mqtt_sessions where client_number = $1 and disconnected_at is not null',
      [number],
    )
  ).rowCount!
