import { afterEach, describe, expect, test, vi } from 'vitest'
import type { EstPlatform } from '../../test/est-platform.ts'
import { LIFE_MS, startEstPlatform } from '../../test/est-platform.ts'
import type { FlashDisk, Loss } from '../../test/flash-disk.ts'
import { createFlashDisk, PowerCut } from '../../test/flash-disk.ts'
import type { ManualClock } from '../../test/manual-clock.ts'
import { manualClock } from '../../test/manual-clock.ts'
import { nextEvent } from '../../test/next-event.ts'
import { connect } from '../connect.ts'
import type { Device } from '../device.ts'
import { enroll } from './enroll.ts'
import { createDirectoryStore } from './store.ts'

const LOSSES: Loss[] = ['nothing', 'contents', 'everything']

interface Bench {
  platform: EstPlatform
  disk: FlashDisk
  clock: ManualClock
}

let opened: EstPlatform | undefined
afterEach(() => opened?.[Symbol.asyncDispose]())

async function createBench(): Promise<Bench> {
  const clock = manualClock(Date.now())
  opened = await startEstPlatform(clock.now)
  return { platform: opened, disk: createFlashDisk(), clock }
}

/** A device on another disk, unknown to the platform. */
function replaceDevice(bench: Bench): void {
  bench.disk = createFlashDisk()
  bench.platform.issued.length = 0
  bench.platform.connected.length = 0
}

const enrollDevice = ({ platform: { estUrl, ca }, disk, clock }: Bench) =>
  enroll({
    estUrl,
    ca,
    deviceId: 'pump-7',
    bootstrapKey: 'c2VjcmV0',
    store: createDirectoryStore('/identity', disk.files),
    clock,
  })

async function startDevice(bench: Bench): Promise<Device> {
  const identity = await enrollDevice(bench)
  const { port } = bench.platform.broker
  return connect({ host: '127.0.0.1', port, deviceId: 'pump-7', identity, clock: bench.clock })
}

/** Starts the device again without an EST server: only what it has stored counts. */
async function comesUp(bench: Bench): Promise<boolean> {
  const { platform } = bench
  const requests = platform.requests.length
  const device = await startDevice(bench)
  const isConnected = device.isConnected || Boolean(await nextEvent(device, 'connected'))
  await device.close()
  expect(platform.requests).toHaveLength(requests)
  return isConnected
}

describe.each(LOSSES)('after a power cut that loses %s of what was not synced, a device comes up', (loss) => {
  test('whichever file operation of its first enrollment was the last', async () => {
    const bench = await createBench()
    let isCut = true
    for (let operations = 0; isCut; operations++) {
      replaceDevice(bench)
      bench.disk.cutAfter(operations)
      isCut = await enrollDevice(bench).then(
        () => false,
        (error) => error instanceof PowerCut,
      )
      bench.disk.restart(loss)
      await enrollDevice(bench)
      expect(await comesUp(bench)).toBe(true)
      // The key is stored before the request is sent, so the repeated request gets the same certificate.
      expect(bench.platform.issued).toHaveLength(1)
    }
  })

  test('whichever file operation of a renewal was the last', async () => {
    const bench = await createBench()
    let isCut = true
    for (let operations = 0; isCut; operations++) {
      replaceDevice(bench)
      await enrollDevice(bench)
      expect(await comesUp(bench)).toBe(true)
      bench.clock.advance(LIFE_MS * 0.7)
      isCut = await renewUntilCut(bench, operations)
      bench.clock.advance(-LIFE_MS * 0.7)
      bench.disk.restart(loss)
      expect(await comesUp(bench)).toBe(true)
      expect(bench.platform.issued.length).toBeLessThanOrEqual(2)
    }
    expect(bench.platform.connected.at(-1)).toBe(bench.platform.issued[1])
  })
})

/** @returns whether the power was cut before the exchange was complete */
async function renewUntilCut(bench: Bench, operations: number): Promise<boolean> {
  const { disk } = bench
  const device = await startDevice(bench)
  let isRenewed = false
  device.on('renewed', () => (isRenewed = true))
  for (const name of ['error', 'renewal_failed'] as const) device.on(name, () => {})
  disk.cutAfter(operations)
  await vi.waitFor(() => expect(disk.isOff() || isRenewed).toBe(true), { interval: 2 })
  await device.close()
  return !isRenewed
}
