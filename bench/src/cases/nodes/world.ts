/** Several servers as processes, on one database and one NATS. */
import { setTimeout as sleep } from 'node:timers/promises'
import { cleanUp } from '@gangway/server/dist/database/clean-up.js'
import type { Bench } from '../../bench-case.ts'
import { type Child, startProgram } from '../../child.ts'
import type { ConnectionOptions, DeviceKey } from '../../mqtt/connection.ts'
import { type Installation, startInstallation } from '../../platform/installation.ts'
import { readMetric } from '../../platform/metrics.ts'
import { type Nats, startNats } from '../../platform/nats.ts'
import type { Server } from '../../platform/server.ts'
import type { FleetProgram } from '../../programs/fleet.ts'

const ASK_AGAIN_MS = 200
/** Time after which messages that are not stored are an error. */
const PATIENCE_MS = 120_000

export type Ingest = 'database' | 'stream'

export interface Node {
  roles: string
  server: Server
}

export interface World extends AsyncDisposable {
  installation: Installation
  nats: Nats
  nodes: Node[]
  startNode(roles: string): Promise<Node>
}

/** The first messages create series and partitions, and new processes have not compiled their hot functions yet. */
export const WARM_UP_SECONDS = 5

export const ALL_ROLES = 'gateway,ingest,api,worker'

interface WorldOptions {
  ingest: Ingest
  /** `GANGWAY_ROLES` of each node. */
  roles: string[]
  natsServers?: 1 | 3
}

export async function startWorld(
  bench: Bench,
  { ingest, roles, natsServers = 1 }: WorldOptions,
): Promise<World> {
  await using started = cleanUp()
  const nats = started.use(await startNats(natsServers))
  const installation = started.use(await startInstallation(bench))
  let nodesStarted = 0
  const startNode = async (of: string): Promise<Node> => ({
    roles: of,
    server: await installation.startNode(`node-${nodesStarted++}`, {
      GANGWAY_ROLES: of,
      GANGWAY_NATS_URL: nats.url,
      GANGWAY_INGEST: ingest,
    }),
  })
  const nodes: Node[] = []
  // One after the other: the first one makes the tables.
  for (const of of roles) nodes.push(await startNode(of))
  return { installation, nats, nodes, startNode, ...started.keep() }
}

export const listGateways = ({ nodes }: World): Server[] =>
  nodes.map(({ server }) => server).filter(({ mqttPort }) => mqttPort > 0)

/** @returns a program that is connected to the server with these devices */
export async function connectFleet(
  bench: Bench,
  server: Server,
  devices: DeviceKey[],
  options: ConnectionOptions = {},
): Promise<Child<FleetProgram>> {
  const fleet = await bench.use(startProgram<FleetProgram>('fleet'))
  await fleet.call('connect', server.mqttPort, devices, options)
  return fleet
}

/** @param messages all that were sent @throws if others are stored, or not all of them in time */
export async function untilStored({ nodes }: World, messages: number): Promise<void> {
  const storing = nodes.filter(({ roles }) => roles.includes('ingest'))
  for (const untilMs = performance.now() + PATIENCE_MS; ; await sleep(ASK_AGAIN_MS)) {
    const counts = await Promise.all(
      storing.map(({ server }) => readMetric(server, 'gangway_ingest_messages_total')),
    )
    const stored = counts.reduce((sum, count) => sum + count, 0)
    if (stored > messages) throw new Error(`${messages} messages were sent, and ${stored} stored`)
    if (stored === messages) return
    if (performance.now() > untilMs) throw new Error(`${stored} of ${messages} messages were stored`)
  }
}
