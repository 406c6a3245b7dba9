/**
 * Measures how the cost of a message and of a query grows with series, tenants and stored values: a server with more of
 * one of them, in turn with a small one.
 */
import type { Bench, BenchCase } from '../bench-case.ts'
import { growSeries, growTenants, growValues, startSmall, type World } from '../history/worlds.ts'
import { ask } from '../http/ask.ts'
import { compare, type Finding } from '../measure/finding.ts'
import { interleave } from '../measure/interleave.ts'
import { readTreeSeconds } from '../measure/process-tree.ts'
import { median } from '../measure/statistics.ts'

const ROUNDS = 5
const ROUND_SECONDS = 1.5
const WARM_UP_SECONDS = 5
const QUESTIONS_A_ROUND = 8
/** A larger server was started just now, and the small one has answered the steps before: hot functions have to be compiled in both. */
const WARM_UP_QUESTIONS = 100
const MESSAGES_IN_FLIGHT = 4000
/** Flat within 20%. */
const GOAL = { ratioAtLeast: 0.8 }
const MIB = 1024 * 1024

/** On a busy machine later steps are left out, so that the earlier ones count. */
const LAST_START_SECONDS = 210

type Grow = (bench: Bench) => Promise<World>

interface Step {
  name: string
  grow: Grow
  isLarge?: boolean
}

const steps: Step[] = [
  { name: '10,000 series', grow: (bench) => growSeries(bench, 1000) },
  { name: '10 million values', grow: (bench) => growValues(bench, 10_000_000) },
  { name: '10 tenants', grow: (bench) => growTenants(bench, 10) },
  { name: '100,000 series', grow: (bench) => growSeries(bench, 10_000), isLarge: true },
  { name: '100 tenants', grow: (bench) => growTenants(bench, 100), isLarge: true },
  { name: '100 million values', grow: (bench) => growValues(bench, 100_000_000), isLarge: true },
  { name: '500 million values', grow: (bench) => growValues(bench, 500_000_000), isLarge: true },
]

export const growth: BenchCase = {
  name: 'growth',
  about: "cost of a message, a day's query and memory with more series, tenants and values, against few",
  maxSeconds: 360,
  maxSecondsLarge: 4 * 3600,
  isOnRequest: true,
  async run(bench) {
    const startedMs = performance.now()
    const small = await startSmall(bench)
    const findings: Finding[] = []
    for (const { name, grow, isLarge = false } of steps) {
      if (isLarge && !bench.sizes.isLarge) continue
      if (!bench.sizes.isLarge && performance.now() - startedMs > LAST_START_SECONDS * 1000) {
        bench.progress(`${name} is left out: there is not enough time`)
        continue
      }
      const large = await grow(bench)
      bench.progress(`${large.size}, against ${small.size}`)
      findings.push(...(await measure(bench, { small, large })))
      await large.stop()
    }
    return findings
  },
}

async function measure(bench: Bench, { small, large }: { small: World; large: World }): Promise<Finding[]> {
  const baseline = small.size
  for (const world of [small, large]) {
    await publish(world, WARM_UP_SECONDS)
    await askQuestions(world, WARM_UP_QUESTIONS)
  }
  bench.progress('microseconds of processor time for a message')
  const messages = await interleave(bench, ROUNDS, {
    large: () => publish(large, ROUND_SECONDS),
    small: () => publish(small, ROUND_SECONDS),
  })
  bench.progress('milliseconds for a day to averages of 5 minutes')
  const queries = await interleave(bench, ROUNDS, {
    large: () => askQuestions(large, QUESTIONS_A_ROUND),
    small: () => askQuestions(small, QUESTIONS_A_ROUND),
  })
  const memory = { large: await readMemory(large), small: await readMemory(small) }
  const finding = (measured: string, unit: string, rounds: Record<'large' | 'small', number[]>) =>
    compare({
      // Fewer connections than wanted may be affordable here.
      measure: `${measured}, ${large.size}`,
      unit,
      better: 'less',
      rounds: rounds.large,
      baseline: { name: baseline, rounds: rounds.small },
    })
  return [
    { ...finding('processor time for a message', 'µs', messages), goal: GOAL },
    { ...finding("a day's query, p50", 'ms', queries), goal: GOAL },
    finding('memory of the server', 'MiB', { large: [memory.large], small: [memory.small] }),
  ]
}

/** Microseconds of the server and PostgreSQL for a message: the clock would also count what else the machine does. */
async function publish(world: World, seconds: number): Promise<number> {
  const { platform, fleet, connections } = world
  const read = async () =>
    (await readTreeSeconds(platform.server().process.pid!)) + (await readTreeSeconds(platform.databasePid))
  const before = await read()
  const window = Math.max(1, Math.round(MESSAGES_IN_FLIGHT / connections))
  const { messages } = await fleet.call('publishInWindow', window, seconds)
  const cpuSeconds = (await read()) - before
  // A clock that stood still says nothing about the messages.
  return cpuSeconds > 0 ? (cpuSeconds / messages) * 1e6 : publish(world, seconds)
}

/** Milliseconds until the answer, p50. */
async function askQuestions({ makeRequest }: World, questions: number): Promise<number> {
  const millis: number[] = []
  for (let question = 0; question < questions; question++) millis.push((await ask(makeRequest(question))).ms)
  return median(millis)
}

const readMemory = async ({ platform }: World) => (await platform.server().call('memory')).rss / MIB
