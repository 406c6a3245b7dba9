/** An operator sends commands to a pump: through its bindings to a real device, across restarts of the server, and until they expire. */
import { connectAsync, type MqttClient } from 'mqtt'
import { expect, test, vi } from 'vitest'
import { startMqtt } from '../../src/mqtt/start.ts'
import { insertAsset, insertBinding, makePumpModel } from '../harness/assets.ts'
import { otherProcess } from '../harness/other-process.ts'
import { testDatabase } from '../harness/database.ts'
import { adminPassword, type Api, apiAt, logIn, type Platform, startPlatform } from '../harness/platform.ts'
import { startServerProcess } from '../harness/server-process.ts'
import { makeOrganization, createUser, relate } from '../harness/users.ts'

const commands = '/v1/assets/pump/commands/start'
const clients = '/v1/providers/mqtt/clients'

/** A pump whose `start` and `target` are bound to a device that uses other units. */
async function makePump(platform: Platform): Promise<{ key: string }> {
  await makePumpModel(platform)
  await insertAsset(platform, 'pump')
  await platform.post(clients, { id: 'device', displayName: 'Device' })
  const inverseTransform = { '*': [{ var: 'value' }, 10] }
  await insertBinding(platform, 'pump/-/command/start', ['device/-/command/spin'], { inverseTransform })
  await insertBinding(platform, 'pump/-/property/target', ['device/-/property/setpoint'], {
    inverseTransform,
  })
  return { key: (await platform.get(`${clients}/device/credentials`)).body.primaryKey }
}

interface Device {
  client: MqttClient
  /** Received messages, by the end of the topic. */
  heard: { topic: string; message: { correlationId: string; payload: unknown } & Record<string, unknown> }[]
  isHearing(count: number): Promise<void>
}

async function connectDevice(broker: string, key: string): Promise<Device> {
  const heard: Device['heard'] = []
  const client = await connectAsync(broker, {
    clientId: 'device',
    username: 'device',
    password: key,
    reconnectPeriod: 0,
  })
  client.on('message', (topic, payload) => {
    const message = JSON.parse(`${payload}`)
    heard.push({ topic: topic.slice('devices/device/'.length), message })
    if (topic.endsWith('/spin/invoke'))
      client.publish(
        `devices/device/methods/spin/response/${message.correlationId}`,
        JSON.stringify({ status: 200, payload: { done: message.payload } }),
        { qos: 1 },
      )
  })
  await client.subscribeAsync(['devices/device/twin/desired', 'devices/device/methods/+/invoke'], { qos: 1 })
  const isHearing = (count: number) =>
    vi.waitFor(() => {
      if (heard.length < count) throw new Error(`heard ${heard.length} messages`)
    })
  return { client, heard, isHearing }
}

const untilStatus = (api: Api, token: string, path: string, status: string) =>
  vi.waitFor(
    async () => {
      const { body } = await api('GET', path, undefined, { token })
      if (body.status !== status) throw new Error(`still ${JSON.stringify(body)}`)
      return body
    },
    { interval: 50 },
  )

test('a command and a desired property reach the device, over restarts of the server', async () => {
  await using database = await testDatabase()
  await using server = await startServerProcess({ DATABASE_URL: database.url })
  const { http, mqtt } = server.endpoints
  const api = apiAt(http)
  const token = await logIn(api, 'admin@example.com', adminPassword)
  const send = async (body: object) => (await api('POST', commands, body, { token })).body
  const root = await database.db.selectFrom('organizations').select('id').executeTakeFirstOrThrow()
  const platform = {
    ctx: { db: database.db },
    organizationId: root.id,
    url: http,
    get: (path: string) => api('GET', path, undefined, { token }),
    post: (path: string, body: unknown, options = {}) => api('POST', path, body, { token, ...options }),
  } as Platform
  const { key } = await makePump(platform)

  const device = await connectDevice(mqtt, key)
  await device.isHearing(1)
  await api('PUT', '/v1/assets/pump/properties/desired', { target: 5 }, { token })
  await device.isHearing(2)
  expect(device.heard[1]).toEqual({ topic: 'twin/desired', message: { setpoint: 50, $version: 1 } })
  const sent = await send({ payload: 3 })
  expect(sent).toMatchObject({ requestPayload: 3, statusMessage: null })
  expect(await untilStatus(api, token, commands, 'succeeded')).toMatchObject({
    commandId: sent.commandId,
    responsePayload: { done: 30 },
  })
  await device.client.endAsync()

  // Two commands wait; the server is killed; the device reconnects and receives them in order.
  for (const payload of [1, 2])
    expect((await send({ payload, expiresAfterSeconds: 600 })).status).toBe('queued')
  await server.kill('SIGKILL')
  await server.start()
  const back = await connectDevice(mqtt, key)
  await untilStatus(api, token, commands, 'succeeded')
  const payloads = back.heard
    .filter(({ topic }) => topic.endsWith('invoke'))
    .map(({ message }) => message.payload)
  expect(payloads).toEqual([10, 20])
  const { body: history } = await api('GET', `${commands}/history`, undefined, { token })
  expect(history.map(({ status }: { status: string }) => status)).toEqual(Array(3).fill('succeeded'))

  // One command expires.
  await back.client.endAsync()
  await send({ payload: 4, expiresAfterSeconds: 6 })
  await database.pool.query(`update asset_commands set expires_at = now() where status = 'queued'`)
  await database.pool.query(`update graphile_worker._private_jobs set run_at = now()`)
  await untilStatus(api, token, commands, 'expired')

  // One command runs while the server stops: the stop does not wait for it, and its state is settled later.
  const deaf = await connectAsync(mqtt, { clientId: 'deaf', username: 'device', password: key })
  await deaf.subscribeAsync('devices/device/methods/+/invoke', { qos: 1 })
  expect((await send({ payload: 5 })).status).toBe('running')
  expect(await server.kill('SIGTERM')).toBe(0)
  await deaf.endAsync(true)
  await server.start()
  expect((await api('GET', commands, undefined, { token })).body.status).toBe('running')
  await database.pool.query(`update asset_commands set started_at = started_at - interval '361 seconds'`)
  await database.pool.query(`update graphile_worker._private_jobs set run_at = now()`)
  await untilStatus(api, token, commands, 'timed_out')

  const elsewhere = await createUser(platform)
  const branch = await makeOrganization(platform)
  await relate(platform, `${elsewhere.id} owner organization:${branch}`)
  const refused = await api(
    'POST',
    commands,
    { payload: 1 },
    { token: await logIn(api, elsewhere.email, adminPassword) },
  )
  expect(refused).toMatchObject({ status: 403, body: { error: 'forbidden' } })
})

test('the node that holds the session of the device sends', async () => {
  const platform = await startPlatform()
  const { ctx } = platform
  const other = otherProcess(ctx)
  const mqtts = [await startMqtt(ctx, platform.parts), await startMqtt(other, other)]
  try {
    const { key } = await makePump(platform)
    const device = await connectDevice(other.endpoints.mqtt!, key)
    await vi.waitFor(async () => {
      const { rows } = await ctx.pool.query("select 1 from client_connections where node_ids <> '{}'")
      if (rows.length === 0) throw new Error('not connected yet')
    })
    // It neither waits nor failed: the other node has sent it.
    const { body } = await platform.post(commands, { payload: 1 })
    expect(['queued', 'running', 'succeeded']).toContain(body.status)
    await untilStatus(platform.request, platform.adminToken, commands, 'succeeded')
    await Promise.all([2, 3, 4, 5].map((payload) => platform.post(commands, { payload })))
    await device.isHearing(6)
    const payloads = device.heard
      .filter(({ topic }) => topic.endsWith('invoke'))
      .map(({ message }) => message.payload as number)
    expect(payloads.toSorted((a, b) => a - b)).toEqual([10, 20, 30, 40, 50])
    await device.client.endAsync()
  } finally {
    for (const mqtt of mqtts) await mqtt[Symbol.asyncDispose]()
    await platform[Symbol.asyncDispose]()
  }
})
