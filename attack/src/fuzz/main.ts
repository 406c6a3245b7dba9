/**
 * `npm run fuzz`: sends valid packets that were mutated, from thousands of connections over TCP, WebSocket and TLS, and
 * fails if the server crashes, grows, leaks connections or logs an error, or if a device of another tenant notices it.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Bounds, boundsBeside } from '../attack.ts'
import { type Measured, measureDuring } from '../measure.ts'
import { formatLine, missedBounds } from '../report.ts'
import type { DeviceAccount } from '../tenant.ts'
import { startWorld, type World } from '../world.ts'
import { makeCase } from './make-case.ts'
import { type FuzzOptions, readOptions, usage } from './options.ts'
import { runCase } from './run-case.ts'
import { findLeftovers, readMetrics, type ServerWatch, watchServer } from './watch-server.ts'

/** More lanes would use both processors of a small machine, and every commit would wait for one. */
const LANES = 2
const DEVICES = 4
/** The cases run in parts, with a look at the memory after each. */
const PARTS = 3
const BOUNDS: Bounds = { heldMs: 50, p99Ms: 50, grownMb: 400 }
/** The cases store sessions, so that the control device waits for the same disk: commits vary by this factor. */
const DISK_FACTOR = 5
const QUIET_MS = 5000
/** Growth between the first part and the last, once garbage is collected. */
const MAX_HEAP_GROWTH_MB = 10
const MAX_RESIDENT_GROWTH_MB = 60
/** Descriptors that the server may hold besides connections: those of its database pool come and go. */
const SPARE_FILES = 20

interface Run {
  world: World
  watch: ServerWatch
  accounts: DeviceAccount[]
  bounds: Bounds
  nextSeed: number
  lastSeed: number
}

async function main(args: string[]): Promise<number> {
  const options = readOptions(args)
  if (options === 'help') {
    console.log(usage)
    return 0
  }
  await using world = await startWorld()
  const run = await prepare(world, options)
  const openFiles = (await readMetrics(world.url))('process_open_fds') + SPARE_FILES
  console.log(`The first case has the seed ${options.seed}.`)
  const memories: Memory[] = []
  const problems: string[] = []
  for (let part = 1; part <= PARTS && !run.watch.ended.aborted; part++) {
    problems.push(...(await runPart(run, part, options.seconds / PARTS)))
    if (run.watch.ended.aborted) break
    problems.push(...(await findLeftovers(world, openFiles)))
    memories.push(await readMemory(world))
  }
  problems.push(...run.watch.problems, ...findGrowth(memories))
  for (const problem of problems) console.log(`  MISSED: ${problem}`)
  const count = run.nextSeed - options.seed
  console.log(
    problems.length === 0
      ? `${count} cases, and the server withstood them.`
      : `${problems.length} problems in ${count} cases.`,
  )
  return problems.length === 0 ? 0 : 1
}

async function prepare(world: World, { seed, cases, untimed }: FuzzOptions): Promise<Run> {
  const accounts: DeviceAccount[] = []
  for (let index = 0; index < DEVICES; index++) {
    await world.attacker.makeDevice(`fuzz-${index}`)
    accounts.push(await world.attacker.getAccount(`fuzz-${index}`))
  }
  const lastSeed = cases === undefined ? Infinity : seed + cases
  await world.victim.makeDevice('quiet')
  const quiet = await measureDuring(world, await world.victim.getAccount('quiet'), () => sleep(QUIET_MS))
  console.log(formatLine('no cases', quiet))
  const timed = boundsBeside(quiet, BOUNDS, DISK_FACTOR)
  const bounds = untimed ? { ...timed, heldMs: Infinity, p99Ms: Infinity } : timed
  return { world, watch: watchServer(world), accounts, bounds, nextSeed: seed, lastSeed }
}

/** @returns what went wrong */
async function runPart(run: Run, part: number, seconds: number): Promise<string[]> {
  const { world } = run
  const control = `control-${part}`
  await world.victim.makeDevice(control)
  let measured: Measured
  try {
    measured = await orEnded(
      run.watch.ended,
      measureDuring(world, await world.victim.getAccount(control), () => runLanes(run, seconds)),
    )
  } catch (error) {
    return [(error as Error).message]
  }
  console.log(formatLine(`part ${part}`, measured))
  const stored = await countStored(world, control)
  return [
    ...missedBounds(measured, run.bounds),
    // A message may be stored whose acknowledgement was still under way at the end.
    ...(stored >= measured.messages
      ? []
      : [`${stored} samples of ${control} are stored, of ${measured.messages} acknowledged`]),
  ]
}

/** @throws if the server ends meanwhile */
async function orEnded<T>(ended: AbortSignal, work: Promise<T>): Promise<T> {
  const crashed = new Promise<never>((_, reject) =>
    ended.addEventListener('abort', () =>
      reject(new Error('The server ended; the cases under way are named above.')),
    ),
  )
  work.catch(() => {})
  return Promise.race([work, crashed])
}

async function runLanes(run: Run, seconds: number): Promise<void> {
  const { world, watch, accounts } = run
  const untilMs = performance.now() + seconds * 1000
  const underWay = new Set<number>()
  const { endpoints, mqttPort, mqttsPort } = world.server
  const ports = { tcp: mqttPort, tls: mqttsPort, web_socket: Number(new URL(endpoints.http).port) }
  watch.ended.addEventListener('abort', () => {
    if (underWay.size === 0) return
    console.log(
      `Cases under way: ${[...underWay].join(', ')}. One is replayed with: npm run fuzz -- --cases 1 --seed <seed>`,
    )
  })
  const lane = async () => {
    while (performance.now() < untilMs && run.nextSeed < run.lastSeed && !watch.ended.aborted) {
      const seed = run.nextSeed++
      underWay.add(seed)
      await runCase(ports, makeCase(seed, accounts))
      underWay.delete(seed)
    }
  }
  await Promise.all(Array.from({ length: LANES }, lane))
}

async function countStored({ pool }: World, deviceId: string): Promise<number> {
  const { rows } = await pool.query<{ stored: number }>(
    `select count(distinct r.numbers[s.slot])::int as stored from series s
     join sample_rows r on r.tenant_number = s.tenant_number and r.stream_number = s.stream_number
     where s.owner_id = $1 and s.name = 'count'`,
    [deviceId],
  )
  return rows[0]!.stored
}

interface Memory {
  heapMb: number
  residentMb: number
}

async function readMemory({ server }: World): Promise<Memory> {
  const { heapUsed, rss } = await server.call('memory')
  const memory = { heapMb: heapUsed / 1024 / 1024, residentMb: rss / 1024 / 1024 }
  console.log(`  heap ${memory.heapMb.toFixed(1)} MB, resident ${memory.residentMb.toFixed(0)} MB`)
  return memory
}

function findGrowth(memories: Memory[]): string[] {
  const [first, last] = [memories[0], memories.at(-1)]
  if (!first || !last) return []
  const heapMb = last.heapMb - first.heapMb
  const residentMb = last.residentMb - first.residentMb
  return [
    ...(heapMb > MAX_HEAP_GROWTH_MB ? [`the heap grew by ${heapMb.toFixed(1)} MB after the first part`] : []),
    ...(residentMb > MAX_RESIDENT_GROWTH_MB
      ? [`resident memory grew by ${residentMb.toFixed(0)} MB after the first part`]
      : []),
  ]
}

try {
  process.exitCode = await main(process.argv.slice(2))
} catch (error) {
  console.error(`The fuzzer stopped: ${(error as Error).stack}`)
  process.exitCode = 1
}
process.exit()
