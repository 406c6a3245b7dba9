/** The main path end to end: from an empty installation to the first data point. */
import { readFile } from 'node:fs/promises'
import mqtt from 'mqtt'
import { expect, test } from 'vitest'
import { prepareOnboarding } from '../harness/onboarded-device.ts'
import { adminPassword, apiAt, logIn } from '../harness/platform.ts'
import { startServerProcess } from '../harness/server-process.ts'

test('a new device is onboarded and its first data point is stored', async () => {
  await using server = await startServerProcess({}, { isFirstStart: true })
  const { http, mqtt: broker, mqtts } = server.endpoints
  const api = apiAt(http)
  const token = await logIn(api, 'admin@example.com', adminPassword)
  const onboarding = await prepareOnboarding(api, token, http, Number(new URL(broker).port))
  const device = await onboarding.onboard('pump-1')
  expect(device).toMatchObject({ deviceId: 'pump-1', host: '127.0.0.1', port: Number(new URL(broker).port) })

  const client = await mqtt.connectAsync(`mqtt://${device.host}:${device.port}`, {
    clientId: 'pump-1',
    username: 'pump-1',
    password: device.primaryKey,
  })
  const timestamp = new Date(Date.now() - 60_000).toISOString()
  await client.publishAsync(
    'devices/pump-1/telemetry',
    JSON.stringify({ temperature: 21.5, running: true, timestamp }),
    {
      qos: 1,
    },
  )
  const history = await api(
    'POST',
    '/v1/timeseries/get',
    {
      assetId: 'pump-1',
      timeseriesName: ['temperature', 'running', 'timestamp'],
      searchSpanFrom: new Date(Date.now() - 3_600_000).toISOString(),
      searchSpanTo: new Date().toISOString(),
    },
    { token },
  )
  expect(history.body.items.map((item: { items: unknown[] }) => item.items)).toEqual([
    [{ value: 21.5, timestamp }],
    [{ value: true, timestamp }],
    [],
  ])

  await twinAndMethod(client, api, token)
  await client.endAsync()
  await connectsOverTls(mqtts, server.dataDir, device.secondaryKey)
  expect(await server.kill('SIGTERM')).toBe(0)
  expect(server.output()).not.toMatch(/"level":(50|60)/)
})

async function twinAndMethod(client: mqtt.MqttClient, api: ReturnType<typeof apiAt>, token: string) {
  const path = '/v1/providers/mqtt/clients/pump-1'
  const desired = new Promise<{ interval: number; $version: number }>((resolve) =>
    client.on('message', (topic, payload) => {
      const message = JSON.parse(`${payload}`)
      if (topic.endsWith('/twin/desired') && message.interval) resolve(message)
      const invoked = /methods\/(\w+)\/invoke$/.exec(topic)
      if (invoked)
        client.publish(
          `devices/pump-1/methods/${invoked[1]}/response/${message.correlationId}`,
          JSON.stringify({ status: 200, payload: { echoed: message.payload } }),
          { qos: 1 },
        )
    }),
  )
  await client.subscribeAsync(['devices/pump-1/twin/desired', 'devices/pump-1/methods/+/invoke'], { qos: 1 })
  const set = await api('PUT', `${path}/properties/desired`, { interval: 5 }, { token })
  expect(set.body).toMatchObject({ interval: 5 })
  expect(await desired).toEqual(set.body)
  await client.publishAsync('devices/pump-1/twin/reported', JSON.stringify({ interval: 5 }), { qos: 1 })
  expect((await api('GET', `${path}/properties/reported`, undefined, { token })).body).toMatchObject({
    interval: 5,
  })
  const answer = await api('POST', `${path}/methods`, { method: 'restart', payload: { in: 3 } }, { token })
  expect(answer.body).toEqual({ status: 200, payload: { echoed: { in: 3 } } })
}

async function connectsOverTls(url: string, dataDir: string, password: string) {
  const ca = await readFile(`${dataDir}/tls/ca.crt`)
  const client = await mqtt.connectAsync(url.replace('127.0.0.1', 'localhost'), {
    username: 'pump-1',
    password,
    ca,
  })
  await client.endAsync()
}
