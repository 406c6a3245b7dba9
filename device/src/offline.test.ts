import { expect, test, vi } from 'vitest'
import type { TestBroker } from '../test/broker.ts'
import { startBroker } from '../test/broker.ts'
import { nextEvent } from '../test/next-event.ts'
import { quickClock } from '../test/quick-clock.ts'
import { connect } from './connect.ts'

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

/** A free port, on which the broker starts later. */
async function closedPort(): Promise<number> {
  await using broker = await startBroker()
  return broker.port
}
const connectTo = (port: number, maxMessages?: number) =>
  connect({
    host: '127.0.0.1',
    port,
    deviceId: 'pump-7',
    primaryKey: 'key',
    clock: quickClock(),
    buffer: { ...(maxMessages && { maxMessages }) },
  })
const numbers = (broker: TestBroker) => broker.received.map(({ body }) => body.n)
const range = (count: number, from = 0) => Array.from({ length: count }, (_, index) => from + index)

test('messages sent while the broker is down arrive in order, with the time of the call', async () => {
  const port = await closedPort()
  await using device = connectTo(port)
  const failed = nextEvent(device, 'error')
  const before = Date.now()
  const sent = range(300).map((n) => device.sendTelemetry({ n }))
  sent.push(device.reportProperties({ n: 300 }))
  const after = Date.now()
  expect(await failed).toMatchObject({ code: 'connection_failed' })
  expect(device.pendingMessages).toBe(301)

  await using broker = await startBroker({ port })
  await Promise.all(sent)
  expect(device.pendingMessages).toBe(0)
  expect(numbers(broker)).toEqual(range(301))
  expect(broker.received.at(-1)).toEqual({ topic: 'devices/pump-7/twin/reported', body: { n: 300 } })
  for (const { body } of broker.received.slice(0, 300)) {
    expect(body.timestamp).toMatch(TIME)
    const time = Date.parse(String(body.timestamp))
    expect(time >= before && time <= after).toBe(true)
  }
})

test('a full buffer drops the oldest messages and reports their number', async () => {
  const port = await closedPort()
  await using device = connectTo(port, 5)
  let dropped = 0
  device.on('dropped', ({ count, reason }) => {
    expect(reason).toBe('buffer_full')
    dropped += count
  })
  const sent = range(8).map((n) => device.sendTelemetry({ n }))
  expect(dropped).toBe(3)
  await using broker = await startBroker({ port })
  const results = await Promise.allSettled(sent)
  expect(results.map(({ status }) => status)).toEqual([
    ...Array.from({ length: 3 }, () => 'rejected'),
    ...Array.from({ length: 5 }, () => 'fulfilled'),
  ])
  await expect(sent[0]).rejects.toMatchObject({ code: 'dropped' })
  expect(numbers(broker)).toEqual(range(5, 3))
})

test('a broker that stops before it acknowledges receives the same bytes again after its restart', async () => {
  const seen: string[] = []
  const mute = await startBroker({
    // Acknowledges three messages and then drops the others without PUBACK.
    takesMessage(payload) {
      seen.push(payload)
      return seen.length <= 3
    },
  })
  const { port } = mute
  await using device = connectTo(port)
  const sent = range(10).map((n) => device.sendTelemetry({ n }))
  await Promise.all(sent.slice(0, 3))
  await vi.waitFor(() => expect(seen.length).toBeGreaterThan(3), { interval: 2 })
  const lost = nextEvent(device, 'disconnected')
  await mute.stop()
  expect(await lost).toMatchObject({ code: 'connection_lost' })
  expect(device.isConnected).toBe(false)

  await using broker = await startBroker({ port })
  await Promise.all(sent)
  expect(numbers(mute)).toEqual([0, 1, 2])
  expect(numbers(broker)).toEqual(range(7, 3))
  expect(JSON.stringify(broker.received[0]?.body)).toBe(seen[3])
})

test('while the broker is down, the device keeps trying until it is closed', async () => {
  const broker = await startBroker()
  const device = connectTo(broker.port)
  await nextEvent(device, 'connected')
  await broker.stop()
  expect(await nextEvent(device, 'retrying', ({ failures }) => failures === 3)).toMatchObject({
    delayMs: 2_000,
    reason: { code: 'connection_failed' },
  })
  const unsent = device.sendTelemetry({ n: 1 })
  const dropped = nextEvent(device, 'dropped')
  await device.close()
  expect(await dropped).toEqual({ count: 1, reason: 'closed' })
  await expect(unsent).rejects.toMatchObject({ code: 'closed' })
})
