import { generate, type Packet } from 'mqtt-packet'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  connectPacket,
  startGateway,
  type TestDevice,
  type TestGateway,
} from '../../../test/harness/gateway.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startGateway()
})
afterAll(() => gateway[Symbol.asyncDispose]())

const MIB = 1024 * 1024

const telemetry = (device: TestDevice, payload: Buffer | string, messageId = 1): Packet => ({
  cmd: 'publish',
  topic: `devices/${device.id}/telemetry`,
  payload,
  qos: 1,
  messageId,
  dup: false,
  retain: false,
})

/** A JSON object of exactly so many bytes. */
const jsonOf = (bytes: number) => {
  const empty = '{"text":""}'
  return Buffer.from(empty.replace('""', `"${'x'.repeat(bytes - empty.length)}"`))
}

describe('message size [docs/mqtt#limits]', () => {
  test('1 MB is stored and acknowledged', async () => {
    const device = await gateway.makeDevice()
    const client = await gateway.raw(device)
    client.send(telemetry(device, jsonOf(MIB)))
    expect(await client.next()).toMatchObject({ cmd: 'puback', messageId: 1 })
    expect(await gateway.samplesOf(device)).toHaveLength(1)
  })

  test('one byte more closes the connection, and the reason is on record', async () => {
    const device = await gateway.makeDevice()
    const client = await gateway.raw(device)
    client.send(telemetry(device, jsonOf(MIB + 1)))
    await expect(client.closed).resolves.toBeUndefined()
    const row = await gateway.connectionOf(
      device,
      ({ connected, disconnect_reason }) => !connected && disconnect_reason !== null,
    )
    expect(row.disconnect_reason).toBe('message_too_large')
    expect(await gateway.samplesOf(device)).toHaveLength(0)
  })

  test('a declared length beyond it closes the connection before the bytes come', async () => {
    const device = await gateway.makeDevice()
    const client = await gateway.raw(device)
    client.write(Buffer.of(0x32, 0xff, 0xff, 0xff, 0x7f))
    await expect(client.closed).resolves.toBeUndefined()
    await gateway.connectionOf(device, (row) => row.disconnect_reason === 'message_too_large')
  })

  test('a subscription list has a much smaller bound', async () => {
    const device = await gateway.makeDevice()
    const client = await gateway.raw(device)
    client.write(Buffer.of(0x82, 0x81, 0x80, 0x04))
    await expect(client.closed).resolves.toBeUndefined()
  })
})

describe('before CONNECT has succeeded', () => {
  const closing: [string, Uint8Array][] = [
    ['a CONNECT that declares 256 MB', Buffer.of(0x10, 0xff, 0xff, 0xff, 0x7f)],
    ['a CONNECT over 64 KB', Buffer.of(0x10, 0x81, 0x80, 0x04)],
    ['a length of five bytes', Buffer.of(0x10, 0xff, 0xff, 0xff, 0xff, 0x01)],
    ['a PUBLISH', generate(telemetry({ id: 'x', key: '', secondaryKey: '', number: 0 }, '{}'))],
    ['something else', Buffer.from('GET / HTTP/1.1\r\n\r\n')],
  ]
  test.each(closing)('%s closes the connection', async (_name, bytes) => {
    const client = await gateway.raw()
    client.write(bytes)
    await expect(client.closed).resolves.toBeUndefined()
  })

  test('what follows CONNECT at once waits for it, byte by byte or in one piece', async () => {
    const device = await gateway.makeDevice()
    for (const pieces of [1, 7, 10_000]) {
      const client = await gateway.raw()
      const publishes = Array.from({ length: 200 }, (_, index) =>
        generate(telemetry(device, '{"a":1}', index + 1)),
      )
      const bytes = Buffer.concat([generate(connectPacket(device)), ...publishes])
      for (let at = 0; at < bytes.length; at += pieces) client.socket.write(bytes.subarray(at, at + pieces))
      expect(await client.next()).toMatchObject({ cmd: 'connack', returnCode: 0 })
      const acknowledged = new Set<number | undefined>()
      while (acknowledged.size < 200) acknowledged.add((await client.next()).messageId)
      client.socket.destroy()
    }
  })
})

describe('packets that no client would send', () => {
  const withIdentifier0 = (device: TestDevice) => {
    const bytes = generate(telemetry(device, '{}'))
    bytes.writeUInt16BE(0, bytes.length - '{}'.length - 2)
    return bytes
  }
  const toTopic = (end: string) => (device: TestDevice) =>
    generate({ ...telemetry(device, '{}'), topic: `devices/${device.id}/${end}` } as Packet)
  const breaches: [string, (device: TestDevice) => Buffer][] = [
    ['a packet identifier of 0', withIdentifier0],
    ['a NUL in a topic', toTopic('a\u0000b')],
    ['a topic with a wildcard', toTopic('+')],
    ['a topic of too many levels', toTopic('a/'.repeat(200))],
  ]
  test.each(breaches)('%s ends the connection as a breach of the protocol', async (_what, bytesFor) => {
    const device = await gateway.makeDevice()
    const client = await gateway.raw(device)
    client.write(bytesFor(device))
    await expect(client.closed).resolves.toBeUndefined()
    const row = await gateway.connectionOf(device, ({ disconnect_reason }) => disconnect_reason !== null)
    expect(row.disconnect_reason).toBe('protocol_error')
    expect(client.received()).toEqual([])
  })

  test('hundreds of random and mangled packets leave the server and other devices alone', async () => {
    const bystander = await gateway.makeDevice()
    const other = await gateway.connect(bystander)
    const device = await gateway.makeDevice()
    // The same on each run, so that a failure can be found again.
    let seed = 42
    const random = (below: number) => (seed = (seed * 1103515245 + 12345) % 2147483648) % below
    const samples = [
      generate(telemetry(device, '{"a":1}')),
      generate({
        cmd: 'subscribe',
        messageId: 2,
        subscriptions: [{ topic: `devices/${device.id}/#`, qos: 1 }],
      } as Packet),
      generate({ cmd: 'unsubscribe', messageId: 3, unsubscriptions: [`devices/${device.id}/#`] } as Packet),
      generate({ cmd: 'pubrel', messageId: 4 } as Packet),
      generate({ cmd: 'puback', messageId: 4 } as Packet),
      generate({ cmd: 'pingreq' } as Packet),
    ]
    for (let round = 0; round < 300; round++) {
      const client =
        round % 3 === 0 ? await gateway.raw() : await gateway.raw(device, { clientId: `fuzz-${round}` })
      const bytes = Buffer.from(samples[random(samples.length)]!)
      for (let change = 0; change <= random(4); change++) bytes[random(bytes.length)] = random(256)
      client.write(random(5) === 0 ? bytes.subarray(0, random(bytes.length) + 1) : bytes)
      client.socket.end()
      await expect(client.closed).resolves.toBeUndefined()
    }
    await other.publishAsync(`devices/${bystander.id}/telemetry`, '{"still":"here"}', { qos: 1 })
    expect(await gateway.samplesOf(bystander)).toHaveLength(1)
    await other.endAsync()
  })
})
