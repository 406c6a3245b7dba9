/** Measures what a tenant notices of the first run that puts rollups in the place of years of another tenant's samples. */
import type { Bench, BenchCase } from '../bench-case.ts'
import { type Child, startProgram } from '../child.ts'
import { countPacked, createToken, type GangwayStore, openGangway } from '../history/gangway.ts'
import { startFirstRun } from '../history/first-run.ts'
import { createSensors, SAMPLES_A_DAY, SIGNALS } from '../history/sensors.ts'
import { ask } from '../http/ask.ts'
import { compare, type Finding } from '../measure/finding.ts'
import { interleave } from '../measure/interleave.ts'
import { median } from '../measure/statistics.ts'
import { deviceId, insertDevices } from '../platform/devices.ts'
import { createHistoryWriter } from '../platform/history-writer.ts'
import { type Platform, startPlatform } from '../platform/start.ts'
import type { FleetProgram } from '../programs/fleet.ts'

const LARGE_TENANT = 'large'
const LARGE_DEVICES = 40
/** Days of the large tenant are added for so long, at most. */
const FILL_MS = 100_000
const DAY_MS = 86_400_000
/** Older than the retention that the run has. */
const EXPIRED_DAYS = 100
const PREFIX = 'bench'
const CONNECTIONS = 50
/** A moderate rate: at a higher one, a busy machine is full without the run. */
const MESSAGES_PER_SECOND = 500
const WINDOW = 80
const WARM_UP_SECONDS = 3
const ROUNDS = 5
const ROUND_SECONDS = 5

export const retention: BenchCase = {
  name: 'retention',
  about: 'PUBACK and queries of a tenant while years of another one give way to rollups for the first time',
  maxSeconds: 900,
  isOnRequest: true,
  async run(bench) {
    const platform = await bench.use(startPlatform(bench))
    await platform.api().post('/v1/tenants', {
      id: LARGE_TENANT,
      displayName: 'Large',
      administrator: { displayName: 'A', email: 'admin@large.example', password: 'the large tenant 1' },
    })
    const token = await createToken(platform)
    const devices = await insertDevices(platform, CONNECTIONS, { prefix: PREFIX })
    // Its job would pack as well.
    await platform.server().stop()
    const gangway = await openGangway(bench, platform, token)
    const fromMs = await fill(bench, platform, gangway)
    await platform.restartServer()

    const fleet = await bench.use(startProgram<FleetProgram>('fleet'))
    await fleet.call('connect', platform.server().mqttPort, devices)
    await fleet.call('publishInWindow', WINDOW, WARM_UP_SECONDS)
    return measureRounds(bench, { platform, fleet, gangway, fromMs })
  },
}

/** Adds and packs days of the large tenant, and one of the other. @returns the start of the latter's day */
async function fill(bench: Bench, platform: Platform, gangway: GangwayStore): Promise<number> {
  const fromMs = (Math.floor(Date.now() / DAY_MS) - EXPIRED_DAYS) * DAY_MS
  await gangway.add(createSensors([deviceId(0, PREFIX)]).map((sensor) => sensor.read(fromMs, SAMPLES_A_DAY)))
  const write = await createHistoryWriter(platform, 'client', LARGE_TENANT)
  const sensors = createSensors(Array.from({ length: LARGE_DEVICES }, (_, index) => deviceId(index, 'large')))
  const startedMs = performance.now()
  for (let day = 1; performance.now() - startedMs < FILL_MS; day++) {
    await write(sensors.map((sensor) => sensor.read(fromMs - day * DAY_MS, SAMPLES_A_DAY)))
    await gangway.pack()
    bench.progress(`${day} days of ${LARGE_DEVICES * SIGNALS.length} series`)
  }
  return fromMs
}

interface World {
  platform: Platform
  fleet: Child<FleetProgram>
  gangway: GangwayStore
  fromMs: number
}

interface Round {
  pubackP50: number
  pubackP99: number
  query: number
  /** The longest time for which the event loop of the server was held. */
  hold: number
}

async function measureRounds(bench: Bench, world: World): Promise<Finding[]> {
  const { platform } = world
  const run = startFirstRun(platform, LARGE_TENANT)
  const [alone, beside]: [Round[], Round[]] = [[], []]
  let rolledUp = 0
  const add = async (rounds: Round[]) => {
    rounds.push(await measureRound(world))
    return rounds.at(-1)!.pubackP99
  }
  await measureRound(world)
  await interleave(bench, ROUNDS, {
    alone: () => add(alone),
    'beside the run': async () => {
      const before = await countPacked(platform)
      await run.resume()
      const p99 = await add(beside)
      rolledUp += before - (await countPacked(platform))
      await run.pause()
      return p99
    },
  })
  if ((await countPacked(platform)) <= SAMPLES_A_DAY * SIGNALS.length)
    throw new Error('the run ended before the last round')
  const details = {
    rolledUpValuesPerSecond: rolledUp / ROUNDS / ROUND_SECONDS,
    messagesPerSecond: MESSAGES_PER_SECOND,
  }
  const finding = (measure: string, of: keyof Round, ratioAtLeast: number) =>
    compare({
      measure: `${measure} while another tenant's samples give way to rollups`,
      unit: 'ms',
      better: 'less',
      rounds: beside.map((round) => round[of]),
      baseline: { name: 'without the run', rounds: alone.map((round) => round[of]) },
      goal: { ratioAtLeast },
      details,
    })
  return [
    finding('PUBACK p50', 'pubackP50', 0.67),
    finding('PUBACK p99', 'pubackP99', 0.5),
    finding('a day of a signal to averages of 5 minutes', 'query', 0.67),
    finding('longest hold of the event loop', 'hold', 0.5),
  ]
}

/** Devices publish and a question is asked again and again, at the same time. */
async function measureRound({ platform, fleet, gangway, fromMs }: World): Promise<Round> {
  const question = { device: deviceId(0, PREFIX), signal: SIGNALS[0]!, fromMs, toMs: fromMs + DAY_MS }
  const request = gangway.makeRequest({ ...question, bucketMs: 300_000 })
  await platform.server().call('longestHold')
  const publishing = fleet.call('publishAtRate', MESSAGES_PER_SECOND, ROUND_SECONDS)
  const millis: number[] = []
  for (const untilMs = performance.now() + ROUND_SECONDS * 1000; performance.now() < untilMs;)
    millis.push((await ask(request)).ms)
  const { p50Ms, p99Ms } = await publishing
  const { cpuMs: hold } = await platform.server().call('longestHold')
  return { pubackP50: p50Ms, pubackP99: p99Ms, query: median(millis), hold }
}
