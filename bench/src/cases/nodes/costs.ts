/**
 * Measures the processor time of a message by role: 1, 2 and 3 nodes, each with the same load. The sizes are measured one
 * after the other, which processor time allows.
 */
import type { Bench } from '../../bench-case.ts'
import { readCpuSeconds } from '../../measure/cpu-time.ts'
import { compare, type Finding } from '../../measure/finding.ts'
import { median } from '../../measure/statistics.ts'
import { insertDevices } from '../../platform/devices.ts'
import {
  connectFleet,
  type Ingest,
  listGateways,
  startWorld,
  untilStored,
  WARM_UP_SECONDS,
  type World,
} from './world.ts'

const NODE_COUNTS = [1, 2, 3]
const DEVICES_PER_NODE = 100
const MESSAGES_PER_SECOND_AND_NODE = 1000
const ROUNDS = 3
/** Flat within 15%. */
const GOAL = { ratioAtLeast: 0.87 }

/** Without a stream a gateway stores the messages itself. */
const rolesOf: Record<Ingest, string[]> = { database: ['gateway,ingest'], stream: ['gateway', 'ingest'] }
const nameOf: Record<Ingest, string> = { database: 'direct', stream: 'through the stream' }

/** CPU seconds for a million messages in each round, by role, and of PostgreSQL and NATS. */
type Costs = Map<string, number[]>

export async function measureCosts(bench: Bench): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const ingest of ['database', 'stream'] as const) {
    const byCount: Costs[] = []
    for (const count of NODE_COUNTS) byCount.push(await measureNodes(bench, ingest, count))
    findings.push(...listFindings(ingest, byCount))
  }
  return findings
}

async function measureNodes(bench: Bench, ingest: Ingest, count: number): Promise<Costs> {
  const roles = rolesOf[ingest].flatMap((role) => Array.from({ length: count }, () => role))
  const world = await bench.use(startWorld(bench, { ingest, roles: [...roles, 'api,worker'] }))
  const perNode = Math.min(DEVICES_PER_NODE, bench.sizes.devices)
  const devices = await insertDevices(world.installation, perNode * count)
  const fleets = await Promise.all(
    listGateways(world).map((gateway, index) =>
      connectFleet(bench, gateway, devices.slice(index * perNode, (index + 1) * perNode)),
    ),
  )
  let published = 0
  /** @returns the number of messages, once all of them are stored */
  const publish = async (seconds: number): Promise<number> => {
    const answers = await Promise.all(
      fleets.map((fleet) => fleet.call('publishAtRate', MESSAGES_PER_SECOND_AND_NODE, seconds)),
    )
    const messages = answers.reduce((sum, answer) => sum + answer.messages, 0)
    published += messages
    await untilStored(world, published)
    return messages
  }
  await publish(Math.min(WARM_UP_SECONDS, bench.sizes.seconds))
  const costs: Costs = new Map()
  for (let round = 0; round < ROUNDS; round++) {
    const before = await readSeconds(world)
    const messages = await publish(bench.sizes.seconds)
    for (const [part, seconds] of await readSeconds(world)) {
      const cost = ((seconds - before.get(part)!) * 1_000_000) / messages
      costs.set(part, [...(costs.get(part) ?? []), cost])
    }
  }
  const figures = [...costs].map(([part, values]) => `${part} ${median(values).toFixed(1)}`)
  bench.progress(
    `${nameOf[ingest]}, ${countNodes(count)}: ${figures.join(', ')} CPU seconds for a million messages`,
  )
  for (const fleet of fleets) await fleet.stop()
  await world[Symbol.asyncDispose]()
  return costs
}

async function readSeconds({ nodes, nats, installation }: World): Promise<Map<string, number>> {
  const processes = [
    ...nodes.map(({ roles, server }) => ({ part: roles, pid: server.process.pid! })),
    { part: 'PostgreSQL', pid: installation.databasePid },
    ...nats.pids.map((pid) => ({ part: 'NATS', pid })),
  ]
  const seconds = new Map<string, number>()
  for (const { part, pid } of processes)
    seconds.set(part, (seconds.get(part) ?? 0) + (await readCpuSeconds(pid)))
  return seconds
}

/** Compares the cost of all nodes together with that of one node. Only the roles that carry messages have a goal. */
function listFindings(ingest: Ingest, byCount: Costs[]): Finding[] {
  const one = byCount[0]!
  return [...one].flatMap(([part, baseline]) =>
    byCount.map((costs, index) => {
      const rounds = costs.get(part)!
      const measure = `CPU s a million messages ${nameOf[ingest]}, ${part}: ${countNodes(NODE_COUNTS[index]!)}`
      if (index === 0 || !rolesOf[ingest].includes(part))
        return { measure, unit: 's', value: median(rounds), rounds: { value: rounds } }
      return compare({
        measure,
        unit: 's',
        better: 'less',
        rounds,
        baseline: { name: '1 node', rounds: baseline },
        goal: GOAL,
      })
    }),
  )
}

const countNodes = (count: number) => (count === 1 ? '1 node' : `${count} nodes`)
