/**
 * Three nodes, three NATS servers and a database that fail one after the other, while devices with stored sessions go from
 * node to node, and users call methods, send commands, set desired properties, acknowledge alarms and roll out a release. In the
 * end a checker compares what all of them have seen. `npm run faults` runs it, with faults that a seed chooses.
 * [docs/cluster#what-fails-and-how]
 */
import { randomInt } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { onTestFailed, test } from 'vitest'
import type { Cluster } from '../../harness/cluster.ts'
import { skipWithoutNats } from '../../harness/nats-server.ts'
import {
  expectAlarms,
  expectCommands,
  expectDesired,
  expectLive,
  expectMessages,
  expectMethods,
  expectPresence,
  expectRollout,
  expectSimulation,
} from './check-history.ts'
import { type Choose, startWorld } from './fault-world.ts'
import { type FaultName, faults, untilAllWork } from './faults.ts'
import { assetOf, startFleet } from './fleet.ts'
import type { FleetDevice } from './fleet-device.ts'
import { acknowledgeAll, startWork } from './fleet-work.ts'
import { subscribeAtEach } from './subscribers.ts'

const {
  GANGWAY_TEST_SEED: givenSeed,
  GANGWAY_TEST_SECONDS: seconds,
  GANGWAY_TEST_DEVICES: devicesAsked = '12',
  GANGWAY_TEST_INGEST: ingest = 'database',
} = process.env
const PAUSE_MS = 50

const FEW: FaultName[] = [
  'a node is killed',
  'a NATS server is killed',
  'a node is cut off from the database, from NATS and from the others',
  'the database is killed',
  'half of the devices jump to other nodes',
  'a node hangs until others find it dead',
  'all nodes are stopped, one after the other',
]

test.skipIf(skipUnlessAsked() || skipWithoutNats('faults of a whole cluster'))(
  `faults of nodes, NATS servers and the database under ${devicesAsked} devices: nothing is lost, doubled or shown wrongly`,
  async () => {
    const seed = Number(givenSeed ?? randomInt(2 ** 31))
    console.log(`Faults of a whole cluster: seed ${seed}, ingest by ${ingest}`)
    const choose = createChoice(seed)
    await using world = await startWorld(ingest, choose)
    const { cluster, mail } = world
    onTestFailed(() => {
      for (const [node, { output }] of cluster.nodes.entries()) console.log(`Node ${node}:\n${output()}`)
    })
    await using fleet = await startFleet(cluster, Number(devicesAsked), choose)
    const { devices, simulated } = fleet
    using subscribers = await subscribeAtEach(
      cluster,
      devices.map(({ id }) => assetOf(id)),
    )
    await using working = startWork(cluster, devices, createChoice(seed + 1))
    const deploymentPath = await fleet.deploy()
    const startedMs = performance.now()
    const elapsed = () => `${Math.round((performance.now() - startedMs) / 1000)} s`

    for (const name of chooseFaults(choose)) {
      await untilEachGoesOn(devices)
      console.log(`${elapsed()}: ${name}`)
      await faults[name](world, devices)
      await untilAllWork(world)
    }
    await untilEachGoesOn(devices)

    console.log(`${elapsed()}: the history is checked`)
    const work = await working.stop()
    await rest(cluster, devices)
    const ofEach = (check: (device: FleetDevice) => Promise<void>) => async () => {
      for (const device of devices) await check(device)
    }
    await passAll([
      ofEach((device) => expectMessages(cluster, device)),
      () => expectPresence(cluster, devices, simulated),
      ofEach((device) => expectDesired(cluster, device)),
      ofEach((device) => expectAlarms(cluster, device, mail)),
      () => expectLive(cluster, devices, subscribers.all),
      async () => expectMethods(work),
      () => expectCommands(cluster, work),
      () => expectRollout(cluster, devices, deploymentPath),
      () => expectSimulation(cluster, fleet.simulationPath),
    ])
  },
)

/** An alarm that has ended triggers again once it is acknowledged: after one more number its state is known. */
async function rest(cluster: Cluster, devices: FleetDevice[]): Promise<void> {
  await Promise.all(devices.map((device) => device.rest()))
  await acknowledgeAll((...request) => cluster.ask(0, ...request))
  await Promise.all(devices.map((device) => device.sendOne()))
}

function skipUnlessAsked(): boolean {
  if (seconds === undefined) console.log('Skipped: faults of a whole cluster (npm run faults)')
  return seconds === undefined
}

/** One run costs minutes: it names all that is wrong, not only what is found first. */
async function passAll(checks: (() => Promise<void>)[]): Promise<void> {
  const failures: Error[] = []
  for (const check of checks) await check().catch((error: Error) => failures.push(error))
  const reasons = failures.map(({ message, stack }) => stack ?? message)
  if (failures.length > 0) throw new AggregateError(failures, reasons.join('\n'))
}

function createChoice(seed: number): Choose {
  let state = seed >>> 0
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

/** @returns all faults, each as often as the others, until the seconds are over; with 0 seconds, a few */
function* chooseFaults(choose: Choose): Generator<FaultName> {
  if (seconds === '0') return yield* FEW
  const endMs = performance.now() + Number(seconds) * 1000
  for (let left: FaultName[] = []; performance.now() < endMs;) {
    if (left.length === 0) left = Object.keys(faults) as FaultName[]
    yield left.splice(choose(left.length), 1)[0]!
  }
}

async function untilEachGoesOn(devices: FleetDevice[]): Promise<void> {
  const goals = devices.map(({ acknowledged }) => acknowledged.length + 5)
  while (devices.some(({ acknowledged }, index) => acknowledged.length < goals[index]!)) await sleep(PAUSE_MS)
}
