/** Measures how soon a device that connects to another node is displaced at its former one, and how soon a stopped node has let its devices go. */
import type { Bench } from '../../bench-case.ts'
import type { Finding } from '../../measure/finding.ts'
import { median, percentile } from '../../measure/statistics.ts'
import { type Connection, type DeviceKey, openConnection } from '../../mqtt/connection.ts'
import { affordableConnections } from '../../platform/affordable-connections.ts'
import { insertDevices } from '../../platform/devices.ts'
import { ALL_ROLES, type Node, startWorld } from './world.ts'

const ROUNDS = 3
/** Devices that change their node in a round, one after the other; the server logs each of them. */
const DISPLACED = 20
const MAX_RELEASED = 1000
/** Devices that connect at once. */
const AT_ONCE = 100
const DISPLACED_GOAL_SECONDS = 1
const RELEASED_GOAL_SECONDS = 10

/** A device with the end of its connection. */
interface Attached {
  connection: Connection
  ended: Promise<void>
}

async function attach({ server }: Node, device: DeviceKey): Promise<Attached> {
  const connection = await openConnection(server.mqttPort, device, { isKept: true })
  const ended = new Promise<void>((resolve) => (connection.onLost = () => resolve()))
  return { connection, ended }
}

async function attachAll(node: Node, devices: DeviceKey[]): Promise<Attached[]> {
  const attached: Attached[] = []
  for (let at = 0; at < devices.length; at += AT_ONCE)
    attached.push(
      ...(await Promise.all(devices.slice(at, at + AT_ONCE).map((device) => attach(node, device)))),
    )
  return attached
}

const secondsSince = (startedMs: number) => (performance.now() - startedMs) / 1000

export async function measureHandover(bench: Bench): Promise<Finding[]> {
  const count = affordableConnections(bench, Math.min(MAX_RELEASED, bench.sizes.devices))
  const world = await bench.use(startWorld(bench, { ingest: 'database', roles: [ALL_ROLES, ALL_ROLES] }))
  const devices = await insertDevices(world.installation, count)
  const slowest: number[] = []
  const usual: number[] = []
  const released: number[] = []
  let [former, next] = world.nodes as [Node, Node]
  for (let round = 1; round <= ROUNDS; round++) {
    const times = await displaceEach(devices.slice(0, DISPLACED), former, next)
    usual.push(median(times))
    slowest.push(percentile(times, 100))
    released.push(await release(former, devices))
    bench.progress(
      `round ${round} of ${ROUNDS}: displaced in ${slowest.at(-1)!.toFixed(2)} s at most, ${count} devices let go in ${released.at(-1)!.toFixed(2)} s`,
    )
    ;[former, next] = [next, await world.startNode(ALL_ROLES)]
  }
  return [
    {
      measure: `the slowest of ${DISPLACED} devices: from its packet to another node to the end of its former connection`,
      unit: 's',
      value: median(slowest),
      rounds: { value: slowest },
      goal: { valueAtMost: DISPLACED_GOAL_SECONDS },
      details: { medianSeconds: median(usual) },
    },
    {
      measure: `SIGTERM until ${count.toLocaleString('en')} devices are let go`,
      unit: 's',
      value: median(released),
      rounds: { value: released },
      goal: { valueAtMost: RELEASED_GOAL_SECONDS },
    },
  ]
}

/** @returns seconds of each device */
async function displaceEach(devices: DeviceKey[], former: Node, next: Node): Promise<number[]> {
  const seconds: number[] = []
  const before = await attachAll(former, devices)
  for (const [index, device] of devices.entries()) {
    const startedMs = performance.now()
    const after = await attach(next, device)
    await before[index]!.ended
    seconds.push(secondsSince(startedMs))
    after.connection.drop()
  }
  return seconds
}

/** @returns seconds until the last device is let go */
async function release(node: Node, devices: DeviceKey[]): Promise<number> {
  const attached = await attachAll(node, devices)
  const startedMs = performance.now()
  node.server.process.kill('SIGTERM')
  await Promise.all(attached.map(({ ended }) => ended))
  return secondsSince(startedMs)
}
