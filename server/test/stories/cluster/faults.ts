/** The faults of the story. Each ends once what was at fault is there again; `untilAllWork` waits until it works. */
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import { apiAt } from '../../harness/platform.ts'
import type { ServerProcess } from '../../harness/server-process.ts'
import type { SilentProxy } from '../../harness/silent-proxy.ts'
import type { Links, World } from './fault-world.ts'
import type { FleetDevice } from './fleet-device.ts'

const LONG_MS = 60_000

type Fault = (world: World, devices: FleetDevice[]) => Promise<void>

export const faults = {
  'a node is killed': async (world) => {
    const node = chooseNode(world)
    expect(await node.kill('SIGKILL')).toBe('SIGKILL')
    if (world.choose(2) === 0) await untilAlive(world, world.cluster.nodes.length - 1)
    await start(node)
  },
  'a node is stopped': async (world) => restart(chooseNode(world)),
  'all nodes are stopped, one after the other': async (world) => {
    for (const node of world.cluster.nodes) {
      await restart(node)
      await untilAllWork(world)
    }
  },
  'a node hangs until others find it dead': (world) => hang(world, () => untilOneIsDead(world)),
  'a node hangs for a moment': (world) => hang(world, () => sleep(world.choose(5000))),
  'a node is cut off from the database, from NATS and from the others': (world) =>
    cutOff(world, ({ database, nats }) => [database, ...nats], untilOneIsDead),
  'a node is cut off from the database': (world) =>
    cutOff(world, ({ database }) => [database], untilOneIsDead),
  'a node is cut off from NATS': (world) => cutOff(world, ({ nats }) => nats, untilWithoutNats),
  'a NATS server is killed': async ({ nats, choose }) => {
    const server = nats[choose(nats.length)]!
    await server.kill()
    await sleep(choose(3000))
    await server.start()
  },
  'a NATS server hangs': async ({ nats, choose }) => {
    const server = nats[choose(nats.length)]!
    server.freeze()
    await sleep(choose(8000))
    server.thaw()
  },
  'the database is killed': async (world) => world.killDatabase(),
  'the database is killed and away for a minute': async (world) => {
    const back = world.links.map(({ database }) => database.refuseAll())
    await world.killDatabase()
    await sleep(LONG_MS)
    for (const link of back) link.back()
  },
  'the database is silent': async (world) => {
    const back = world.links.map(({ database }) => database.silenceAll())
    for (const node of world.cluster.nodes)
      await expect.poll(() => readiness(node)).toMatchObject(NO_DATABASE)
    for (const link of back) link.back()
  },
  'half of the devices jump to other nodes': async ({ choose }, devices) => {
    for (const device of devices) if (choose(2) === 0) device.jump()
  },
} satisfies Record<string, Fault>

export type FaultName = keyof typeof faults

const NO_DATABASE = { database: false }

const readiness = async ({ endpoints }: ServerProcess) => (await apiAt(endpoints.http)('GET', '/readyz')).body

export async function untilAllWork({ cluster }: World): Promise<void> {
  for (const node of cluster.nodes)
    await expect.poll(() => readiness(node)).toMatchObject({ status: 'ok', nodes: true })
}

const chooseNode = ({ cluster, choose }: World) => cluster.nodes[choose(cluster.nodes.length)]!

async function restart(node: ServerProcess): Promise<void> {
  expect(await node.kill('SIGTERM')).toBe(0)
  await start(node)
}

/**
 * Starts it until it is up, as systemd and Docker do. On a busy machine the others may find a node dead that is starting, and
 * close its connections to the database, which ends its start. [docs/operating#sessions-and-presence]
 */
async function start(node: ServerProcess): Promise<void> {
  for (let isUp = false; !isUp;)
    try {
      await node.start()
      isUp = true
    } catch (error) {
      console.log(`A node could not start, and is started again: ${(error as Error).message}`)
    }
}

const untilOneIsDead = (world: World) => untilAlive(world, world.cluster.nodes.length - 1)

async function untilAlive({ cluster }: World, count: number): Promise<void> {
  const { pool } = cluster.database
  await expect
    .poll(async () => (await pool.query('select from server_nodes where died_at is null')).rowCount)
    .toBe(count)
}

async function untilWithoutNats({ cluster }: World, node: number): Promise<void> {
  await expect.poll(() => readiness(cluster.nodes[node]!)).toMatchObject({ nodes: false })
}

async function hang({ cluster, choose }: World, during: () => Promise<unknown>): Promise<void> {
  const node = choose(cluster.nodes.length)
  cluster.freeze(node)
  await during()
  cluster.thaw(node)
}

/** What is sent on these ways is dropped; connections that were open remain so, and are of no use any more. */
async function cutOff(
  world: World,
  chooseLinks: (links: Links) => SilentProxy[],
  until: (world: World, node: number) => Promise<void>,
): Promise<void> {
  const node = world.choose(world.links.length)
  const back = chooseLinks(world.links[node]!).map((link) => link.silenceAll())
  await until(world, node)
  for (const link of back) link.back()
}
