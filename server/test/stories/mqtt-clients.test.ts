/** Public MQTT clients against the gateway: each QoS in both directions, kept sessions, large messages, TLS. [docs/mqtt] */
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startGateway, type TestGateway } from '../harness/gateway.ts'
import { mosquitto } from './mqtt-clients/mosquitto.ts'
import { mqttJs } from './mqtt-clients/mqtt-js.ts'
import { paho } from './mqtt-clients/paho.ts'

const clients = [mqttJs(4), mqttJs(5), mosquitto('mqttv311'), mosquitto('mqttv5'), paho(4), paho(5)]

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startGateway()
})
afterAll(() => gateway[Symbol.asyncDispose]())

const makeTarget = async () => ({ device: await gateway.makeDevice(), port: gateway.port })

for (const { name, missing } of clients) if (missing) console.log(`Skipped: ${name} (${missing})`)
const installed = clients.filter(({ missing }) => !missing)

describe.each(installed)('$name', ({ publish, listen }) => {
  test.each([0, 1, 2] as const)('telemetry with QoS %i is stored', async (qos) => {
    const target = await makeTarget()
    await publish(target, { topic: `devices/${target.device.id}/telemetry`, payload: '{"t": 21.5}', qos })
    await expect.poll(() => gateway.samplesOf(target.device)).toMatchObject([{ name: 't', value: 21.5 }])
  })

  test.each([0, 1, 2] as const)('it gets messages with QoS %i', async (qos) => {
    const target = await makeTarget()
    const topic = `devices/${target.device.id}/note`
    const listener = await listen(target, { topic, qos, clientId: 'listener' })
    await publish(target, { topic, payload: 'hello', qos })
    expect(await listener.next()).toEqual({ qos, payload: 'hello' })
    await listener.leave()
  })

  test('a kept session gets what was published while it was away', async () => {
    const target = await makeTarget()
    const topic = `devices/${target.device.id}/note`
    const subscription = { topic, qos: 2, clientId: 'listener', isKept: true } as const
    const first = await listen(target, subscription)
    await first.leave()
    await publish(target, { topic, payload: 'one', qos: 1 })
    await publish(target, { topic, payload: 'two', qos: 2 })
    const second = await listen(target, subscription)
    expect([await second.next(), await second.next()]).toEqual([
      { qos: 1, payload: 'one' },
      { qos: 2, payload: 'two' },
    ])
    await second.leave()
  })

  test('a message of 1,000,000 bytes goes up and down', async () => {
    const target = await makeTarget()
    const topic = `devices/${target.device.id}/note`
    const payload = 'x'.repeat(1_000_000)
    const listener = await listen(target, { topic, qos: 1, clientId: 'listener' })
    await publish(target, { topic, payload, qos: 1 })
    const received = await listener.next()
    expect(received.payload.length).toBe(payload.length)
    expect(received.payload === payload).toBe(true)
    await listener.leave()
  })

  test('over TLS', async () => {
    const { device } = await makeTarget()
    const target = {
      device,
      port: Number(new URL(gateway.ctx.endpoints.mqtts!).port),
      caFile: join(gateway.ctx.config.dataDir, 'tls', 'ca.crt'),
    }
    const topic = `devices/${device.id}/note`
    const listener = await listen(target, { topic, qos: 1, clientId: 'listener' })
    await publish(target, { topic, payload: 'hello', qos: 1 })
    expect(await listener.next()).toEqual({ qos: 1, payload: 'hello' })
    await listener.leave()
  })
})
