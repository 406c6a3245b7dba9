/**
 * Measures the points that the model of docs/scaling.md takes its parameters from and is checked by: PUBACK, processor time
 * and commits at several rates, directly and through the stream. `--json` writes them as they are kept in `figures/`.
 */
import type { Bench, BenchCase } from '../bench-case.ts'
import { type Child, startProgram } from '../child.ts'
import { readCpuSeconds } from '../measure/cpu-time.ts'
import { insertDevices } from '../platform/devices.ts'
import { readMetric } from '../platform/metrics.ts'
import type { BareAcknowledgementsProgram } from '../programs/bare-acknowledgements.ts'
import type { FleetProgram } from '../programs/fleet.ts'
import { type Cost, type Delay, makeFindings, type MeasuredPoint, namePoint } from '../scaling/figures.ts'
import { connectFleet, listGateways, startWorld, untilStored, type World } from './nodes/world.ts'

const DEVICES = 100
const RATES = [250, 500, 1000, 2000, 4000]
const IN_FLIGHT = 8000
const REPLICAS = [0, 1, 3] as const

export const scaling: BenchCase = {
  name: 'scaling',
  about: 'PUBACK and processor time at several rates, for the model of docs/scaling.md',
  maxSeconds: 1800,
  isOnRequest: true,
  async run(bench) {
    const points: MeasuredPoint[] = []
    const publish = new Map<number, Delay>()
    let commit: Delay | undefined
    for (const replicas of REPLICAS) {
      const measured = await measureWay(bench, replicas)
      points.push(...measured.points)
      if (replicas === 0) commit = measured.alone
      else publish.set(replicas, measured.alone)
    }
    return makeFindings({ points, commit: commit!, publish })
  },
}

async function measureWay(bench: Bench, replicas: 0 | 1 | 3) {
  const world = await bench.use(
    startWorld(bench, {
      ingest: replicas === 0 ? 'database' : 'stream',
      natsServers: replicas === 3 ? 3 : 1,
      roles: replicas === 0 ? ['gateway,ingest', 'api,worker'] : ['gateway', 'ingest', 'api,worker'],
    }),
  )
  const alone = await measureAlone(bench, world, replicas)
  const devices = await insertDevices(world.installation, DEVICES)
  const fleet = await connectFleet(bench, listGateways(world)[0]!, devices)
  const idle = await bench.use(startProgram<BareAcknowledgementsProgram>('bare-acknowledgements'))
  const run: Run = { replicas, world, fleet, idle, published: 0 }
  // The first messages create series and partitions, and new processes have not compiled their hot functions yet.
  await measurePoint(run, { seconds: bench.sizes.seconds })
  const points: MeasuredPoint[] = []
  for (const rate of [...RATES, undefined]) {
    const point = await measurePoint(run, { rate, seconds: bench.sizes.seconds })
    const { p50Ms, p99Ms, messagesPerSecond, messagesPerCommit } = point
    bench.progress(
      `${namePoint(point)}: ${messagesPerSecond.toFixed(0)} a second, p50 ${p50Ms.toFixed(1)}, p99 ${p99Ms.toFixed(1)} ms, ${messagesPerCommit.toFixed(1)} messages in a commit`,
    )
    points.push(point)
  }
  await fleet.stop()
  await idle.stop()
  await world[Symbol.asyncDispose]()
  return { points, alone }
}

async function measureAlone(bench: Bench, { nats, installation }: World, replicas: number): Promise<Delay> {
  const program = await bench.use(startProgram<BareAcknowledgementsProgram>('bare-acknowledgements'))
  if (replicas === 0) await program.call('useDatabase', installation.databaseUrl)
  else await program.call('useStream', nats.url, replicas)
  const delay = await program.call('measure', bench.sizes.seconds)
  await program.stop()
  return delay
}

interface Run {
  replicas: 0 | 1 | 3
  world: World
  fleet: Child<FleetProgram>
  /** Sleeps most of the time. */
  idle: Child<BareAcknowledgementsProgram>
  published: number
}

/** @param load without a rate as fast as possible */
async function measurePoint(
  run: Run,
  { rate, seconds }: { rate?: number | undefined; seconds: number },
): Promise<MeasuredPoint> {
  const { world, fleet, idle, replicas } = run
  const before = await readCounters(run)
  const waking = idle.call('measureWaking', seconds)
  const sent =
    rate === undefined
      ? { ...(await fleet.call('publishInWindow', IN_FLIGHT / DEVICES, seconds)), p50Ms: 0, p99Ms: 0 }
      : { ...(await fleet.call('publishAtRate', rate, seconds)), messagesPerSecond: rate }
  const { messages, messagesPerSecond, p50Ms, p99Ms } = sent
  await untilStored(world, (run.published += messages))
  const after = await readCounters(run)
  const change = (read: (counters: Counters) => number) => read(after) - read(before)
  const us = (part: keyof Cost) => (change(({ cpuSeconds }) => cpuSeconds[part]) * 1_000_000) / messages
  const batches = change((counters) => counters.batches)
  return {
    replicas,
    wake: await waking,
    messagesPerSecond,
    inFlight: rate === undefined ? IN_FLIGHT : 0,
    p50Ms,
    p99Ms,
    messagesPerCommit: messages / change(({ commits }) => commits),
    messagesPerBatch: batches === 0 ? 0 : messages / batches,
    walBytes: change((counters) => counters.walBytes) / messages,
    tableBytes: change((counters) => counters.tableBytes) / messages,
    cost: {
      gateway: us('gateway'),
      ingest: us('ingest'),
      database: us('database'),
      nats: us('nats'),
      fleet: us('fleet'),
    },
  }
}

interface Counters {
  cpuSeconds: Cost
  commits: number
  batches: number
  walBytes: number
  tableBytes: number
}

async function readCounters({ world, fleet, replicas }: Run): Promise<Counters> {
  const { nodes, nats, installation } = world
  const [gateway, ingest] = nodes.map(({ server }) => server)
  const storing = replicas === 0 ? gateway! : ingest!
  const { rows } = await installation.pool.query<{ walBytes: string; tableBytes: string }>(
    `select pg_current_wal_lsn() - '0/0' as "walBytes",
       (select coalesce(sum(pg_total_relation_size(inhrelid)), 0) from pg_inherits
        where inhparent = 'sample_rows'::regclass) as "tableBytes"`,
  )
  const natsSeconds = await Promise.all(nats.pids.map(readCpuSeconds))
  return {
    cpuSeconds: {
      gateway: await readCpuSeconds(gateway!.process.pid!),
      ingest: replicas === 0 ? 0 : await readCpuSeconds(ingest!.process.pid!),
      database: await readCpuSeconds(installation.databasePid),
      nats: replicas === 0 ? 0 : natsSeconds.reduce((sum, seconds) => sum + seconds, 0),
      fleet: await readCpuSeconds(fleet.process.pid!),
    },
    commits: await readMetric(storing, 'gangway_ingest_commit_seconds_count'),
    batches: replicas === 0 ? 0 : await readMetric(gateway!, 'gangway_ingest_publish_seconds_count'),
    walBytes: Number(rows[0]!.walBytes),
    tableBytes: Number(rows[0]!.tableBytes),
  }
}
