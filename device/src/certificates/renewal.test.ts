import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { EstPlatform } from '../../test/est-platform.ts'
import { DAY_MS, LIFE_MS, startEstPlatform } from '../../test/est-platform.ts'
import { createFlashDisk } from '../../test/flash-disk.ts'
import type { ManualClock } from '../../test/manual-clock.ts'
import { manualClock } from '../../test/manual-clock.ts'
import type { Device, DeviceEvents } from '../index.ts'
import { connect } from '../connect.ts'
import type { EnrollOptions } from './enroll.ts'
import { enroll } from './enroll.ts'
import { renewAtMs } from './renewal-time.ts'
import { createDirectoryStore } from './store.ts'

const HOUR_MS = 3_600_000
const NAMES = ['connected', 'disconnected', 'renewed', 'renewal_failed', 'error'] as const

let platform: EstPlatform
let clock: ManualClock
let options: EnrollOptions
let events: { name: string; event: unknown }[]
let device: Device | undefined

beforeEach(async () => {
  clock = manualClock(Date.now())
  platform = await startEstPlatform(clock.now)
  const { estUrl, ca } = platform
  const store = createDirectoryStore('/identity', createFlashDisk().files)
  options = { estUrl, ca, deviceId: 'pump-7', bootstrapKey: 'c2VjcmV0', store, clock }
  events = []
})
afterEach(async () => {
  await device?.close()
  await platform[Symbol.asyncDispose]()
})

async function start(): Promise<Device> {
  const identity = await enroll(options)
  const started = connect({
    host: '127.0.0.1',
    port: platform.broker.port,
    deviceId: 'pump-7',
    identity,
    clock,
  })
  for (const name of NAMES)
    started.on(name, (event: DeviceEvents[typeof name]) => void events.push({ name, event }))
  device = started
  return started
}

const seen = (name: (typeof NAMES)[number]) =>
  events.filter((event) => event.name === name).map(({ event }) => event)

/** Moves the clock hour by hour, as the running sleeps require it. */
async function pass(ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= HOUR_MS) {
    await vi.waitFor(() => expect(clock.sleeping().length).toBeGreaterThan(0), { interval: 1 })
    clock.advance(Math.min(left, HOUR_MS))
    await new Promise((resolve) => setImmediate(resolve))
  }
}

/** Advances the clock until the check succeeds, since the device may have been asleep before a response arrived. */
const passUntil = (check: () => void) =>
  vi.waitFor(async () => {
    try {
      check()
    } catch (error) {
      await pass(HOUR_MS)
      throw error
    }
  })

test('renews at two thirds of the life, and exchanges the certificate once the new one has connected', async () => {
  await start()
  await vi.waitFor(() => expect(platform.connected).toHaveLength(1))
  await pass(59 * DAY_MS)
  expect(platform.requests).toHaveLength(1)
  await pass(2 * DAY_MS)
  await passUntil(() => expect(seen('renewed')).toHaveLength(1))
  const [first, second] = platform.issued
  expect(platform.requests[1]).toMatchObject({ operation: 'simplereenroll', identity: first })
  expect(platform.connected).toEqual([first, second])
  expect(seen('disconnected')).toMatchObject([{ code: 'renewed' }])
  expect(seen('renewed')).toMatchObject([{ serialNumber: second }])
  expect((await enroll(options)).candidates()).toMatchObject([{ isNext: false }])
  await device!.sendTelemetry({ t: 1 })
})

test('certificates of one day are spread by a tenth of the life around two thirds of it', async () => {
  const identity = await enroll(options)
  const startMs = Date.parse(identity.candidates()[0]!.certificate.validFrom)
  const share = (random: number) => (renewAtMs(identity, random) - startMs) / LIFE_MS
  expect(share(0)).toBeCloseTo(2 / 3 - 0.05)
  expect(share(1)).toBeCloseTo(2 / 3 + 0.05)
})

test('a refused renewal leaves the certificate in use, is reported, and is repeated later and later', async () => {
  await enroll(options)
  options = { ...options, bootstrapKey: undefined }
  await start()
  await vi.waitFor(() => expect(platform.connected).toHaveLength(1))
  const reply = { status: 403, body: 'forbidden: disabled' }
  platform.replies = [reply, reply, { status: 503, body: '' }]
  await pass(61 * DAY_MS)
  expect(seen('renewal_failed')).toMatchObject([
    { status: 403, code: 'forbidden', message: 'disabled', retryInMs: 0.75 * HOUR_MS },
    { status: 403, retryInMs: 1.5 * HOUR_MS },
    { status: 503, code: 'http_503', retryInMs: 500 },
  ])
  await passUntil(() => expect(seen('renewed')).toHaveLength(1))
  expect(seen('disconnected')).toMatchObject([{ code: 'renewed' }])
  const operations = platform.requests.map(({ operation }) => operation)
  expect(operations).toEqual(['simpleenroll', ...Array(4).fill('simplereenroll')])
})

test('a device whose renewal is refused enrolls with its bootstrap key', async () => {
  await start()
  await vi.waitFor(() => expect(platform.connected).toHaveLength(1))
  platform.replies = [{ status: 401, body: '' }]
  await pass(61 * DAY_MS)
  await passUntil(() => expect(seen('renewed')).toHaveLength(1))
  expect(platform.requests.slice(1)).toMatchObject([
    { operation: 'simplereenroll' },
    { operation: 'simpleenroll', identity: 'pump-7:c2VjcmV0' },
  ])
})

test('a new certificate that the broker refuses is deleted, and the old one stays in use', async () => {
  await start()
  await vi.waitFor(() => expect(platform.connected).toHaveLength(1))
  platform.refuses = (serial) => serial === platform.issued[1]
  await pass(60 * DAY_MS)
  await vi.waitFor(() => expect(platform.connected).toHaveLength(2))
  const [first] = platform.issued
  expect(platform.connected).toEqual([first, first])
  expect(seen('error')).toMatchObject([{ code: 'credentials_refused' }])
  await pass(DAY_MS)
  await passUntil(() => expect(seen('renewed')).toMatchObject([{ serialNumber: platform.issued[2] }]))
})

test('a certificate that the broker refuses is renewed before its time', async () => {
  const identity = await enroll(options)
  const [first] = platform.issued
  platform.refuses = (serial) => serial === first
  platform.replies = [{ status: 403, body: '' }]
  expect(identity.candidates()).toHaveLength(1)
  await start()
  await vi.waitFor(() => expect(platform.issued).toHaveLength(2))
  await pass(HOUR_MS)
  await passUntil(() => expect(seen('renewed')).toMatchObject([{ serialNumber: platform.issued[1] }]))
})

test('an offline device with a new certificate that expired requests another', async () => {
  await start()
  await vi.waitFor(() => expect(platform.connected).toHaveLength(1))
  platform.refuses = () => true
  await pass(60 * DAY_MS)
  await passUntil(() => expect(platform.issued).toHaveLength(2))
  clock.advance(2 * LIFE_MS)
  await pass(2 * DAY_MS)
  platform.refuses = () => false
  await pass(2 * DAY_MS)
  await passUntil(() => expect(seen('renewed')).toHaveLength(1))
  expect(platform.connected).not.toContain(platform.issued[1])
})

test('a store that cannot be written is reported, and the device stays connected', async () => {
  const disk = createFlashDisk()
  options = { ...options, store: createDirectoryStore('/identity', disk.files) }
  await start()
  await vi.waitFor(() => expect(platform.connected).toHaveLength(1))
  disk.cutAfter(0)
  await pass(60 * DAY_MS)
  await passUntil(() => expect(seen('renewal_failed').length).toBeGreaterThan(0))
  expect(seen('renewal_failed')[0]).toMatchObject({ status: null, code: 'store_failed' })
  expect(device!.isConnected).toBe(true)
})
