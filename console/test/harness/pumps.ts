/** Devices that connect over MQTT, for tests of the device pages. */
import { connectAsync, type MqttClient } from 'mqtt'
import type { TestConsole } from './console.ts'
import { hostileNames } from './fixtures.mjs'

const clients = '/v1/providers/mqtt/clients'

/** Starts `pump-a`: it is connected, has values, a twin with a difference and a dead letter, and answers methods. */
export async function startPump(world: TestConsole): Promise<MqttClient> {
  await makePump(world, 'pump-a')
  const device = await connectPump(world, 'pump-a')
  await answerMethods(device, 'pump-a')
  const send = (topic: string, payload: string) =>
    device.publishAsync(`devices/pump-a/${topic}`, payload, { qos: 1 })
  await send('telemetry', '{"temperature": 71.5, "running": true}')
  await send('telemetry', 'pump temperature=21.5')
  await send('twin/reported', '{"limit": 80, "serial": "A-7"}')
  await world.api('PUT', `${clients}/pump-a/properties/desired`, { limit: 90, mode: { name: 'auto' } })
  return device
}

export const makePump = (world: TestConsole, id: string) =>
  world.api('POST', clients, { id, displayName: id, description: hostileNames[1] })

export async function connectPump(world: TestConsole, id: string): Promise<MqttClient> {
  const { primaryKey } = await world.api('GET', `${clients}/${id}/credentials`)
  return connectAsync(world.server.endpoints.mqtt, {
    clientId: id,
    username: id,
    password: primaryKey,
    reconnectPeriod: 0,
  })
}

/** Answers `identify` and does not answer `hang`; other methods do not exist. */
async function answerMethods(device: MqttClient, id: string) {
  device.on('message', (topic, payload) => {
    const method = topic.split('/')[3]!
    if (method === 'hang') return
    const { correlationId } = JSON.parse(payload.toString())
    const answer = method === 'identify' ? { status: 200, payload: { seen: true } } : { status: 404 }
    device.publish(`devices/${id}/methods/${method}/response/${correlationId}`, JSON.stringify(answer), {
      qos: 1,
    })
  })
  await device.subscribeAsync(`devices/${id}/methods/+/invoke`, { qos: 1 })
}
