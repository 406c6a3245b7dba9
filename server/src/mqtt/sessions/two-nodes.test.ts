/** Sessions and wills of devices that connect to two nodes. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Packet } from 'mqtt-packet'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import {
  publishPacket,
  type RawOptions,
  startGateway,
  type TestDevice,
  type TestGateway,
} from '../../../test/harness/gateway.ts'
import { type Carrier, carriers } from '../../../test/harness/nats-server.ts'
import { MAX_STORED_SESSIONS_OF_DEVICE } from '../connection/limits.ts'
import { listLimitEvents } from '../limits/store.ts'

const kept = (expirySeconds = 3600): RawOptions => ({
  protocolVersion: 5,
  clean: false,
  properties: { sessionExpiryInterval: expirySeconds },
})

/** Published as telemetry, so that the samples show whether it was. */
const withWill = ({ id }: TestDevice, willDelayInterval: number): RawOptions => ({
  ...kept(),
  will: {
    topic: `devices/${id}/telemetry`,
    payload: Buffer.from('{"gone":true}'),
    qos: 1,
    retain: false,
    properties: { willDelayInterval },
  },
})

const subscribe = (topic: string) =>
  ({ cmd: 'subscribe', messageId: 1, subscriptions: [{ topic, qos: 1 }] }) as Packet

const storedMessages = `
  select topic from mqtt_session_messages as message
  join mqtt_sessions as session on session.number = message.session_number where client_number = $1`

const leftSession =
  'select from mqtt_sessions where client_number = $1 and client_id = $2 and disconnected_at is not null'

describe.each(carriers('sessions at two nodes'))('where $carrier carries the messages', ({ start }) => {
  let carrier: Carrier
  let here: TestGateway
  let there: TestGateway
  beforeAll(async () => {
    carrier = await start()
    here = await startGateway(carrier.environment)
    there = await startGateway(carrier.environment, {}, here)
    await vi.waitUntil(() => here.ctx.nodes.peers.exist && there.ctx.nodes.peers.exist)
  })
  afterAll(async () => {
    await there[Symbol.asyncDispose]()
    await here[Symbol.asyncDispose]()
    await carrier[Symbol.asyncDispose]()
  })

  test('a delayed will is discarded where the device resumed its session at another node', async () => {
    const [device, other] = [await here.makeDevice(), await here.makeDevice()]
    const client = await here.raw(device, withWill(device, 5))
    const vanished = await here.raw(other, withWill(other, 5))
    client.socket.resetAndDestroy()
    vanished.socket.resetAndDestroy()
    await here.connectionOf(device, ({ connected }) => !connected)
    const back = await there.raw(device, kept())
    // The will of the other device, which has the same delay, is due later.
    await expect.poll(() => here.samplesOf(other)).toHaveLength(1)
    await sleep(100)
    expect(await here.samplesOf(device)).toEqual([])
    back.socket.destroy()
  })

  test('where a device leaves more sessions with delayed wills than it may keep, the first of these wills is due', async () => {
    const device = await here.makeDevice()
    const leave = async (node: TestGateway, clientId: string, options: RawOptions) => {
      const client = await node.raw(device, { ...options, clientId })
      client.socket.resetAndDestroy()
      await vi.waitUntil(async () => {
        const { rowCount } = await here.database.pool.query(leftSession, [device.number, clientId])
        return rowCount === 1
      })
    }
    for (let number = 0; number < MAX_STORED_SESSIONS_OF_DEVICE; number++)
      await leave(here, `first-${number}`, withWill(device, 3600))
    // These take the places of those, without their node.
    for (let number = 0; number < MAX_STORED_SESSIONS_OF_DEVICE; number++)
      await leave(there, `second-${number}`, kept())
    expect(await here.samplesOf(device)).toEqual([])
    await leave(here, 'last', withWill(device, 3600))
    await expect.poll(() => here.samplesOf(device)).toHaveLength(1)
  })

  test('a will without delay is published when the device connects to another node', async () => {
    const device = await here.makeDevice()
    const client = await here.raw(device, withWill(device, 0))
    const taking = await there.raw(device, kept())
    await client.closed
    expect(client.received().at(-1)).toMatchObject({ cmd: 'disconnect', reasonCode: 0x8e })
    await expect.poll(() => here.samplesOf(device)).toHaveLength(1)
    taking.socket.destroy()
  })

  test('the will of the last connection of a device waits for another kept session that is offline', async () => {
    const device = await here.makeDevice()
    const topic = `devices/${device.id}/gone`
    const listener = await here.raw(device, { clientId: 'listener', clean: false })
    listener.send(subscribe(topic))
    await listener.next()
    listener.send({ cmd: 'disconnect' })
    await listener.closed
    const will = { topic, payload: Buffer.from('gone'), qos: 1 as const, retain: false }
    const vanishing = await here.raw(device, { clientId: 'vanishing', will })
    vanishing.socket.resetAndDestroy()
    await here.connectionOf(device, ({ connected }) => !connected)
    await expect
      .poll(async () => (await here.database.pool.query(storedMessages, [device.number])).rows)
      .toEqual([{ topic }])
    const again = await here.raw(device, { clientId: 'listener', clean: false })
    expect(await again.next()).toMatchObject({ cmd: 'publish', topic, payload: Buffer.from('gone') })
    again.socket.destroy()
  })

  test('a device that comes back after its node died has its stored session at once', async () => {
    const device = await here.makeDevice()
    const topic = `devices/${device.id}/note`
    const dying = await startGateway(carrier.environment, {}, here)
    const client = await dying.raw(device, { clean: false })
    client.send(subscribe(topic))
    await client.next()
    // From now on nothing of it reaches the database: the session is still that of the first node.
    await dying.kill()
    const sender = await here.raw(device, { clientId: 'sender' })
    sender.send({
      cmd: 'publish',
      topic,
      payload: 'hello',
      qos: 1,
      messageId: 1,
      dup: false,
      retain: false,
    })
    await sender.next()
    const back = await there.raw(device, { clean: false })
    expect(await back.next()).toMatchObject({ cmd: 'publish', topic })
    for (const { socket } of [client, sender, back]) socket.destroy()
    await dying[Symbol.asyncDispose]()
  })

  /** Waits until both nodes know which sessions began here: of two that are announced at once, any may be the later one. */
  async function untilAnnounced(device: TestDevice) {
    const options = { protocolVersion: 5, clientId: 'announced' } as const
    const both = [await there.raw(device, options), await here.raw(device, options)]
    await Promise.race(both.map(({ closed }) => closed))
    for (const { socket } of both) socket.destroy()
  }

  test.each([
    ['a clean session', {}],
    ['a stored session', kept()],
  ])('a clean session ends when %s begins at another node with its client id', async (_what, options) => {
    const device = await here.makeDevice()
    const first = await here.raw(device, { protocolVersion: 5 })
    const other = await here.raw(device, { protocolVersion: 5, clientId: 'other' })
    await untilAnnounced(device)
    const second = await there.raw(device, { protocolVersion: 5, ...options })
    await first.closed
    expect(first.received().at(-1)).toMatchObject({ cmd: 'disconnect', reasonCode: 0x8e })
    for (const client of [other, second]) {
      client.send({ cmd: 'pingreq' })
      expect(await client.next()).toMatchObject({ cmd: 'pingresp' })
    }
    // Back again, it displaces the second one.
    const third = await here.raw(device, { protocolVersion: 5 })
    await second.closed
    for (const { socket } of [other, third]) socket.destroy()
  })

  /** Records for which clients the nodes announced sessions. */
  async function listenForSessions() {
    const client = await here.database.pool.connect()
    const numbers: number[] = []
    client.on('notification', ({ payload }) => {
      const { began } = JSON.parse(payload!) as { began: { clientNumber: number }[] }
      numbers.push(...began.map(({ clientNumber }) => clientNumber))
    })
    await client.query('listen gangway_mqtt_sessions_began')
    return { numbers, [Symbol.asyncDispose]: async () => client.release(true) }
  }

  test.each([
    ['a clean session', {}, 1],
    ['a stored session', kept(), 0],
  ])(
    'the retained will of %s does not replace what the session says that goes on at another node',
    async (_what, options, announcements) => {
      await using announced = await listenForSessions()
      const device = await here.makeDevice()
      const topic = `devices/${device.id}/status`
      const leaving = await startGateway(carrier.environment, {}, here)
      const will = { topic, payload: Buffer.from('offline'), qos: 1 as const, retain: true }
      const former = await leaving.raw(device, { ...options, will })
      await expect
        .poll(() => announced.numbers.filter((number) => number === device.number))
        .toHaveLength(announcements)
      const back = await there.raw(device, options)
      back.send(publishPacket(topic, { payload: 'online', retain: true }))
      await back.next()
      await former.closed
      back.socket.destroy()
      // All wills are stored once the gateway has stopped.
      await leaving[Symbol.asyncDispose]()
      const { rows } = await here.database.pool.query(
        'select payload from mqtt_retained_messages where client_number = $1',
        [device.number],
      )
      expect(rows).toEqual([{ payload: Buffer.from('online') }])
    },
  )

  test('of clean sessions that begin at two nodes at once, one stays', async () => {
    await using announced = await listenForSessions()
    for (let round = 0; round < 10; round++) {
      const device = await here.makeDevice()
      const clients = await Promise.all([here.raw(device), there.raw(device)])
      const ended = await Promise.race(clients.map(({ closed }, index) => closed.then(() => index)))
      const left = clients[1 - ended]!
      // All earlier announcements have arrived once the marker has.
      const marker = await here.makeDevice()
      const former = await (ended === 0 ? there : here).raw(marker)
      await expect.poll(() => announced.numbers).toContain(marker.number)
      const newer = await (ended === 0 ? here : there).raw(marker)
      await former.closed
      left.send({ cmd: 'pingreq' })
      expect(await left.next()).toMatchObject({ cmd: 'pingresp' })
      for (const { socket } of [left, newer]) socket.destroy()
    }
  })

  test('of clean sessions that begin while nodes do not receive messages of each other, one stays', async () => {
    const device = await here.makeDevice()
    const { rowCount } = await here.database.pool.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and pid in (select pid from pg_locks where locktype = 'advisory' and classid = 1734438503)`,
    )
    expect(rowCount).toBe(2)
    const clients = await Promise.all([here.raw(device), there.raw(device)])
    const ended = await Promise.race(clients.map(({ closed }, index) => closed.then(() => index)))
    const left = clients[1 - ended]!
    left.send({ cmd: 'pingreq' })
    expect(await left.next()).toMatchObject({ cmd: 'pingresp' })
    left.socket.destroy()
  })

  test('a stored session that makes room for others is in the ledger [docs/mqtt#ledger]', async () => {
    const device = await here.makeDevice()
    const clients = []
    for (let index = 0; index <= 10; index++)
      clients.push(await here.raw(device, { ...kept(), clientId: `session-${index}` }))
    await clients[0]!.closed
    expect(clients[0]!.received().at(-1)).toMatchObject({ cmd: 'disconnect', reasonCode: 0x8e })
    await expect
      .poll(() => listLimitEvents(here.ctx.db, device.number))
      .toMatchObject([
        {
          limit_name: 'stored_sessions',
          outcome: 'dropped',
          count: '1',
          message: expect.stringContaining('Use fewer client ids.'),
        },
      ])
    for (const { socket } of clients) socket.destroy()
  })
})
