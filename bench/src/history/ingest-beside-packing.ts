/** Measures what ingest loses while the job of the same server packs closed days. */
import { addJob } from '@gangway/server/dist/jobs/add-job.js'
import { PACK_SAMPLES, RUN_LOCK } from '@gangway/server/dist/timeseries/storage/packed/pack-samples.js'
import type { Bench } from '../bench-case.ts'
import { startProgram } from '../child.ts'
import { compare, type Finding } from '../measure/finding.ts'
import { interleave } from '../measure/interleave.ts'
import { insertDevices } from '../platform/devices.ts'
import { createHistoryWriter } from '../platform/history-writer.ts'
import type { Platform } from '../platform/start.ts'
import type { FleetProgram } from '../programs/fleet.ts'
import { countPacked } from './gangway.ts'
import { createSensors, SAMPLES_A_DAY } from './sensors.ts'

const CONNECTIONS = 100
const WINDOW = 80
const ROUNDS = 5
const ROUND_SECONDS = 4
const WARM_UP_SECONDS = 2
const DAY_MS = 86_400_000
/** Devices whose days wait to be packed, 8,640,000 values a day. */
const WAITING_DEVICES = 100
/** The next day is added when fewer values are left. */
const MIN_WAITING = 4_000_000

/** @param beforeMs start of the day before which days are added to be packed */
export async function measureIngestBesidePacking(
  bench: Bench,
  platform: Platform,
  beforeMs: number,
): Promise<Finding> {
  const devices = await insertDevices(platform, CONNECTIONS)
  const fleet = await bench.use(startProgram<FleetProgram>('fleet'))
  await fleet.call('connect', platform.server().mqttPort, devices)
  const publish = async (seconds = ROUND_SECONDS) =>
    (await fleet.call('publishInWindow', WINDOW, seconds)).messagesPerSecond
  await publish(WARM_UP_SECONDS)
  const keepWaiting = await createWaitingDays(platform, beforeMs)
  let resume = await pausePacking(platform)
  let packedValues = 0
  const measured = await interleave(bench, ROUNDS, {
    alone: () => publish(),
    packing: async () => {
      await keepWaiting()
      const before = await countPacked(platform)
      await resume()
      await addJob(platform.db, PACK_SAMPLES, {}, { key: PACK_SAMPLES })
      const messagesPerSecond = await publish()
      packedValues += (await countPacked(platform)) - before
      resume = await pausePacking(platform)
      return messagesPerSecond
    },
  })
  await resume()
  if (packedValues === 0) throw new Error('nothing was packed while devices were sending')
  return compare({
    measure: 'ingest while days are packed',
    unit: 'messages/s',
    better: 'more',
    rounds: measured.packing,
    baseline: { name: 'without packing', rounds: measured.alone },
    goal: { ratioAtLeast: 0.9 },
    details: { packedValuesPerSecond: packedValues / ROUNDS / ROUND_SECONDS },
  })
}

/** @returns a function that makes sure that enough values are waiting to be packed */
async function createWaitingDays(platform: Platform, beforeMs: number) {
  const write = await createHistoryWriter(platform)
  const sensors = createSensors(Array.from({ length: WAITING_DEVICES }, (_, index) => `waiting-${index}`))
  const packedBefore = await countPacked(platform)
  let [nextMs, added] = [beforeMs, 0]
  return async () => {
    if (added - ((await countPacked(platform)) - packedBefore) >= MIN_WAITING) return
    nextMs -= DAY_MS
    for (const sensor of sensors) {
      const samples = sensor.read(nextMs, SAMPLES_A_DAY)
      await write([samples])
      added += samples.columns.length * SAMPLES_A_DAY
    }
  }
}

/** Waits for the present turn of the job; later ones find the lock taken, and end. */
async function pausePacking({ pool }: Platform): Promise<() => Promise<void>> {
  const client = await pool.connect()
  await client.query('select pg_advisory_lock($1)', [RUN_LOCK])
  return async () => {
    await client.query('select pg_advisory_unlock($1)', [RUN_LOCK])
    client.release()
  }
}
