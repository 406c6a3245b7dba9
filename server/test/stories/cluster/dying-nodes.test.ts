/** What a device and its operator see when a node of several is killed, hangs or is stopped. [docs/operating#sessions-and-presence] */
import mqtt, { type MqttClient } from 'mqtt'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { clientsPath, type Cluster, startCluster } from '../../harness/cluster.ts'
import { publishPacket } from '../../harness/gateway.ts'
import { type Carrier, carriers } from '../../harness/nats-server.ts'
import { apiAt } from '../../harness/platform.ts'
import { storedNumbers } from '../../harness/publish-numbers.ts'
import { createSessionClient } from '../../harness/session-client.ts'

describe.each(carriers('nodes that die'))(
  'where $carrier carries the messages between nodes',
  ({ start }) => {
    let carrier: Carrier
    let cluster: Cluster
    const devices: MqttClient[] = []
    beforeAll(async () => {
      carrier = await start()
      cluster = await startCluster(2, carrier.environment)
    })
    afterAll(async () => {
      for (const device of devices) await device.endAsync(true)
      await cluster[Symbol.asyncDispose]()
      await carrier[Symbol.asyncDispose]()
    })

    const connect: Cluster['connect'] = async (...parameters) => {
      const device = await cluster.connect(...parameters)
      devices.push(device)
      return device
    }
    const closed = async (device: MqttClient): Promise<void> => {
      if (device.connected) await new Promise<void>((resolve) => void device.once('close', () => resolve()))
    }
    /** @returns the next message for the device */
    const nextMessage = (device: MqttClient) =>
      new Promise<string>(
        (resolve) => void device.once('message', (_topic, payload) => resolve(`${payload}`)),
      )
    /** Connection state of the client, read from the first node. */
    const connectionOf = async (id: string) =>
      (await cluster.call(0, 'GET', `${clientsPath}/${id}`)).body.connection
    const isOnline = async (id: string) => (await connectionOf(id)).connected as boolean
    const listEvents = async (id: string): Promise<string[]> =>
      (await cluster.call(0, 'GET', `${clientsPath}/${id}/connections`)).body.map(
        ({ event, reason }: { event: string; reason: string | null }) => reason ?? event,
      )
    const samplesOf = async (id: string, name: string) =>
      (
        await cluster.database.pool.query(
          `select from series where owner_type = 'client' and owner_id = $1 and name = $2`,
          [id, name],
        )
      ).rows

    const withWill = (id: string) =>
      ({
        will: {
          topic: `devices/${id}/telemetry`,
          payload: Buffer.from('{"gone":true}'),
          qos: 1,
          retain: false,
        },
      }) as const
    const kept = { clean: false, protocolVersion: 4 } as const

    test('the devices of a killed node are offline, and what waits follows a stored session to another node in order', async () => {
      await cluster.makeDevice('moving')
      const before = await connect(1, 'moving', kept)
      await before.subscribeAsync(['devices/moving/own/#', 'devices/moving/twin/desired'], { qos: 1 })
      await expect.poll(() => listEvents('moving')).toEqual(['connected'])
      await cluster.nodes[1]!.kill('SIGKILL')
      await closed(before)
      await expect.poll(() => isOnline('moving')).toBe(false)
      await expect.poll(() => listEvents('moving')).toEqual(['server_stopped', 'connected'])
      expect(await connectionOf('moving')).toMatchObject({
        disconnectReason: 'server_stopped',
        disconnectedAt: expect.any(String),
      })

      const sender = await connect(0, 'moving', { clientId: 'sender' })
      for (let number = 0; number < 20; number++)
        await sender.publishAsync('devices/moving/own/number', `${number}`, { qos: 1 })
      await cluster.call(0, 'PUT', `${clientsPath}/moving/properties/desired`, { interval: 5 })
      const received: string[] = []
      const after = await listenFrom(0, 'moving', kept, (topic, payload) =>
        received.push(topic.endsWith('desired') ? 'desired' : `${payload}`),
      )
      await expect.poll(() => received).toContain('desired')
      await expect
        .poll(() => received.filter((one) => one !== 'desired'))
        .toEqual(Array.from({ length: 20 }, (_, number) => `${number}`))
      expect(after.connected).toBe(true)
      await cluster.nodes[1]!.start()
    })

    /** The handler is there before the first message. */
    async function listenFrom(
      node: number,
      id: string,
      options: object,
      onMessage: (topic: string, payload: Buffer) => void,
    ) {
      const { primaryKey } = (await cluster.call(0, 'GET', `${clientsPath}/${id}/credentials`)).body
      const device = mqtt.connect(cluster.nodes[node]!.endpoints.mqtt, {
        clientId: id,
        username: id,
        password: primaryKey,
        reconnectPeriod: 0,
        ...options,
      })
      devices.push(device)
      device.on('message', onMessage)
      await new Promise<void>((resolve) => void device.once('connect', () => resolve()))
      return device
    }

    test.each([
      ['a clean', {}],
      ['a stored', kept],
    ])(
      'a node that hangs is found dead, and says nothing about %s session at another node when it goes on',
      async (kind, options) => {
        const [moved, left] = [`moved ${kind}`.replaceAll(' ', '-'), `left ${kind}`.replaceAll(' ', '-')]
        for (const id of [moved, left]) {
          await cluster.makeDevice(id)
          await connect(1, id, { ...options, ...withWill(id) })
          await expect.poll(() => listEvents(id)).toEqual(['connected'])
        }
        cluster.freeze(1)
        for (const id of [moved, left]) {
          await expect.poll(() => isOnline(id)).toBe(false)
          await expect.poll(() => listEvents(id)).toEqual(['server_stopped', 'connected'])
        }
        const [former, vanished] = devices.slice(-2)
        // Its connections end while the node cannot notice it.
        for (const device of [former!, vanished!]) device.stream.destroy()
        await connect(0, moved, options)
        await expect.poll(() => isOnline(moved)).toBe(true)

        cluster.thaw(1)
        // The will of the other device shows that the node has noticed the ends of both.
        await expect.poll(() => samplesOf(left, 'gone')).toHaveLength(1)
        // Connected twice, ended for the others, and ended when the node noticed it.
        await expect.poll(() => listEvents(moved)).toHaveLength(4)
        expect(await samplesOf(moved, 'gone')).toEqual([])
        expect([await isOnline(moved), await isOnline(left)]).toEqual([true, false])
      },
    )

    test.each([
      ['before others find it dead', 2],
      ['after that', 1],
    ])(
      'a node that goes on %s does not store what the device has sent to another one meanwhile',
      async (when, alive) => {
        const id = `repeating ${when}`.replaceAll(' ', '-')
        const device = { id, number: 0, key: await cluster.makeDevice(id), secondaryKey: '' }
        const client = createSessionClient(device, id, () => {})
        const connectTo = (node: number) =>
          client.connect(Number(new URL(cluster.nodes[node]!.endpoints.mqtt).port), {
            version: 4,
            isKept: true,
            isClean: false,
          })
        await connectTo(1)
        await expect.poll(() => listEvents(id)).toEqual(['connected'])
        cluster.freeze(1)
        await standStill(alive)
        client.publish(publishPacket(`devices/${id}/telemetry`, { payload: '{"number":1}' }), () => {})
        await client.drop()
        await connectTo(0)
        await client.settled()
        cluster.thaw(1)
        // The node has read what it held once it knows that the device has gone.
        await expect
          .poll(async () => (await listEvents(id)).filter((event) => event !== 'server_stopped'))
          .toHaveLength(3)
        await cluster.makeDevice(`next-${id}`)
        const next = await connect(1, `next-${id}`)
        await next.publishAsync(`devices/next-${id}/telemetry`, '{"number":2}', { qos: 1 })
        const api = apiAt(cluster.nodes[0]!.endpoints.http)
        expect(await storedNumbers(api, cluster.token, id)).toEqual([1])
        expect(client.isConnected()).toBe(true)
        await client.drop()
      },
    )

    /** Waits until the frozen node has given no beat for a while, and so many nodes count as alive. */
    async function standStill(alive: number): Promise<void> {
      const { pool } = cluster.database
      const beats = async () =>
        Number((await pool.query('select max(beat) as beat from server_nodes')).rows[0].beat)
      const since = await beats()
      await expect.poll(beats).toBeGreaterThan(since + 1)
      await expect
        .poll(async () => (await pool.query('select from server_nodes where died_at is null')).rowCount)
        .toBe(alive)
    }

    test('a device that keeps its connection to a node that hung is online again, with its stored session', async () => {
      await cluster.makeDevice('patient')
      const device = await connect(1, 'patient', kept)
      const received: string[] = []
      device.on('message', (_topic, payload) => received.push(`${payload}`))
      await device.subscribeAsync('devices/patient/own/#', { qos: 1 })
      await expect.poll(() => listEvents('patient')).toEqual(['connected'])
      cluster.freeze(1)
      await expect.poll(() => listEvents('patient')).toEqual(['server_stopped', 'connected'])
      expect(await isOnline('patient')).toBe(false)
      cluster.thaw(1)
      await expect.poll(() => isOnline('patient')).toBe(true)
      await expect.poll(() => listEvents('patient')).toEqual(['connected', 'server_stopped', 'connected'])
      const sender = await connect(0, 'patient', { clientId: 'sender' })
      await sender.publishAsync('devices/patient/own/hello', 'hello', { qos: 1 })
      await expect.poll(() => received).toEqual(['hello'])
    })

    test('a direct method at a node that dies during the call gets its answer in its time', async () => {
      await cluster.makeDevice('called')
      const device = await connect(1, 'called')
      await device.subscribeAsync('devices/called/methods/+/invoke', { qos: 1 })
      await expect.poll(() => isOnline('called')).toBe(true)
      const asked = nextMessage(device)
      const call = cluster.ask(0, 'POST', `${clientsPath}/called/methods`, { method: 'm', timeoutSeconds: 5 })
      await asked
      await cluster.nodes[1]!.kill('SIGKILL')
      const { status, body } = await call
      expect([status, body.error]).toEqual([504, 'device_timeout'])
      await expect.poll(() => isOnline('called')).toBe(false)
      expect(
        (await cluster.ask(0, 'POST', `${clientsPath}/called/methods`, { method: 'm' })).body,
      ).toMatchObject({
        error: 'device_offline',
      })
      await cluster.nodes[1]!.start()
    })

    test('a node that is stopped lets its devices go before requests and jobs end, and no device of it is left online', async () => {
      await cluster.makeDevice('served')
      const device = await connect(1, 'served', { protocolVersion: 5 })
      await device.subscribeAsync('devices/served/methods/+/invoke', { qos: 1 })
      const asked = nextMessage(device)
      // A request that the node waits for, as long as it may.
      const call = cluster.ask(1, 'POST', `${clientsPath}/served/methods`, {
        method: 'm',
        timeoutSeconds: 60,
      })
      await asked
      let hasStopped = false
      const stopped = cluster.nodes[1]!.kill('SIGTERM').then((code) => {
        hasStopped = true
        return code
      })
      await closed(device)
      const back = await connect(0, 'served')
      await expect.poll(() => isOnline('served')).toBe(true)
      expect(hasStopped).toBe(false)
      // The device answers at its new node, which tells the stopping one.
      const { correlationId } = JSON.parse(await asked)
      await back.publishAsync(
        `devices/served/methods/m/response/${correlationId}`,
        JSON.stringify({ status: 200, payload: 'moved' }),
        { qos: 1 },
      )
      expect((await call).body).toEqual({ status: 200, payload: 'moved' })
      expect(await stopped).toBe(0)
      expect(await listEvents('served')).toEqual(['connected', 'server_stopped', 'connected'])
      expect(await isOnline('served')).toBe(true)
      await cluster.nodes[1]!.start()
    })

    test('a key that is rotated at one node ends the connection to another', async () => {
      await cluster.makeDevice('rotated')
      const device = await connect(1, 'rotated')
      await cluster.call(0, 'POST', `${clientsPath}/rotated/credentials/rotate`)
      await closed(device)
      await expect.poll(async () => (await connectionOf('rotated')).disconnectReason).toBe('keys_rotated')
    })
  },
)
