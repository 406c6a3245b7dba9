/** Measures PUBACK through the stream, with one and with three replicas, against PUBACK after the commit. */
import type { Bench } from '../../bench-case.ts'
import type { Child } from '../../child.ts'
import { compare, type Finding } from '../../measure/finding.ts'
import { logIn } from '../../platform/api.ts'
import { insertDevices } from '../../platform/devices.ts'
import type { FleetProgram } from '../../programs/fleet.ts'
import { ALL_ROLES, connectFleet, type Ingest, startWorld, type World } from './world.ts'

const DEVICES = 100
const MESSAGES_PER_SECOND = 1000
const ROUNDS = 5
/** At most 1.5 times. */
const GOAL = { ratioAtLeast: 0.67 }

interface Variant {
  name: string
  ingest: Ingest
  natsServers: 1 | 3
}

const direct: Variant = { name: 'direct', ingest: 'database', natsServers: 1 }
const streamed: Variant[] = [
  { name: 'one replica', ingest: 'stream', natsServers: 1 },
  { name: 'three replicas', ingest: 'stream', natsServers: 3 },
]

interface Measured {
  variant: Variant
  world: World
  fleet: Child<FleetProgram>
  p50Ms: number[]
  p99Ms: number[]
}

export async function measureAcknowledgements(bench: Bench): Promise<Finding[]> {
  const measured: Measured[] = []
  for (const variant of [direct, ...streamed])
    measured.push({ variant, ...(await startVariant(bench, variant)), p50Ms: [], p99Ms: [] })
  // In turn, so that changes of the machine's speed affect all of them.
  for (let round = 0; round < ROUNDS; round++)
    for (const { variant, fleet, p50Ms, p99Ms } of measured) {
      const paced = await fleet.call('publishAtRate', MESSAGES_PER_SECOND, bench.sizes.seconds)
      p50Ms.push(paced.p50Ms)
      p99Ms.push(paced.p99Ms)
      bench.progress(
        `PUBACK ${variant.name}: p50 ${paced.p50Ms.toFixed(1)}, p99 ${paced.p99Ms.toFixed(1)} ms`,
      )
    }
  for (const { fleet, world } of measured) {
    await fleet.stop()
    await world[Symbol.asyncDispose]()
  }
  const [baseline, ...others] = measured
  return others.flatMap(({ variant, p50Ms, p99Ms }) =>
    [
      { percentile: 'p50', rounds: p50Ms, direct: baseline!.p50Ms },
      { percentile: 'p99', rounds: p99Ms, direct: baseline!.p99Ms },
    ].map(({ percentile, rounds, direct: directRounds }) =>
      compare({
        measure: `PUBACK ${percentile} through the stream, ${variant.name}`,
        unit: 'ms',
        better: 'less',
        rounds,
        baseline: { name: direct.name, rounds: directRounds },
        goal: GOAL,
        details: { messagesPerSecond: MESSAGES_PER_SECOND },
      }),
    ),
  )
}

async function startVariant(bench: Bench, { ingest, natsServers }: Variant) {
  const world = await bench.use(startWorld(bench, { ingest, natsServers, roles: [ALL_ROLES] }))
  const { server } = world.nodes[0]!
  if (ingest === 'stream') {
    const api = await logIn(server.endpoints.http, world.installation.adminPassword)
    const { stream } = await api.get<{ stream?: { replicas: number } }>('/v1/overview')
    if (stream?.replicas !== natsServers)
      throw new Error(`the stream has ${stream?.replicas} replicas instead of ${natsServers}`)
  }
  const devices = await insertDevices(world.installation, Math.min(DEVICES, bench.sizes.devices))
  const fleet = await connectFleet(bench, server, devices)
  // The first messages create series and partitions, and new processes have not compiled their hot functions yet.
  await fleet.call('publishAtRate', MESSAGES_PER_SECOND, bench.sizes.seconds)
  return { world, fleet }
}
