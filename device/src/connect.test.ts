import { expect, test, vi } from 'vitest'
import type { TestBrokerOptions } from '../test/broker.ts'
import { startBroker } from '../test/broker.ts'
import { selfSignedCertificate } from '../test/certificate.ts'
import { nextEvent } from '../test/next-event.ts'
import { quickClock } from '../test/quick-clock.ts'
import { connect } from './connect.ts'

const pump = { host: '127.0.0.1', deviceId: 'pump-7', primaryKey: 'first' }

/** A broker that accepts one key, refuses others with this CONNACK, and records the attempts. */
function guarded(key: string, returnCode: number, seen: string[]): TestBrokerOptions {
  return {
    authenticate({ clientId, username, password }) {
      seen.push(`${clientId} ${username}:${password}`)
      return password?.toString() === key ? 0 : returnCode
    },
  }
}

test('connects as the device, and telemetry resolves once the broker has acknowledged it', async () => {
  const seen: string[] = []
  await using broker = await startBroker(guarded('first', 5, seen))
  await using device = connect({ ...pump, port: broker.port })
  expect(await nextEvent(device, 'connected')).toEqual({
    host: '127.0.0.1',
    port: broker.port,
    credential: 'primary',
  })
  expect(device.isConnected).toBe(true)
  await device.sendTelemetry({ temperature: 21 }, { timestamp: '2026-11-21T10:00:00.500Z' })
  expect(broker.received).toEqual([
    { topic: 'devices/pump-7/telemetry', body: { temperature: 21, timestamp: '2026-11-21T10:00:00.500Z' } },
  ])
  expect(seen).toEqual(['pump-7 pump-7:first'])
})

// [docs/mqtt#sign-in]
test.each([4, 5])(
  'after a primary key is refused with CONNACK %i, the secondary key is tried at once',
  async (returnCode) => {
    const seen: string[] = []
    await using broker = await startBroker(guarded('second', returnCode, seen))
    const clock = quickClock()
    await using device = connect({ ...pump, secondaryKey: 'second', port: broker.port, clock })
    const refused = nextEvent(device, 'error')
    expect(await nextEvent(device, 'connected')).toMatchObject({ credential: 'secondary' })
    expect(await refused).toMatchObject({ code: 'credentials_refused' })
    expect(clock.asked).toEqual([])
    expect(seen).toEqual(['pump-7 pump-7:first', 'pump-7 pump-7:second'])
  },
)

test('if both keys are refused, it waits and starts again with the primary key', async () => {
  const seen: string[] = []
  await using broker = await startBroker(guarded('third', 4, seen))
  await using device = connect({ ...pump, secondaryKey: 'second', port: broker.port, clock: quickClock() })
  device.on('error', () => undefined)
  await nextEvent(device, 'retrying', ({ failures }) => failures === 2)
  const passwords = seen.map((line) => line.split(':')[1])
  expect(passwords).toEqual(['first', 'second', 'first', 'second'])
})

test('speaks TLS with its own certificate authority, and refuses an unknown one', async () => {
  const tls = await selfSignedCertificate()
  await using broker = await startBroker({ tls })
  await using trusting = connect({ ...pump, port: broker.port, tls: { ca: tls.cert } })
  await trusting.sendTelemetry({ n: 1 })
  expect(broker.received).toHaveLength(1)

  await using wary = connect({ ...pump, port: broker.port, tls: true, clock: quickClock() })
  const error = await nextEvent(wary, 'error')
  expect(error).toMatchObject({ code: 'connection_failed', message: expect.stringContaining('self-signed') })
  expect(wary.isConnected).toBe(false)
})

test('shows a client certificate instead of a key', async () => {
  const tls = await selfSignedCertificate()
  const seen: unknown[] = []
  await using broker = await startBroker({
    tls: { ...tls, ca: tls.cert, requestCert: true, rejectUnauthorized: true },
    authenticate({ username, password }) {
      seen.push(username, password)
      return 0
    },
  })
  const withoutKey = { host: '127.0.0.1', port: broker.port, deviceId: 'pump-7' }
  await using device = connect({ ...withoutKey, tls: { ...tls, ca: tls.cert } })
  expect(await nextEvent(device, 'connected')).toMatchObject({ credential: 'certificate' })
  expect(seen.filter(Boolean)).toEqual([])
  expect(() => connect({ ...withoutKey, tls: { ca: tls.cert } })).toThrow('primaryKey')
})

test('a certificate that cannot be read is an error, not a crash', async () => {
  await using device = connect({
    ...pump,
    port: 1,
    tls: { cert: 'nonsense', key: 'nonsense' },
    clock: quickClock(),
  })
  expect(await nextEvent(device, 'error')).toMatchObject({ code: 'connection_failed' })
})

test('connecting to a broker that never answers fails after the time limit', async () => {
  await using broker = await startBroker({ authenticate: () => undefined })
  await using device = connect({ ...pump, port: broker.port, connectTimeoutMs: 20, clock: quickClock() })
  expect(await nextEvent(device, 'error')).toMatchObject({
    code: 'connection_failed',
    message: expect.stringContaining('within 20 ms'),
  })
})

test('a refused subscription is reported, and telemetry is still sent', async () => {
  await using broker = await startBroker({ refusesSubscriptions: true })
  await using device = connect({ ...pump, port: broker.port })
  const refused = nextEvent(device, 'error')
  await device.sendTelemetry({ n: 1 })
  expect(await refused).toMatchObject({ code: 'subscription_refused' })
  expect(broker.received).toHaveLength(1)
})

test('close sends waiting messages and DISCONNECT, and accepts no more messages', async () => {
  await using broker = await startBroker()
  const device = connect({ ...pump, port: broker.port })
  const disconnected = nextEvent(device, 'disconnected')
  const sent = [1, 2, 3].map((n) => device.sendTelemetry({ n }))
  await Promise.all([device.close(), device.close()])
  await Promise.all(sent)
  expect(broker.received.map(({ body }) => body.n)).toEqual([1, 2, 3])
  expect(await disconnected).toMatchObject({ code: 'closed' })
  await expect(device.sendTelemetry({ n: 4 })).rejects.toMatchObject({ code: 'closed' })
})

test('a message that cannot be sent is refused at the call', async () => {
  await using device = connect({ ...pump, port: 1, clock: quickClock() })
  device.on('error', () => undefined)
  await expect(device.sendTelemetry({ text: 'x'.repeat(1_000_000) })).rejects.toMatchObject({
    code: 'message_too_large',
  })
  await expect(device.reportProperties({ text: 'x'.repeat(1_000_000) })).rejects.toMatchObject({
    code: 'message_too_large',
  })
  expect(device.pendingMessages).toBe(0)
})

test('an error without a listener becomes one warning', async () => {
  const warn = vi.spyOn(process, 'emitWarning').mockReturnValue()
  await using device = connect({ ...pump, port: 1, clock: quickClock() })
  await nextEvent(device, 'retrying', ({ failures }) => failures === 2)
  expect(warn.mock.calls).toEqual([[expect.stringContaining("unheard 'error' event")]])
  warn.mockRestore()
})

test.each([
  [{ host: '' }],
  [{ port: 0 }],
  [{ deviceId: 'a/b' }],
  [{ deviceId: '..' }],
  [{ primaryKey: '' }],
  [{ keepaliveSeconds: 0 }],
  [{ buffer: { maxMessages: -1 } }],
])('refuses invalid options: %j', (wrong) => {
  expect(() => connect({ ...pump, port: 1883, ...wrong })).toThrow(TypeError)
})
