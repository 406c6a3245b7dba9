/** Several servers as processes, on one database and one NATS. */
import { cleanUp } from '@gangway/server/dist/database/clean-up.js'
import type { Bench } from '../../bench-case.ts'
import { type Child, startProgram } from '../../child.ts'
import type { ConnectionOptions, DeviceKey } from '../../mqtt/connection.ts'
import { type Installation, startInstallation } from '../../platform/installation.ts'
import { type Nats, startNats } from '../../platform/nats.ts'
import type { Server } from '../../platform/server.ts'
import type { FleetProgram } from '../../programs/fleet.ts'

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
