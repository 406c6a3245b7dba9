import { connectAsync, type MqttClient } from 'mqtt'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Platform, startPlatform } from '../../../test/harness/platform.ts'
import { connectRealtime } from '../../../test/harness/realtime.ts'
import { type Mqtt, startMqtt } from '../start.ts'
import { findTraceparent } from './traceparent.ts'

let platform: Platform
let mqtt: Mqtt
let client: MqttClient
const device = '/v1/providers/mqtt/clients/traced'
beforeAll(async () => {
  platform = await startPlatform()
  mqtt = await startMqtt(platform.ctx, platform.parts)
  await platform.post('/v1/providers/mqtt/clients', { id: 'traced', displayName: 'Traced' })
  const { primaryKey } = (await platform.get(`${device}/credentials`)).body
  client = await connectAsync(platform.ctx.endpoints.mqtt!, {
    username: 'traced',
    password: primaryKey,
    protocolVersion: 5,
    reconnectPeriod: 0,
  })
})
afterAll(async () => {
  await client.endAsync()
  await mqtt[Symbol.asyncDispose]()
  await platform[Symbol.asyncDispose]()
})

const publish = (topic: string, payload: string, traceparent: string) =>
  client.publishAsync(`devices/traced/${topic}`, payload, {
    qos: 1,
    properties: { userProperties: { traceparent } },
  })

const valid = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'

test.each([
  [[['traceparent', valid]], valid],
  [[['other', valid]], undefined],
  [[['traceparent', valid.toUpperCase()]], undefined],
  [[['traceparent', `${valid}-more`]], undefined],
  [[['traceparent', valid.replace(/^00/, 'ff')]], undefined],
  [[['traceparent', `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`]], undefined],
  [[['traceparent', `00-4bf92f3577b34da6a3ce929d0e0e4736-${'0'.repeat(16)}-01`]], undefined],
  [
    [
      ['traceparent', valid],
      ['traceparent', valid],
    ],
    undefined,
  ],
] as [[string, string][], string | undefined][])('of %j is %s', (userProperties, expected) => {
  expect(findTraceparent(userProperties)).toBe(expected)
})

test('it goes on with the event of reported properties [docs/mqtt#mqtt-5]', async () => {
  await publish('twin/reported', '{"by":"valid"}', valid)
  await publish('twin/reported', '{"by":"invalid"}', 'invalid')
  const { rows } = await platform.ctx.pool.query(
    `select payload ->> 'traceparent' as traceparent from outbox where payload ->> 'providerClientId' = 'traced' order by id`,
  )
  expect(rows).toEqual([{ traceparent: valid }, { traceparent: null }])
})

test('it goes on with a dead letter', async () => {
  await publish('telemetry', '{"a":', valid)
  await publish('telemetry', '{"b":', 'invalid')
  await publish('nobody/listens', 'hello', valid)
  const { body } = await platform.get(`${device}/dead-letters`)
  expect(body).toMatchObject([
    { reason: 'unknown_topic', traceparent: valid },
    { reason: 'not_json', payload: '{"b":', traceparent: null },
    { reason: 'not_json', payload: '{"a":', traceparent: valid },
  ])
  expect((await platform.get(`${device}/dead-letters/${body[2].id}`)).body).toMatchObject({
    traceparent: valid,
  })
})

test('it goes on with pushed samples, and the others look as they always did', async () => {
  const { connectionId, take, socket } = await connectRealtime(platform)
  await platform.post('/v1/realtime/subscriptions', { connectionId, topic: 'telemetry', assets: ['traced'] })
  await take(1)
  await publish('telemetry', '{"level":1}', valid)
  await publish('telemetry', '{"level":2}', 'invalid')
  await publish('twin/reported', '{"level":3}', valid)
  const [first, second, third] = await take(3)
  expect(first).toMatchObject({ value: 1, traceparent: valid })
  expect(second).toMatchObject({ value: 2 })
  expect(second).not.toHaveProperty('traceparent')
  expect(third).toMatchObject({ value: 3, traceparent: valid })
  socket.terminate()
})
