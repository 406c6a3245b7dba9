/**
 * The processes of compose.cluster.yaml and of the units in deploy/, on loopback: devices and users at any node, a rolling
 * restart, and a NATS server that is killed. [docs/cluster]
 */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import mqtt, { connectAsync, type MqttClient } from 'mqtt'
import { afterAll, beforeAll, expect, inject, test, vi } from 'vitest'
import { type ClusterProcesses, prepareCluster, skipWithoutCluster } from '../harness/cluster-processes.ts'
import { emptyDatabase, type TestDatabase } from '../harness/database.ts'
import { type Api, apiAt, logIn } from '../harness/platform.ts'
import { openRealtime } from '../harness/realtime.ts'
import {
  expectStoredOnce,
  publishNumbers,
  storedNumbers,
  untilAllAcknowledge,
} from '../harness/publish-numbers.ts'

const skip = skipWithoutCluster('the cluster of compose.cluster.yaml')
const nodes = ['node-1', 'node-2', 'node-3']
const natsServers = ['nats-1', 'nats-2', 'nats-3']

let database: TestDatabase
let cluster: ClusterProcesses
/** Sends requests to the load balancer. */
let api: Api
let token: string
let device: { deviceId: string; primaryKey: string }
beforeAll(async () => {
  if (skip) return
  if (!inject('isBuilt')) throw new Error('The server does not compile; the compiler said why above.')
  database = await emptyDatabase()
  cluster = await prepareCluster(database.url)
  await Promise.all(natsServers.map((name) => cluster.start(name)))
  // All at once, on an empty database.
  await Promise.all(nodes.map((name) => cluster.start(name)))
  await cluster.start('balancer')
  api = apiAt(`http://${cluster.address('balancer', 8080)}`)
  const settings = await readFile(join(cluster.settings, 'node.env'), 'utf8')
  const [, password] = /^GANGWAY_ADMIN_PASSWORD=(.*)$/m.exec(settings)!
  await vi.waitUntil(async () => (await api('GET', '/readyz')).status === 200)
  token = await logIn(api, 'admin@example.com', password!)
  const clients = '/v1/providers/mqtt/clients'
  await api('POST', clients, { id: 'device', displayName: 'Device' }, { token })
  const { body } = await api('GET', `${clients}/device/credentials`, undefined, { token })
  device = { deviceId: 'device', primaryKey: body.primaryKey }
})
afterAll(async () => {
  await cluster?.[Symbol.asyncDispose]()
  await database?.[Symbol.asyncDispose]()
})

const atNode = (name: string) => apiAt(`http://${cluster.address(name, 8080)}`)
const connectTo = (name: string): Promise<MqttClient> =>
  connectAsync(`mqtt://${cluster.address(name, 1883)}`, {
    clientId: 'device',
    username: device.deviceId,
    password: device.primaryKey,
    reconnectPeriod: 0,
  })
const send = (client: MqttClient, number: number) =>
  client.publishAsync('devices/device/telemetry', JSON.stringify({ number }), { qos: 1 })

test.skipIf(skip)(
  'what a device sends to one node is read at all of them, and at the load balancer',
  async () => {
    const client = await connectTo('node-1')
    await send(client, -1)
    for (const name of [...nodes, 'balancer'])
      expect([name, await storedNumbers(atNode(name), token, 'device')]).toEqual([name, [-1]])
    await client.endAsync()
  },
)

test.skipIf(skip)('who watches at the load balancer gets the values of devices at all nodes', async () => {
  const post = (path: string, body?: unknown) => api('POST', path, body, { token })
  const { url, accessToken } = (await post('/v1/realtime/negotiate')).body
  const watcher = await openRealtime(`${url}?access_token=${accessToken}`)
  const topic = { connectionId: watcher.connectionId, topic: 'telemetry', assets: ['device'] }
  expect((await post('/v1/realtime/subscriptions', topic)).status).toBeLessThan(300)
  // The last known value comes first.
  expect((await watcher.take(1))[0]!.value).toBe(-1)
  const values: unknown[] = []
  for (const [index, name] of nodes.entries()) {
    const client = await connectTo(name)
    await send(client, -10 - index)
    values.push((await watcher.take(1))[0]!.value)
    await client.endAsync()
  }
  expect(values).toEqual([-10, -11, -12])
  watcher.socket.close()
})

test.skipIf(skip)(
  'all nodes show devices the same certificate, by which the load balancer is reached',
  async () => {
    const ca = await readFile(join(cluster.settings, 'tls/ca.crt'))
    for (const name of [...nodes, 'balancer']) {
      const port = cluster.address(name, 8883).split(':')[1]
      const client = await connectAsync(`mqtts://localhost:${port}`, {
        clientId: 'device',
        username: device.deviceId,
        password: device.primaryKey,
        ca,
        reconnectPeriod: 0,
      })
      expect(client.connected).toBe(true)
      await client.endAsync()
    }
  },
)

/** Longer than a device needs to connect again, and hardly as long as three nodes let their devices go. */
const SILENT_SECONDS = 20

/** A device whose asset has an alarm for silence. It sends several times a second, and connects again at once. */
async function startBeating() {
  const post = async (path: string, body: object) => {
    const answer = await api('POST', path, body, { token })
    if (answer.status >= 300) throw new Error(`${path}: ${JSON.stringify(answer.body)}`)
    return answer.body
  }
  const organizationId = (await api('GET', '/v1/organizations', undefined, { token })).body[0].id
  const modelId = 'dtmi:com:example:Beating;1'
  const definition = {
    '@context': 'dtmi:dtdl:context;3',
    '@id': modelId,
    '@type': 'Interface',
    contents: [{ '@type': 'Telemetry', name: 'beat', schema: 'double' }],
  }
  await post('/v1/models', { organizationId, definition })
  await post('/v1/alarms', { name: 'Silent', noDataSeconds: SILENT_SECONDS, entityTypeId: modelId })
  await post('/v1/assets', { id: 'heart', displayName: 'Heart', modelId, organizationId })
  await post('/v1/providers/mqtt/clients', { id: 'beating', displayName: 'Beating' })
  const remoteEndpointIds = [{ name: 'value', endpointId: 'beating/-/telemetry/beat' }]
  await post('/v1/assets/heart/bind', {
    endpointBindings: [{ localEndpointId: 'heart/-/telemetry/beat', remoteEndpointIds }],
  })
  const credentials = await api('GET', '/v1/providers/mqtt/clients/beating/credentials', undefined, { token })
  const client = mqtt.connect(`mqtt://${cluster.address('balancer', 1883)}`, {
    clientId: 'beating',
    username: 'beating',
    password: credentials.body.primaryKey,
    clean: false,
    reconnectPeriod: 50,
  })
  client.on('error', () => {})
  let beats = 0
  const stopping = new AbortController()
  const beating = (async () => {
    for (; !stopping.signal.aborted; await sleep(200)) {
      await client.publishAsync('devices/beating/telemetry', JSON.stringify({ beat: ++beats }), { qos: 1 })
    }
  })()
  return {
    stop: async () => {
      stopping.abort()
      await beating
      await client.endAsync()
    },
  }
}

test.skipIf(skip)(
  'a rolling restart raises no false alarm, and shows no device as offline that is not',
  async () => {
    const get = async (path: string) => (await api('GET', path, undefined, { token })).body
    const heart = await startBeating()
    const readEvents = async (): Promise<string[]> =>
      (await get('/v1/providers/mqtt/clients/beating/connections')).map(
        ({ event, reason }: { event: string; reason: string | null }) => reason ?? event,
      )
    await expect.poll(readEvents).toEqual(['connected'])
    for (const name of nodes) {
      expect(await cluster.stop(name)).toBe(0)
      await cluster.start(name)
      await vi.waitUntil(async () => (await api('GET', '/readyz')).status === 200)
    }
    // One that has ended stays open until somebody acknowledges it.
    expect(await get('/v1/alarms/status?entityId=heart')).toEqual([])
    // It leaves a node only where that stops, and is at another one after that.
    const events = (await readEvents()).toReversed()
    expect(events.length).toBeGreaterThan(1)
    expect(events).toEqual(events.map((_, index) => (index % 2 === 0 ? 'connected' : 'server_stopped')))
    expect(events.at(-1)).toBe('connected')
    await heart.stop()
  },
)

test.skipIf(skip)('a rolling restart loses nothing that was acknowledged, and no request fails', async () => {
  const publisher = publishNumbers(`mqtt://${cluster.address('balancer', 1883)}`, device, 1)
  const statuses = new Set<unknown>()
  const over = new AbortController()
  const ask = () => api('GET', '/v1/models', undefined, { token }).then(({ status }) => status, String)
  const asking = (async () => {
    for (; !over.signal.aborted; await sleep(50)) statuses.add(await ask())
  })()
  for (const name of nodes) {
    await untilAllAcknowledge([publisher])
    const stopped = cluster.stop(name)
    await expect
      .poll(async () => (await atNode(name)('GET', '/readyz')).body)
      .toMatchObject({ status: 'stopping', database: true, broker: true })
    expect(await stopped).toBe(0)
    await cluster.start(name)
  }
  await untilAllAcknowledge([publisher])
  over.abort()
  await asking
  expect([...statuses]).toEqual([200])
  const connection = async () =>
    (await api('GET', '/v1/providers/mqtt/clients/device', undefined, { token })).body.connection
  await expect.poll(connection).toMatchObject({ connected: true })
  await expectStoredOnce(api, token, await publisher.stop())
})

test.skipIf(skip)('a NATS server that is killed is not missed', async () => {
  const client = await connectTo('node-2')
  client.on('message', (topic, message) => {
    const { correlationId, payload } = JSON.parse(`${message}`)
    const answer = JSON.stringify({ status: 200, payload })
    client.publish(topic.replace('invoke', `response/${correlationId}`), answer, { qos: 1 })
  })
  await client.subscribeAsync('devices/device/methods/+/invoke', { qos: 1 })
  const invokeAtAll = async (round: string) => {
    for (const name of nodes) {
      const call = { method: 'echo', payload: { round, name } }
      const { body } = await atNode(name)('POST', '/v1/providers/mqtt/clients/device/methods', call, {
        token,
      })
      expect(body).toEqual({ status: 200, payload: { round, name } })
    }
  }
  await invokeAtAll('before')
  await cluster.stop('nats-1', 'SIGKILL')
  await invokeAtAll('without it')
  await send(client, -2)
  for (const name of nodes) {
    await expect.poll(async () => (await atNode(name)('GET', '/readyz')).body).toMatchObject({ nodes: true })
    expect(await storedNumbers(atNode(name), token, 'device')).toContain(-2)
  }
  await client.endAsync()
})

test.skipIf(skip)('the units of systemd start the same NATS server and the same node', async () => {
  await cluster.startUnit('nats-1')
  await expect.poll(() => cluster.output('nats-1')).toContain('Server is ready')
  expect(await cluster.stop('node-3')).toBe(0)
  await cluster.startUnit('node-3')
  await expect
    .poll(async () => (await atNode('node-3')('GET', '/readyz')).body)
    .toMatchObject({ status: 'ok', nodes: true })
  expect(await storedNumbers(atNode('node-3'), token, 'device')).toContain(-2)
})
