/** The component of a device on the broker: its desired and reported properties and its methods, for clients and assets. */
import { connectAsync, type MqttClient } from 'mqtt'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { startMqtt } from '../../src/mqtt/start.ts'
import { insertAsset, makePumpModel } from '../harness/assets.ts'
import { bind, binding } from '../harness/bindings.ts'
import { type Platform, startPlatform } from '../harness/platform.ts'

let platform: Platform
let gateway: AsyncDisposable
let device: Device
beforeAll(async () => {
  platform = await startPlatform()
  gateway = await startMqtt(platform.ctx, platform.parts)
  await makePumpModel(platform)
  await platform.post(clients, { id: 'device', displayName: 'Device' })
  const { primaryKey } = (await platform.get(`${client}/credentials`)).body
  device = await connectDevice(primaryKey)
})
afterAll(async () => {
  await device.mqtt.endAsync()
  await gateway[Symbol.asyncDispose]()
  await platform[Symbol.asyncDispose]()
})

const clients = '/v1/providers/mqtt/clients'
const client = `${clients}/device`

interface Device {
  mqtt: MqttClient
  /** The received desired states. */
  desired: Record<string, unknown>[]
  /** Invocations by the name of the method. */
  invoked: { method: string; payload: unknown }[]
  report(state: object): Promise<unknown>
}

/** It answers each method with its name. */
async function connectDevice(password: string): Promise<Device> {
  const mqtt = await connectAsync(platform.ctx.endpoints.mqtt!, {
    clientId: 'device',
    username: 'device',
    password,
    reconnectPeriod: 0,
  })
  const heard: Pick<Device, 'desired' | 'invoked'> = { desired: [], invoked: [] }
  mqtt.on('message', (topic, bytes) => {
    const message = JSON.parse(`${bytes}`)
    const [, method] = /^devices\/device\/methods\/([^/]+)\/invoke$/.exec(topic) ?? []
    if (method === undefined) return heard.desired.push(message)
    heard.invoked.push({ method, payload: message.payload })
    const answer = JSON.stringify({ status: 200, payload: { method } })
    return mqtt.publish(`devices/device/methods/${method}/response/${message.correlationId}`, answer, {
      qos: 1,
    })
  })
  await mqtt.subscribeAsync(['devices/device/twin/desired', 'devices/device/methods/+/invoke'], { qos: 1 })
  const report = (state: object) =>
    mqtt.publishAsync('devices/device/twin/reported', JSON.stringify(state), { qos: 1 })
  return { mqtt, ...heard, report }
}

const isDesired = (state: object) => vi.waitFor(() => expect(device.desired.at(-1)).toEqual(state))

test('desired properties of a component reach the device as an object under its name', async () => {
  const url = `${client}/properties/desired`
  const put = await platform.put(url, { componentId: 'motor', speed: 5, mode: 'eco' })
  expect(put).toMatchObject({ status: 200, body: { speed: 5, mode: 'eco', $version: 1 } })
  await isDesired({ motor: { speed: 5, mode: 'eco' }, $version: 1 })
  await platform.put(url, { interval: 10 })
  await platform.put(url, { componentId: 'motor', properties: { mode: null } })
  await isDesired({ motor: { speed: 5 }, interval: 10, $version: 3 })
  expect((await platform.get(`${url}?componentId=motor`)).body).toEqual({ speed: 5, $version: 3 })
})

test('properties that the device reports under the name of a component are read with its componentId', async () => {
  await device.report({ motor: { rpm: 900, hot: false }, fw: '1.0' })
  await device.report({ motor: { hot: null } })
  const url = `${client}/properties/reported`
  expect((await platform.get(`${url}?componentId=motor`)).body).toEqual({ rpm: 900, $version: 2 })
  expect((await platform.get(url)).body).toEqual({ motor: { rpm: 900 }, fw: '1.0', $version: 2 })
  for (const none of ['fw', 'pump', 'constructor', '$version'])
    expect((await platform.get(`${url}?componentId=${none}`)).body).toEqual({ $version: 2 })
})

test('a method of a component is invoked as component.method', async () => {
  const answer = await platform.post(`${client}/methods`, {
    componentId: 'motor',
    method: 'brake',
    payload: { hard: true },
  })
  expect(answer).toMatchObject({ status: 200, body: { status: 200, payload: { method: 'motor.brake' } } })
  expect(device.invoked.at(-1)).toEqual({ method: 'motor.brake', payload: { hard: true } })
})

test('a template sets the desired properties of components, too', async () => {
  const desiredProperties = { motor: { limit: 7 } }
  const options = { iotDeviceTemplateOptions: { desiredProperties } }
  const { body: template } = await platform.post('/v1/provider-templates', {
    displayName: 'With a motor',
    organizationId: platform.organizationId,
    options,
  })
  await platform.post(`${client}/provision`, { templateId: template.id, options: {} })
  const { body } = await platform.get(`${client}/properties/desired?componentId=motor`)
  expect(body).toMatchObject({ limit: 7 })
  await vi.waitFor(() => expect(device.desired.at(-1)).toMatchObject(desiredProperties))
})

test('an asset is bound to the same component: desired, reported, commands and telemetry', async () => {
  await insertAsset(platform, 'pump')
  const bound = await bind(platform, 'pump', {
    endpointBindings: [
      binding('pump/motor/property/limit', 'device/motor/property/limit'),
      binding('pump/motor/command/brake', 'device/motor/command/brake'),
      binding('pump/motor/telemetry/rpm', 'device/motor/telemetry/rpm'),
    ],
  })
  expect(bound.status).toBe(200)
  await platform.put('/v1/assets/pump/properties/desired', { motor: { limit: 3 } })
  await vi.waitFor(() => expect(device.desired.at(-1)).toMatchObject({ motor: { limit: 3 } }))

  await device.report({ motor: { limit: 3 } })
  const { body: reported } = await platform.get('/v1/assets/pump/properties/reported')
  expect(reported).toMatchObject({ motor: { limit: 3 } })

  const command = '/v1/assets/pump/commands/brake'
  const sent = await platform.post(command, { componentId: 'motor' })
  expect(sent.status).toBe(202)
  await vi.waitFor(async () => {
    const { body } = await platform.get(`${command}?componentId=motor`)
    expect(body).toMatchObject({ status: 'succeeded', responsePayload: { method: 'motor.brake' } })
  })

  await device.mqtt.publishAsync('devices/device/telemetry', '{"motor": {"rpm": 900}}', { qos: 1 })
  const items = [{ assetId: 'pump', componentId: 'motor', timeseries: [{ name: 'rpm', type: 'telemetry' }] }]
  const { body: last } = await platform.post('/v1/timeseries/get/last', { items })
  expect(last.items).toMatchObject([{ componentId: 'motor', timeseriesName: 'rpm', value: 900 }])
})
