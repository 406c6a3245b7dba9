import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  connectPacket,
  type RawOptions,
  startGateway,
  type TestGateway,
} from '../../../test/harness/gateway.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startGateway()
})
afterAll(() => gateway[Symbol.asyncDispose]())

/** The stored attempts of a device, oldest first. */
async function listAttempts(deviceId: string): Promise<string[]> {
  await gateway.ctx.attempts.flush()
  const rows = await gateway.ctx.db
    .selectFrom('onboarding_attempts')
    .selectAll()
    .where('device_id', '=', deviceId)
    .orderBy('last_at')
    .execute()
  return rows.map(({ tenant_id, outcome, count, address, steps }) =>
    [tenant_id, outcome, count, address, ...steps.map(({ code }) => code)].join(' '),
  )
}

async function attempt(packet: ReturnType<typeof connectPacket>) {
  const client = await gateway.raw()
  client.send(packet)
  await Promise.race([client.next(), client.closed])
  client.socket.destroy()
}

test('the steps of a sign-in are recorded, for MQTT 3.1.1 as for 5 [docs/onboarding#decision-trace]', async () => {
  for (const protocolVersion of [4, 5] as const) {
    const device = await gateway.makeDevice()
    const send = (options: RawOptions) => attempt(connectPacket(device, { protocolVersion, ...options }))
    await send({})
    await send({})
    await send({ password: Buffer.from('wrong') })
    await send({
      will: { topic: 'devices/other/telemetry', payload: Buffer.from('{}'), qos: 1, retain: false },
    })
    await gateway.database.pool.query('update provider_clients set enabled = false where number = $1', [
      device.number,
    ])
    await send({})
    expect(await listAttempts(device.id)).toEqual([
      'default succeeded 2 127.0.0.1 client_found client_key_accepted client_enabled session_opened',
      'default refused 1 127.0.0.1 client_found client_key_wrong',
      'default refused 1 127.0.0.1 client_found client_key_accepted client_enabled will_not_allowed',
      'default refused 1 127.0.0.1 client_found client_key_accepted client_disabled',
    ])
  }
})

test('an unknown device is found by its user name, and without one by its client id', async () => {
  const device = { ...(await gateway.makeDevice()), id: 'unknown-device' }
  await attempt(connectPacket(device))
  await attempt(connectPacket(device, { username: undefined, password: undefined, clientId: 'nameless' }))
  expect(await listAttempts('unknown-device')).toEqual([' refused 1 127.0.0.1 client_unknown'])
  expect(await listAttempts('nameless')).toEqual([' refused 1 127.0.0.1 client_unknown'])
})

test('sign-ins are written when the server stops', async () => {
  const device = await gateway.makeDevice()
  await attempt(connectPacket(device))
  await gateway.restart()
  expect(await listAttempts(device.id)).toHaveLength(1)
})
