import type { Packet } from 'mqtt-packet'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type RawClient,
  startGateway,
  type TestDevice,
  type TestGateway,
} from '../../test/harness/gateway.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startGateway()
})
afterAll(() => gateway[Symbol.asyncDispose]())

let messageId = 0
async function report(client: RawClient, device: TestDevice, payload: string, options: Partial<Packet> = {}) {
  const packet = {
    cmd: 'publish',
    topic: `devices/${device.id}/twin/reported`,
    payload,
    qos: 1,
    messageId: ++messageId,
    dup: false,
    retain: false,
    ...options,
  } as Packet
  client.send(packet)
  expect(await client.next()).toMatchObject({ cmd: 'puback', messageId: packet.messageId })
  return packet
}

const findTwin = async ({ number }: TestDevice) =>
  (await gateway.database.pool.query('select * from client_twins where client_number = $1', [number])).rows[0]

const listOutbox = async ({ id }: TestDevice) =>
  (
    await gateway.database.pool.query(
      `select subject, payload from outbox where payload->>'providerClientId' = $1 order by id`,
      [id],
    )
  ).rows

describe('reported properties [docs/twins#reported-properties]', () => {
  test('are merged in order, each message one version', async () => {
    const device = await gateway.makeDevice()
    const client = await gateway.raw(device)
    await report(client, device, '{"a":1,"wifi":{"ssid":"x","rssi":-60}}')
    await report(client, device, '{"wifi":{"rssi":-70},"b":[1]}')
    await report(client, device, '{"a":null}')
    expect(await findTwin(device)).toMatchObject({
      reported: { wifi: { ssid: 'x', rssi: -70 }, b: [1] },
      reported_version: '3',
    })
  })

  test('are forwarded to the message queue in the same transaction', async () => {
    const device = await gateway.makeDevice()
    const client = await gateway.raw(device)
    await report(client, device, '{"a":1}')
    await report(client, device, '{"b":2}')
    expect(await listOutbox(device)).toMatchObject([
      {
        subject: 'ProviderClientPropertiesChanged',
        payload: {
          tenantId: 'default',
          providerId: 'mqtt',
          change: { a: 1 },
          reported: { a: 1 },
          version: 1,
        },
      },
      {
        subject: 'ProviderClientPropertiesChanged',
        payload: { change: { b: 2 }, reported: { a: 1, b: 2 }, version: 2 },
      },
    ])
    const { rows } = await gateway.database.pool.query(
      `select 1 from graphile_worker.jobs where task_identifier = 'deliver-outbox'`,
    )
    expect(rows).toHaveLength(1)
  })

  test('each property that a message sets is stored as a sample', async () => {
    const device = await gateway.makeDevice()
    const client = await gateway.raw(device)
    await report(client, device, '{"fw":"1.0","old":1}')
    await report(client, device, '{"fw":"1.1","old":null}')
    const samples = await gateway.samplesOf(device, 'propertyReported')
    expect(samples.map(({ name, value }) => [name, value])).toEqual([
      ['fw', '1.0'],
      ['old', 1],
      ['fw', '1.1'],
    ])
    expect(await gateway.samplesOf(device, 'telemetry')).toEqual([])
  })

  test('a duplicate is stored once, an equal report is one more version', async () => {
    const device = await gateway.makeDevice()
    const client = await gateway.raw(device)
    const first = await report(client, device, '{"a":1}')
    await report(client, device, '{"a":1}', { messageId: first.messageId, dup: true } as Partial<Packet>)
    expect(await findTwin(device)).toMatchObject({ reported_version: '1' })
    await report(client, device, '{"a":1}')
    expect(await findTwin(device)).toMatchObject({ reported_version: '2' })
  })

  test('$version that a device sends back is no property', async () => {
    const device = await gateway.makeDevice()
    await report(await gateway.raw(device), device, '{"interval":5,"$version":9}')
    expect(await findTwin(device)).toMatchObject({ reported: { interval: 5 }, reported_version: '1' })
  })

  test.each([
    ['not_json', 'no'],
    ['not_an_object', '[]'],
    ['bad_value', '{"a":"\\u0000"}'],
    ['bad_name', '{"":1}'],
    ['twin_too_large', JSON.stringify({ a: 'x'.repeat(300_000) })],
  ])('%s: the message is a dead letter, and the twin does not change', async (reason, payload) => {
    const device = await gateway.makeDevice()
    const client = await gateway.raw(device)
    await report(client, device, '{"a":1}')
    await report(client, device, payload)
    expect(await gateway.deadLettersOf(device)).toMatchObject([{ reason }])
    expect(await findTwin(device)).toMatchObject({ reported: { a: 1 }, reported_version: '1' })
  })

  test('are discarded for a client that was deleted meanwhile, and stored for others', async () => {
    const [gone, other] = [await gateway.makeDevice(), await gateway.makeDevice()]
    const [goneClient, otherClient] = [await gateway.raw(gone), await gateway.raw(other)]
    await gateway.database.pool.query('delete from provider_clients where number = $1', [gone.number])
    await Promise.all([report(goneClient, gone, '{"a":1}'), report(otherClient, other, '{"a":1}')])
    expect(await findTwin(other)).toMatchObject({ reported_version: '1' })
    expect(await findTwin(gone)).toBeUndefined()
  })
})
