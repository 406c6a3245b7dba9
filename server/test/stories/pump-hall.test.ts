/** Models, assets, bindings, alarms, mail and push together, over real MQTT and SMTP. */
import { WebPubSubClient } from '@azure/web-pubsub-client'
import mqtt from 'mqtt'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type MailServer, startMailServer } from '../harness/mail-server.ts'
import { platformDatabase, type TestDatabase } from '../harness/database.ts'
import { adminPassword, type Api, apiAt, logIn, type TestAnswer } from '../harness/platform.ts'
import { type ServerProcess, startServerProcess } from '../harness/server-process.ts'
import { homeAt, makeTwin, readTenant } from '../harness/twin-tenant.ts'

let mail: MailServer
let database: TestDatabase
let server: ServerProcess
let api: Api
let call: (method: string, path: string, body?: unknown) => Promise<TestAnswer>
let organizationId: string
beforeAll(async () => {
  mail = await startMailServer()
  database = await platformDatabase()
  server = await startServerProcess({
    DATABASE_URL: database.url,
    GANGWAY_SMTP_URL: mail.url,
    GANGWAY_MAIL_FROM: 'gangway@example.com',
  })
  api = apiAt(server.endpoints.http)
  const token = await logIn(api, 'admin@example.com', adminPassword)
  call = async (method, path, body) => {
    const answer = await api(method, path, body, { token })
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(answer.body)}`)
    return answer
  }
  organizationId = (await call('GET', '/v1/organizations')).body[0].id
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  await mail[Symbol.asyncDispose]()
  await database[Symbol.asyncDispose]()
})

const pumpModel = 'dtmi:com:example:HallPump;1'

async function makeModels() {
  const model = (id: string, contents: object[]) =>
    call('POST', '/v1/models', {
      organizationId,
      definition: { '@context': 'dtmi:dtdl:context;3', '@id': id, '@type': 'Interface', contents },
    })
  const measured = (name: string, unit?: string) => ({ '@type': 'Telemetry', name, schema: 'double', unit })
  await model('dtmi:com:example:HallMotor;1', [measured('speed')])
  await model(pumpModel, [
    measured('temperature'),
    measured('power'),
    { '@type': 'Component', name: 'motor', schema: 'dtmi:com:example:HallMotor;1' },
  ])
}

async function connectDevice(id: string) {
  const at = `/v1/providers/mqtt/clients/${id}`
  await call('POST', '/v1/providers/mqtt/clients', { id, displayName: id })
  const { primaryKey } = (await call('GET', `${at}/credentials`)).body
  const client = await mqtt.connectAsync(server.endpoints.mqtt, { username: id, password: primaryKey })
  const send = (payload: object) =>
    client.publishAsync(`devices/${id}/telemetry`, JSON.stringify(payload), { qos: 1 })
  return { client, send }
}

const bindTemperature = (device: string) => ({
  localEndpointId: 'pump-7/-/telemetry/temperature',
  remoteEndpointIds: [{ name: 'f', endpointId: `${device}/-/telemetry/fahrenheit` }],
  transform: { '/': [{ '-': [{ var: 'f' }, 32] }, 1.8] },
})

async function queryValues(assetId: string, name: string) {
  const { items } = (
    await call('POST', '/v1/timeseries/get', {
      assetId,
      timeseriesName: [name],
      searchSpanFrom: new Date(Date.now() - 3_600_000).toISOString(),
      searchSpanTo: new Date(Date.now() + 60_000).toISOString(),
    })
  ).body
  return items[0].items.map(({ value }: { value: unknown }) => value)
}

test('a pump has two devices, one of which is replaced, and its recipients are notified when it runs hot', async () => {
  await makeModels()
  const sensor = await connectDevice('sensor-1')
  const meter = await connectDevice('meter-1')
  await call('POST', '/v1/assets', {
    id: 'pump-7',
    modelId: pumpModel,
    displayName: 'Pump 7',
    organizationId,
  })
  await call('POST', '/v1/assets/pump-7/bind', {
    endpointBindings: [
      bindTemperature('sensor-1'),
      {
        localEndpointId: 'pump-7/-/telemetry/power',
        remoteEndpointIds: [
          { name: 'u', endpointId: 'meter-1/-/telemetry/voltage' },
          { name: 'i', endpointId: 'meter-1/-/telemetry/current' },
        ],
        transform: { '*': [{ var: 'u' }, { var: 'i' }] },
      },
      {
        localEndpointId: 'pump-7/motor/telemetry/speed',
        remoteEndpointIds: [{ name: 'value', endpointId: 'meter-1/drive/telemetry/rpm' }],
      },
    ],
  })
  await sensor.send({ fahrenheit: 50, humidity: 40 })
  await meter.send({ voltage: 230, current: 2, drive: { rpm: 1450 } })
  expect(await queryValues('pump-7', 'temperature')).toEqual([10])
  expect(await queryValues('pump-7', 'power')).toEqual([460])
  expect(await queryValues('pump-7', 'speed')).toEqual([1450])
  // Signals that no asset binds are stored for the device.
  expect(await queryValues('sensor-1', 'humidity')).toEqual([40])

  const spare = await connectDevice('sensor-2')
  await call('POST', '/v1/assets/pump-7/bind', { endpointBindings: [bindTemperature('sensor-2')] })
  await spare.send({ fahrenheit: 68 })
  await sensor.send({ fahrenheit: 212 })
  expect(await queryValues('pump-7', 'temperature')).toEqual([10, 20])

  await runsHot(spare.send)
  for (const { client } of [sensor, meter, spare]) await client.endAsync()
  expect(server.output()).not.toMatch(/"level":(50|60)/)
})

async function runsHot(send: (payload: object) => Promise<unknown>) {
  const { id: alarmId } = (
    await call('POST', '/v1/alarms', {
      name: 'Hot',
      entityTypeId: pumpModel,
      condition: JSON.stringify({ '>': [{ var: 'temperature' }, 80] }),
    })
  ).body
  await call('POST', '/v1/notifications', {
    displayName: 'Tell us',
    trigger: { alarmTrigger: [alarmId] },
    broadcast: true,
    organizationId,
    channels: {
      email: {
        active: true,
        from: 'gangway@example.com',
        subject: '{{alarmName}} at {{assetName}}',
        template: 'It is {{value}} degrees: {{ackUrl}}',
      },
      sms: { active: false, template: '', from: '' },
    },
  })
  // Another tenant has the same ids everywhere; nothing of it changes, and nobody of it is told.
  await makeTwin(homeAt(api, database.db), 'twin')
  const twin = await readTenant(database.db, 'twin')
  const watched = await watch()
  await send({ fahrenheit: 194 })
  await send({ fahrenheit: 203 })
  await expect.poll(() => mail.mails.length).toBe(1)
  const { text, to } = mail.mails[0]!
  expect(to).toEqual(['admin@example.com'])
  expect(text).toMatch(/Subject: Hot at Pump 7/)
  expect(text).toContain('It is 90 degrees')
  await expect
    .poll(() => watched.map(({ topic, value, status }) => (topic === 'alarm' ? status.state : value)))
    .toEqual(expect.arrayContaining([90, 95, 'active_unacknowledged']))

  const link = /http:\/\/\S+\/ack\/[\w.-]+/.exec(text)![0]
  const listStates = async () =>
    (await call('GET', '/v1/alarms/status')).body.map((one: { state: string }) => one.state)
  // A mail scanner opens every link.
  expect((await fetch(link)).status).toBe(200)
  expect(await listStates()).toEqual(['active_unacknowledged'])
  expect((await fetch(link, { method: 'POST' })).status).toBe(200)
  expect(await listStates()).toEqual(['active_acknowledged'])
  await send({ fahrenheit: 68 })
  expect(await listStates()).toEqual([])

  await toldAfterRestart(send)
  expect(await readTenant(database.db, 'twin')).toEqual(twin)
}

/** The mail is kept while the mail server is unavailable and the server is killed. */
async function toldAfterRestart(send: (payload: object) => Promise<unknown>) {
  mail.refuses = true
  await send({ fahrenheit: 194 })
  expect(mail.mails).toHaveLength(1)
  await server.kill('SIGKILL')
  mail.refuses = false
  await server.start()
  await expect.poll(() => mail.mails.length).toBe(2)
}

interface Pushed {
  topic: string
  value: unknown
  status: { state: string }
}

/** Subscribes with the public client, like a dashboard. @returns all received messages */
async function watch(): Promise<Pushed[]> {
  const client = new WebPubSubClient({
    getClientAccessUrl: async () => {
      const { url, accessToken } = (await call('POST', '/v1/realtime/negotiate')).body
      return `${url}?access_token=${accessToken}`
    },
  })
  const came: Pushed[] = []
  client.on('server-message', ({ message }) => came.push(message.data as unknown as Pushed))
  const connected = new Promise<string>((resolve) =>
    client.on('connected', ({ connectionId }) => resolve(connectionId)),
  )
  await client.start()
  const connectionId = await connected
  for (const topic of ['telemetry', 'alarm'])
    await call('POST', '/v1/realtime/subscriptions', { connectionId, topic, assets: ['pump-7'] })
  return came
}
