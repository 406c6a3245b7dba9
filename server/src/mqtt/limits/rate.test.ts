import type { IPublishPacket, Packet } from 'mqtt-packet'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startGateway, type TestDevice, type TestGateway } from '../../../test/harness/gateway.ts'
import { type RateBucket, takeTokens, waitMs } from './rate-bucket.ts'
import { listLimitEvents } from './store.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startGateway({ GANGWAY_MQTT_RATE: '20 packets, 100 KiB' })
})
afterAll(() => gateway[Symbol.asyncDispose]())

const telemetry = (device: TestDevice, messageId: number, options: Partial<IPublishPacket> = {}): Packet => ({
  cmd: 'publish',
  topic: `devices/${device.id}/telemetry`,
  payload: JSON.stringify({ a: messageId }),
  qos: 1,
  messageId,
  dup: false,
  retain: false,
  ...options,
})

const ledgerOf = (device: TestDevice) => listLimitEvents(gateway.ctx.db, device.number)

test('before MQTT 5 acknowledgements come later, and no message is lost; a device of another tenant is not slowed', async () => {
  const [device, other] = [await gateway.makeDevice(), await gateway.makeStranger()]
  const client = await gateway.raw(device)
  const bystander = await gateway.raw(other)
  const sinceMs = performance.now()
  for (let index = 1; index <= 60; index++) client.send(telemetry(device, index))
  for (let index = 1; index <= 60; index++)
    expect(await client.next()).toMatchObject({ cmd: 'puback', messageId: index })
  // 20 at once, and as many once more for the quiet second before; the others wait.
  expect(performance.now() - sinceMs).toBeGreaterThan(900)
  expect(await gateway.samplesOf(device)).toHaveLength(60)
  await expect
    .poll(() => ledgerOf(device))
    .toMatchObject([{ limit_name: 'packets_per_second', outcome: 'delayed' }])

  // These messages take 20 seconds.
  for (let index = 61; index <= 500; index++) client.send(telemetry(device, index))
  for (let index = 1; index <= 10; index++) {
    bystander.send(telemetry(other, index))
    await bystander.next()
  }
  expect(await gateway.samplesOf(other)).toHaveLength(10)
  expect((await gateway.samplesOf(device)).length).toBeLessThan(500)
  expect(await ledgerOf(other)).toEqual([])
  client.socket.destroy()
})

test('on MQTT 5 a message over the rate is refused with the time after which to send it again', async () => {
  const device = await gateway.makeDevice()
  const client = await gateway.connect(device, { protocolVersion: 5 })
  const topic = `devices/${device.id}/telemetry`
  const results = await Promise.allSettled(
    Array.from({ length: 60 }, (_, index) => client.publishAsync(topic, `{"b":${index}}`, { qos: 1 })),
  )
  const refused = results.filter(({ status }) => status === 'rejected')
  expect(refused.length).toBeGreaterThan(0)
  expect(refused[0]).toMatchObject({ reason: { code: 0x97 } })
  expect(await gateway.samplesOf(device)).toHaveLength(60 - refused.length)
  await expect
    .poll(() => ledgerOf(device))
    .toContainEqual(
      expect.objectContaining({
        limit_name: 'packets_per_second',
        outcome: 'refused',
        count: `${refused.length}`,
      }),
    )
  await client.endAsync()
})

test('bytes count over all sessions of a device, and one that connects again has no new bucket', async () => {
  const device = await gateway.makeDevice()
  const payload = JSON.stringify({ text: 'x'.repeat(150_000) })
  const sinceMs = performance.now()
  for (let index = 1; index <= 3; index++) {
    const client = await gateway.raw(device, { clientId: `session-${index}` })
    client.send(telemetry(device, 1, { payload }))
    await client.next()
    client.socket.destroy()
    await client.closed
  }
  expect(performance.now() - sinceMs).toBeGreaterThan(400)
  await expect
    .poll(() => ledgerOf(device))
    .toMatchObject([{ limit_name: 'bytes_per_second', outcome: 'delayed' }])
})

test('a packet that is larger than the bucket passes, and leaves a debt', () => {
  const bucket: RateBucket = {
    rate: { packets: 10, bytes: 1000 },
    packets: 10,
    bytes: 1000,
    refusals: 10,
    filledMs: performance.now(),
    isRefusing: false,
  }
  expect(takeTokens(bucket, 500, false)).toBe(true)
  expect(takeTokens(bucket, 5000, false)).toBe(false)
  expect(bucket.isRefusing).toBe(false)
  expect(waitMs(bucket)).toBeGreaterThan(4000)
  // Messages are refused up to the number of packets in the rate, and delayed after that.
  let refusals = 1
  while (takeTokens(bucket, 500, true)) refusals++
  expect(bucket.isRefusing).toBe(true)
  // The bucket fills up meanwhile.
  expect(refusals).toBeGreaterThanOrEqual(10)
  expect(refusals).toBeLessThan(20)
})
