import { generate } from 'mqtt-packet'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  connectPacket,
  type RawOptions,
  startGateway,
  type TestDevice,
  type TestGateway,
} from '../../../test/harness/gateway.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startGateway()
})
afterAll(() => gateway[Symbol.asyncDispose]())

/** @returns the CONNACK code, or `closed` where the connection ended without one */
async function connackOf(device: TestDevice, options: RawOptions = {}) {
  const client = await gateway.raw()
  client.send(connectPacket(device, options))
  const answer = await Promise.race([client.next(), client.closed])
  client.socket.destroy()
  return answer?.cmd === 'connack' ? answer.returnCode : 'closed'
}

describe('who may sign in [docs/mqtt#sign-in]', () => {
  test('a device with its primary or its secondary key', async () => {
    const device = await gateway.makeDevice()
    expect(await connackOf(device)).toBe(0)
    expect(await connackOf(device, { password: Buffer.from(device.secondaryKey) })).toBe(0)
    // From memory, this time.
    expect(await connackOf(device, { password: Buffer.from(device.secondaryKey) })).toBe(0)
  })

  test('a wrong key and an unknown device look alike', async () => {
    const device = await gateway.makeDevice()
    expect(await connackOf(device, { password: Buffer.from('wrong') })).toBe(4)
    expect(await connackOf(device, { username: 'unknown-device' })).toBe(4)
    expect(await connackOf(device, { username: 'no\u0000id' })).toBe('closed')
    expect(await connackOf(device, { username: undefined, password: undefined })).toBe(4)
    expect(await connackOf(device, { password: Buffer.from(device.key + 'x'.repeat(100)) })).toBe(4)
    expect((await gateway.connectionOf(device, (row) => row.refused_reason !== null)).refused_reason).toBe(
      'wrong_key: The password is neither of the keys that the client has.',
    )
  })

  test('`.` and `..` are no ids, even with the key of a device of that name', async () => {
    for (const id of ['.', '..']) expect(await connackOf(await gateway.makeDevice(id))).toBe(4)
  })

  test('after a rotation the old primary key no longer, and the old secondary still', async () => {
    const device = await gateway.makeDevice()
    const other = await gateway.makeDevice()
    expect(await connackOf(device)).toBe(0)
    await gateway.database.pool.query(
      `update provider_clients set primary_key_hash = secondary_key_hash,
       secondary_key_hash = (select primary_key_hash from provider_clients where number = $2) where number = $1`,
      [device.number, other.number],
    )
    expect(await connackOf(device)).toBe(4)
    expect(await connackOf(device, { password: Buffer.from(device.secondaryKey) })).toBe(0)
    expect(await connackOf(device, { password: Buffer.from(other.key) })).toBe(0)
  })

  test('a disabled client is told so, but only with its key', async () => {
    const device = await gateway.makeDevice()
    await gateway.database.pool.query('update provider_clients set enabled = false where number = $1', [
      device.number,
    ])
    expect(await connackOf(device)).toBe(5)
    expect(await connackOf(device, { password: Buffer.from('wrong') })).toBe(4)
    await gateway.connectionOf(device, (row) => row.refused_reason?.startsWith('wrong_key: ') === true)
  })

  test('MQTT 3.1 is served', async () => {
    const device = await gateway.makeDevice()
    expect(await connackOf(device, { protocolVersion: 3, protocolId: 'MQIsdp' })).toBe(0)
  })

  test('without a client id only for a clean session [MQTT-3.1.3-8]', async () => {
    const device = await gateway.makeDevice()
    expect(await connackOf(device, { clientId: '', clean: true })).toBe(0)
    // No library would send it: the flags are in the tenth byte.
    const bytes = generate(connectPacket(device, { clientId: '', clean: true }))
    bytes[9]! &= ~2
    const client = await gateway.raw()
    client.write(bytes)
    expect(await client.next()).toMatchObject({ cmd: 'connack', returnCode: 2 })
  })

  test('a will passes the same rule as a message [docs/mqtt#access-rule]', async () => {
    const device = await gateway.makeDevice()
    const will = (topic: string) => ({
      will: { topic, payload: Buffer.from('{}'), qos: 1 as const, retain: false },
    })
    expect(await connackOf(device, will(`devices/${device.id}/telemetry`))).toBe(0)
    expect(await connackOf(device, will('devices/other/telemetry'))).toBe(5)
    expect(await connackOf(device, will(`devices/${device.id}/#`))).toBe('closed')
    expect(await connackOf(device, will('$SYS/x'))).toBe(5)
    await gateway.connectionOf(
      device,
      (row) => row.refused_reason?.startsWith('topic_not_allowed: The will ') === true,
    )
  })

  test('many at once', async () => {
    const devices = await Promise.all(Array.from({ length: 50 }, () => gateway.makeDevice()))
    expect(await Promise.all(devices.map((device) => connackOf(device)))).toEqual(devices.map(() => 0))
  })
})

test('while the database is away a device hears "server unavailable", and can sign in once it is back', async () => {
  const device = await gateway.makeDevice()
  const database = await gateway.loseDatabase()
  expect(await connackOf(device)).toBe(3)
  await database.back()
  expect(await connackOf(device)).toBe(0)
})
