/** Measures live values of a device at one node for subscribers at another one, against subscribers at the same node. */
import type { Bench } from '../../bench-case.ts'
import { type Child, startProgram } from '../../child.ts'
import { compare, type Finding } from '../../measure/finding.ts'
import { logIn } from '../../platform/api.ts'
import { insertDevices } from '../../platform/devices.ts'
import type { Server } from '../../platform/server.ts'
import type { PushWatchersProgram } from '../../programs/push-watchers.ts'
import { ALL_ROLES, connectFleet, type Ingest, startWorld, WARM_UP_SECONDS } from './world.ts'

const DEVICES = 50
const SUBSCRIBERS = 20
const MESSAGES_PER_SECOND = 50
const ROUNDS = 3
const GOAL_MS = 50

/** The latencies of the subscribers of one node, a value for each round. */
interface Measured {
  watchers: Child<PushWatchersProgram>
  p50Ms: number[]
  p99Ms: number[]
}

/** A delay begins when the device sends. It includes the commit and, through the stream, the gathering of its batch. */
export async function measurePush(bench: Bench): Promise<Finding[]> {
  return [...(await measure(bench, 'database')), ...(await measure(bench, 'stream'))]
}

async function measure(bench: Bench, ingest: Ingest): Promise<Finding[]> {
  const world = await bench.use(startWorld(bench, { ingest, roles: [ALL_ROLES, ALL_ROLES] }))
  const devices = await insertDevices(world.installation, Math.min(DEVICES, bench.sizes.devices))
  const ids = devices.map(({ id }) => id)
  const [here, other] = world.nodes.map(({ server }) => server) as [Server, Server]
  const watched: Measured[] = []
  for (const server of [here, other]) {
    const watchers = await subscribe(bench, { server, adminPassword: world.installation.adminPassword, ids })
    watched.push({ watchers, p50Ms: [], p99Ms: [] })
  }
  const fleet = await connectFleet(bench, here, devices, { isTimed: true })
  const publish = async (seconds: number) => {
    const { messages } = await fleet.call('publishAtRate', MESSAGES_PER_SECOND, seconds)
    return Promise.all(watched.map(({ watchers }) => watchers.call('receive', messages * SUBSCRIBERS)))
  }
  await publish(Math.min(WARM_UP_SECONDS, bench.sizes.seconds))
  for (let round = 0; round < ROUNDS; round++)
    for (const [index, delay] of (await publish(bench.sizes.seconds)).entries()) {
      watched[index]!.p50Ms.push(delay.p50Ms)
      watched[index]!.p99Ms.push(delay.p99Ms)
    }
  await fleet.stop()
  for (const { watchers } of watched) await watchers.stop()
  await world[Symbol.asyncDispose]()
  const findings = listFindings(ingest, watched[0]!, watched[1]!)
  bench.progress(findings.map(({ measure: name, value }) => `${name}: ${value.toFixed(1)} ms`).join('; '))
  return findings
}

interface Subscribing {
  server: Server
  adminPassword: string
  /** Ids of the devices. */
  ids: string[]
}

async function subscribe(bench: Bench, { server, adminPassword, ids }: Subscribing) {
  const api = await logIn(server.endpoints.http, adminPassword)
  const watchers = await bench.use(startProgram<PushWatchersProgram>('push-watchers'))
  const urls: string[] = []
  while (urls.length < SUBSCRIBERS) {
    const { url, accessToken } = await api.post<{ url: string; accessToken: string }>(
      '/v1/realtime/negotiate',
    )
    urls.push(`${url}?access_token=${accessToken}`)
  }
  for (const connectionId of await watchers.call('connect', urls))
    await api.post('/v1/realtime/subscriptions', { connectionId, topic: 'telemetry', assets: ids })
  return watchers
}

function listFindings(ingest: Ingest, here: Measured, other: Measured): Finding[] {
  const way = ingest === 'stream' ? ' through the stream' : ''
  const finding = (percentile: string, rounds: number[], baseline: number[]) =>
    compare({
      measure: `device to subscriber at another node${way}, ${percentile}`,
      unit: 'ms',
      better: 'less',
      rounds,
      baseline: { name: 'at the same node', rounds: baseline },
      details: { messagesPerSecond: MESSAGES_PER_SECOND, subscribers: SUBSCRIBERS },
    })
  return [
    finding('p50', other.p50Ms, here.p50Ms),
    { ...finding('p99', other.p99Ms, here.p99Ms), goal: { valueAtMost: GOAL_MS } },
  ]
}
