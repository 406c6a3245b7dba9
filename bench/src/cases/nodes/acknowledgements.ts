/**
 * Measures PUBACK through the stream, with one and with three replicas, against PUBACK after the commit, and what the
 * stream and the database take for an acknowledgement alone.
 */
import type { Bench } from '../../bench-case.ts'
import { type Child, startProgram } from '../../child.ts'
import { compare, type Finding } from '../../measure/finding.ts'
import { logIn } from '../../platform/api.ts'
import { insertDevices } from '../../platform/devices.ts'
import type { BareAcknowledgementsProgram } from '../../programs/bare-acknowledgements.ts'
import type { FleetProgram } from '../../programs/fleet.ts'
import { ALL_ROLES, connectFleet, type Ingest, startWorld, WARM_UP_SECONDS, type World } from './world.ts'

const DEVICES = 100
const MESSAGES_PER_SECOND = 1000
const ROUNDS = 5
/** The share of a round for the acknowledgements alone. */
const BARE_SHARE = 0.2
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

/** A value for each round. */
interface Latencies {
  p50Ms: number[]
  p99Ms: number[]
}

interface Measured {
  variant: Variant
  world: World
  fleet: Child<FleetProgram>
  bareProgram: Child<BareAcknowledgementsProgram>
  puback: Latencies
  bare: Latencies
}

export async function measureAcknowledgements(bench: Bench): Promise<Finding[]> {
  const { seconds } = bench.sizes
  const measured: Measured[] = []
  for (const variant of [direct, ...streamed])
    measured.push({
      variant,
      ...(await startVariant(bench, variant)),
      puback: { p50Ms: [], p99Ms: [] },
      bare: { p50Ms: [], p99Ms: [] },
    })
  // In turn, so that changes of the machine's speed affect all of them.
  for (let round = 0; round < ROUNDS; round++)
    for (const { variant, fleet, bareProgram, puback, bare } of measured) {
      const paced = await fleet.call('publishAtRate', MESSAGES_PER_SECOND, seconds)
      const alone = await bareProgram.call('measure', seconds * BARE_SHARE)
      record(puback, paced)
      record(bare, alone)
      bench.progress(`PUBACK ${variant.name}: ${describe(paced)}; alone: ${describe(alone)}`)
    }
  for (const { fleet, bareProgram, world } of measured) {
    await fleet.stop()
    await bareProgram.stop()
    await world[Symbol.asyncDispose]()
  }
  const [baseline, ...others] = measured as [Measured, ...Measured[]]
  return others.flatMap((other) => listFindings(baseline, other))
}

interface Delay {
  p50Ms: number
  p99Ms: number
}

function record({ p50Ms, p99Ms }: Latencies, delay: Delay) {
  p50Ms.push(delay.p50Ms)
  p99Ms.push(delay.p99Ms)
}

const describe = ({ p50Ms, p99Ms }: Delay) => `p50 ${p50Ms.toFixed(1)}, p99 ${p99Ms.toFixed(1)} ms`

function listFindings(baseline: Measured, { variant, puback, bare }: Measured): Finding[] {
  const common = { unit: 'ms', better: 'less' } as const
  return (['p50', 'p99'] as const).flatMap((percentile) => [
    compare({
      ...common,
      measure: `PUBACK ${percentile} through the stream, ${variant.name}`,
      rounds: puback[`${percentile}Ms`],
      baseline: { name: baseline.variant.name, rounds: baseline.puback[`${percentile}Ms`] },
      goal: GOAL,
      details: { messagesPerSecond: MESSAGES_PER_SECOND },
    }),
    compare({
      ...common,
      measure: `a batch in the stream alone ${percentile}, ${variant.name}`,
      rounds: bare[`${percentile}Ms`],
      baseline: { name: 'a commit alone', rounds: baseline.bare[`${percentile}Ms`] },
    }),
  ])
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
  const bareProgram = await bench.use(startProgram<BareAcknowledgementsProgram>('bare-acknowledgements'))
  if (ingest === 'stream') await bareProgram.call('useStream', world.nats.url, natsServers)
  else await bareProgram.call('useDatabase', world.installation.databaseUrl)
  const devices = await insertDevices(world.installation, Math.min(DEVICES, bench.sizes.devices))
  const fleet = await connectFleet(bench, server, devices)
  await fleet.call('publishAtRate', MESSAGES_PER_SECOND, Math.min(WARM_UP_SECONDS, bench.sizes.seconds))
  return { world, fleet, bareProgram }
}
