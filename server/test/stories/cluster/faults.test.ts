/**
 * Three nodes with a NATS between them, of which one at a time is killed, hangs or is stopped, while devices with stored
 * sessions reconnect to any of them. In the end a checker compares what devices, callers and the database have seen.
 * `GANGWAY_TEST_SEED` repeats the faults of a run. [docs/operating#sessions-and-presence]
 */
import { randomInt } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { clientsPath, type Cluster, startCluster } from '../../harness/cluster.ts'
import { skipWithoutNats, startNats } from '../../harness/nats-server.ts'
import { apiAt } from '../../harness/platform.ts'
import { storedNumbers } from '../../harness/publish-numbers.ts'
import { rounds } from '../../harness/rounds.ts'
import { type FleetDevice, startFleetDevice } from './fleet-device.ts'

const NODES = 3
const DEVICES = rounds(100, 20)
const FAULTS = rounds(30, 4)
const PAUSE_MS = 50

const faults = ['kill -9', 'hang', 'stop'] as const

test.skipIf(skipWithoutNats('faults of several nodes'))(
  `${FAULTS} faults of ${NODES} nodes under ${DEVICES} devices: nothing is lost, doubled or shown wrongly`,
  { timeout: 1_800_000 },
  async () => {
    const seed = Number(process.env.GANGWAY_TEST_SEED ?? randomInt(2 ** 31))
    console.log(`Faults of several nodes: GANGWAY_TEST_SEED=${seed}`)
    const choose = createChoice(seed)
    await using nats = await startNats()
    await using cluster = await startCluster(NODES, { GANGWAY_NATS_URL: nats.url })
    const devices: FleetDevice[] = []
    for (let index = 0; index < DEVICES; index++) {
      const id = `device-${index}`
      devices.push(
        await startFleetDevice(cluster, { id, key: await cluster.makeDevice(id), first: choose(NODES) }),
      )
    }
    const calls = startCalls(cluster, devices, choose)

    for (let fault = 0; fault < FAULTS; fault++) {
      await untilEachGoesOn(devices)
      await cause(
        cluster,
        faults[fault < faults.length ? fault : choose(faults.length)]!,
        1 + choose(NODES - 1),
      )
    }
    await untilEachGoesOn(devices)

    const answers = await calls.stop()
    await Promise.all(devices.map((device) => device.rest()))
    await expectPresence(cluster, devices)
    for (const device of devices) await expectStored(cluster, device)
    for (const { id, received, published } of devices) {
      // QoS 1 may repeat what was sent before, in its order.
      expect([...new Set(received)], `own messages of ${id}`).toEqual(published)
    }
    expectAnswers(answers, devices)
    await Promise.all(devices.map((device) => device.end()))
    await expect
      .poll(async () => (await cluster.call(0, 'GET', `${clientsPath}?connected=true&limit=1`)).body)
      .toEqual([])
  },
)

/** @returns a function that chooses a whole number below its argument, the same ones for the same seed */
function createChoice(seed: number): (below: number) => number {
  let state = seed >>> 0
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

async function untilEachGoesOn(devices: FleetDevice[]): Promise<void> {
  const before = devices.map(({ acknowledged }) => acknowledged.length)
  while (devices.some(({ acknowledged }, index) => acknowledged.length < before[index]! + 5))
    await sleep(PAUSE_MS)
}

/** @returns once the node works again */
async function cause(cluster: Cluster, fault: (typeof faults)[number], index: number): Promise<void> {
  const node = cluster.nodes[index]!
  if (fault !== 'hang') {
    const ended = await node.kill(fault === 'stop' ? 'SIGTERM' : 'SIGKILL')
    expect(ended).toBe(fault === 'stop' ? 0 : 'SIGKILL')
    return node.start()
  }
  const countAlive = async () =>
    (await cluster.database.pool.query('select from server_nodes where died_at is null')).rowCount
  cluster.freeze(index)
  await expect.poll(countAlive).toBe(NODES - 1)
  cluster.thaw(index)
  await expect.poll(countAlive).toBe(NODES)
}

interface Call {
  number: number
  status: number
  error: string | undefined
}

/** Direct methods one after the other, asked at the first node, which is never at fault. */
function startCalls(cluster: Cluster, devices: FleetDevice[], choose: (below: number) => number) {
  const calls: Call[] = []
  const stopping = new AbortController()
  const calling = (async () => {
    for (let number = 0; !stopping.signal.aborted; number++) {
      const { id } = devices[choose(devices.length)]!
      const { status, body } = await cluster.ask(0, 'POST', `${clientsPath}/${id}/methods`, {
        method: 'm',
        payload: number,
        timeoutSeconds: 5,
      })
      calls.push({ number, status, error: body.error })
      await sleep(PAUSE_MS)
    }
  })()
  return {
    stop: async () => {
      stopping.abort()
      await calling
      return calls
    },
  }
}

/** Each call has its answer, and what a device is said to have done it was asked. */
function expectAnswers(calls: Call[], devices: FleetDevice[]): void {
  const asked = devices.flatMap((device) => device.asked)
  for (const { number, status, error } of calls)
    if (status === 200) expect(asked).toContain(number)
    else expect([status, error]).toEqual(error === 'device_offline' ? [409, error] : [504, 'device_timeout'])
  expect(calls.some(({ status }) => status === 200)).toBe(true)
}

async function expectPresence(cluster: Cluster, devices: FleetDevice[]): Promise<void> {
  const list = async (query: string): Promise<string[]> =>
    (await cluster.call(0, 'GET', `${clientsPath}?${query}&limit=500`)).body.map(
      ({ id }: { id: string }) => id,
    )
  await expect.poll(() => list('connected=false')).toEqual([])
  expect((await list('connected=true')).toSorted()).toEqual(devices.map(({ id }) => id).toSorted())
  const { rows } = await cluster.database.pool.query(
    'select client_number, cardinality(node_ids) as nodes from client_connections where cardinality(node_ids) <> 1',
  )
  expect(rows, 'clients that count as connected to several nodes').toEqual([])
}

async function expectStored(cluster: Cluster, { id, acknowledged }: FleetDevice): Promise<void> {
  const stored = await storedNumbers(apiAt(cluster.nodes[0]!.endpoints.http), cluster.token, id)
  expect(stored, `numbers of ${id}, by their time`).toEqual(stored.toSorted((a, b) => a - b))
  expect(stored.length, 'stored twice').toBe(new Set(stored).size)
  const kept = new Set(stored)
  expect(
    acknowledged.filter((number) => !kept.has(number)),
    'acknowledged and lost',
  ).toEqual([])
}
