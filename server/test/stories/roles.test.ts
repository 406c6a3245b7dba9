/**
 * One node with the gateway and one with the API and the jobs: what is asked at one reaches the device at the other, also
 * while the NATS between them is away. [docs/operating#roles]
 */
import { randomBytes } from 'node:crypto'
import { connectAsync, type MqttClient } from 'mqtt'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestDatabase, testDatabase } from '../harness/database.ts'
import { type NatsServer, skipWithoutNats, startNats } from '../harness/nats-server.ts'
import { adminPassword, apiAt, logIn, type TestAnswer } from '../harness/platform.ts'
import { storedNumbers } from '../harness/publish-numbers.ts'
import { openRealtime } from '../harness/realtime.ts'
import { type ServerProcess, startServerProcess } from '../harness/server-process.ts'

const skip = skipWithoutNats('nodes with roles')
const clients = '/v1/providers/mqtt/clients'

let database: TestDatabase
let nats: NatsServer
let gateway: ServerProcess
let office: ServerProcess
let token: string
let device: MqttClient
beforeAll(async () => {
  if (skip) return
  database = await testDatabase()
  nats = await startNats()
  const environment = {
    DATABASE_URL: database.url,
    GANGWAY_NATS_URL: nats.url,
    GANGWAY_SECRET_KEY: randomBytes(32).toString('base64'),
  }
  gateway = await startServerProcess({ ...environment, GANGWAY_ROLES: 'gateway,ingest' })
  office = await startServerProcess({
    ...environment,
    GANGWAY_ROLES: 'api,worker',
    GANGWAY_MQTT_PORT: new URL(gateway.endpoints.mqtt).port,
  })
  token = await logIn(apiAt(office.endpoints.http), 'admin@example.com', adminPassword)
  await call('POST', clients, { id: 'device', displayName: 'Device' })
  const { primaryKey } = (await call('GET', `${clients}/device/credentials`)).body
  device = await connectAsync(gateway.endpoints.mqtt, {
    username: 'device',
    password: primaryKey,
    reconnectPeriod: 0,
  })
  await device.subscribeAsync(['devices/device/twin/desired', 'devices/device/methods/+/invoke'], { qos: 1 })
  device.on('message', (topic, message) => {
    if (!topic.endsWith('/invoke')) return
    const { correlationId, payload } = JSON.parse(`${message}`)
    const answer = JSON.stringify({ status: 200, payload })
    device.publish(topic.replace('invoke', `response/${correlationId}`), answer, { qos: 1 })
  })
})
afterAll(async () => {
  await device?.endAsync(true)
  for (const server of [gateway, office]) await server?.[Symbol.asyncDispose]()
  await nats?.[Symbol.asyncDispose]()
  await database?.[Symbol.asyncDispose]()
})

async function call(method: string, path: string, body?: unknown): Promise<TestAnswer> {
  const answer = await apiAt(office.endpoints.http)(method, path, body, { token })
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(answer.body)}`)
  return answer
}

const invoke = async (payload: object) =>
  (await call('POST', `${clients}/device/methods`, { method: 'm', payload })).body
const send = (number: number) =>
  device.publishAsync('devices/device/telemetry', JSON.stringify({ number }), { qos: 1 })

/** @returns what the device receives on the topic next */
const nextDesired = () =>
  new Promise<unknown>((resolve) => {
    const onMessage = (topic: string, payload: Buffer) => {
      if (!topic.endsWith('/twin/desired')) return
      device.removeListener('message', onMessage)
      resolve(JSON.parse(`${payload}`))
    }
    device.on('message', onMessage)
  })

async function setDesired(intervalSeconds: number) {
  const came = nextDesired()
  await call('PUT', `${clients}/device/properties/desired`, { intervalSeconds })
  expect(await came).toMatchObject({ intervalSeconds })
}

test.skipIf(skip)(
  'each node says its roles, its health and its metrics, and serves nothing else',
  async () => {
    expect(gateway.output()).toContain('Roles        gateway, ingest')
    expect(office.output()).toContain('Roles        api, worker')
    expect(office.output()).not.toContain('MQTT')
    expect([gateway.endpoints.onboarding, office.endpoints.mqtt]).toEqual([undefined, undefined])
    const [at, there] = [apiAt(gateway.endpoints.http), apiAt(office.endpoints.http)]
    const ready = { status: 'ok', database: true, ingest: true, nodes: true, files: true, disk: true }
    expect((await at('GET', '/readyz')).body).toEqual({ ...ready, broker: true })
    expect((await there('GET', '/readyz')).body).toEqual(ready)
    for (const api of [at, there]) {
      expect((await api('GET', '/healthz')).body).toEqual({ status: 'ok' })
      expect((await api('GET', '/metrics')).body).toContain('gangway_nodes_connected 1')
    }
    for (const path of ['/v1/assets', '/console/', '/docs', '/api/routing-targets', '/v1/endpoints'])
      expect((await at('GET', path, undefined, { token })).status).toBe(404)
    const { mqtt } = (await call('GET', '/v1/endpoints')).body
    expect(mqtt).toBe(gateway.endpoints.mqtt)
  },
)

test.skipIf(skip)('methods, desired properties and values pass between the nodes', async () => {
  expect(await invoke({ times: 3 })).toEqual({ status: 200, payload: { times: 3 } })
  await setDesired(5)

  const { url, accessToken } = (await call('POST', '/v1/realtime/negotiate')).body
  const client = await openRealtime(`${url}?access_token=${accessToken}`)
  const topic = { connectionId: client.connectionId, topic: 'telemetry', assets: ['device'] }
  await call('POST', '/v1/realtime/subscriptions', topic)
  await send(1)
  expect((await client.take(1))[0]).toMatchObject({ timeseriesName: 'number', value: 1 })
  client.socket.close()
  const api = apiAt(office.endpoints.http)
  await expect.poll(() => storedNumbers(api, token, 'device')).toEqual([1])
})

const countConnections = async () =>
  Number(/^gangway_mqtt_connections (\d+)$/m.exec(await readMetrics(gateway))![1])
const readMetrics = async ({ endpoints }: ServerProcess) =>
  (await apiAt(endpoints.http)('GET', '/metrics')).body as unknown as string

test.skipIf(skip)(
  'a worker plays simulated devices, which connect to the gateway of another node [docs/operating#roles]',
  async () => {
    const { body: made } = await call('POST', '/v1/simulations', {
      displayName: 'Tanks',
      organizationId: (await call('GET', `${clients}/device`)).body.organizationId,
      providerId: 'mqtt',
      count: 2,
      signals: [{ name: 'level', generator: 'constant', value: 7 }],
      intervalSeconds: 1,
    })
    const path = `/v1/simulations/${made.id}`
    const read = async () => (await call('GET', path)).body
    await call('POST', `${path}/start`)
    await expect.poll(async () => (await read()).progress.acknowledged).toBeGreaterThan(1)
    // Beside the device itself.
    expect(await countConnections()).toBe(3)
    await call('POST', `${path}/stop`)
    await expect.poll(async () => (await read()).state).toBe('stopped')
  },
)

test.skipIf(skip)('while NATS is away the database carries the messages, and both nodes say so', async () => {
  const states = () =>
    Promise.all(
      [gateway, office].map(async ({ endpoints }) => {
        const { status, body } = await apiAt(endpoints.http)('GET', '/readyz')
        return [status, body.nodes]
      }),
    )
  await nats.kill()
  await expect.poll(states).toEqual([
    [200, false],
    [200, false],
  ])
  const { body } = await apiAt(office.endpoints.http)('GET', '/metrics')
  expect(body).toContain('gangway_nodes_connected 0')
  expect(await invoke({ by: 'the database' })).toEqual({ status: 200, payload: { by: 'the database' } })
  await setDesired(6)
  await send(2)

  await nats.start()
  await expect.poll(states).toEqual([
    [200, true],
    [200, true],
  ])
  expect(await invoke({ by: 'NATS' })).toEqual({ status: 200, payload: { by: 'NATS' } })
  await setDesired(7)
  await send(3)
  const api = apiAt(office.endpoints.http)
  await expect.poll(async () => (await storedNumbers(api, token, 'device')).toSorted()).toEqual([1, 2, 3])
})

test.skipIf(skip)('a client that is disabled at one node loses its connection to the other', async () => {
  const closed = new Promise<void>((resolve) => device.once('close', () => resolve()))
  await call('PUT', `${clients}/device`, { displayName: 'Device', enabled: false })
  await closed
  expect(device.connected).toBe(false)
})

test.skipIf(skip)('both nodes stop in good order while NATS is away', async () => {
  await nats.kill()
  expect(await Promise.all([gateway.kill('SIGTERM'), office.kill('SIGTERM')])).toEqual([0, 0])
})
