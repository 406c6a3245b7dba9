/**
 * Simulates messages on their way from devices to their PUBACK: as discrete events, with the limits and times of
 * `ingest.ts`, `publish-batches.ts` and `store-loop.ts` of the server.
 */
import { percentile } from '../measure/statistics.ts'
import type { Point } from './figures.ts'
import type { Costs } from './fit.ts'
import { createMachine, type Machine } from './machine.ts'
import { playDirect } from './play-direct.ts'
import { playStream } from './play-stream.ts'
import { createRandom, draw } from './random.ts'
import type { Load, Message, World } from './world.ts'

const CONCURRENT_COMMITS = 4
/** The generator sends what is due each millisecond. */
const TICK_MS = 1
const SEED = 7

export function simulate(load: Load): Point {
  const random = createRandom(SEED)
  const machine = createMachine(load.processors, () => draw(load.wake, random))
  const latencies: number[] = []
  const endMs = load.seconds * 1000
  let acknowledged = 0
  const world: World = {
    load,
    machine,
    fleet: machine.thread(),
    gateway: machine.thread(),
    backends: Array.from({ length: CONCURRENT_COMMITS }, () => machine.thread()),
    random,
    commits: { count: 0, messages: 0 },
    batches: { count: 0, messages: 0 },
    acknowledge(messages) {
      world.fleet.run((messages.length * load.costs.fleet.message) / 2, () => {
        const nowMs = machine.nowMs()
        for (const { dueMs } of messages) latencies.push(nowMs - dueMs)
        if (nowMs < endMs) acknowledged += messages.length
        if (load.inFlight > 0 && nowMs < endMs) send(messages.map(({ device }) => ({ device, dueMs: nowMs })))
      })
    },
  }
  const accept = load.replicas === 0 ? playDirect(world) : playStream(world)
  /** Half of a message's work of a process comes before its acknowledgement, half after it. */
  const send = (messages: Message[]) =>
    world.fleet.run((messages.length * load.costs.fleet.message) / 2, () =>
      world.gateway.run((messages.length * load.costs.gateway.message) / 2, () => accept(messages)),
    )
  if (load.inFlight > 0) send(Array.from({ length: load.inFlight }, (_, at) => toMessage(load, at, 0)))
  else sendAtRate(load, machine, send)
  machine.play()
  return {
    replicas: load.replicas,
    inFlight: load.inFlight,
    messagesPerSecond: acknowledged / load.seconds,
    p50Ms: load.inFlight > 0 ? 0 : percentile(latencies, 50),
    p99Ms: load.inFlight > 0 ? 0 : percentile(latencies, 99),
    messagesPerCommit: share(world.commits),
    messagesPerBatch: share(world.batches),
    cost: countCost(world),
  }
}

const toMessage = ({ devices }: Load, at: number, dueMs: number): Message => ({ device: at % devices, dueMs })

function sendAtRate(load: Load, machine: Machine, send: (messages: Message[]) => void): void {
  const { messagesPerSecond, seconds } = load
  let sent = 0
  const tick = () => {
    const due = Math.floor((machine.nowMs() * messagesPerSecond) / 1000)
    const messages: Message[] = []
    for (; sent < due; sent++) messages.push(toMessage(load, sent, (sent * 1000) / messagesPerSecond))
    if (messages.length > 0) send(messages)
    if (machine.nowMs() < seconds * 1000) machine.after(TICK_MS, tick)
  }
  tick()
}

const share = ({ count, messages }: { count: number; messages: number }) =>
  count === 0 ? 0 : messages / count

function countCost({ load: { costs }, commits, batches }: World): Point['cost'] {
  const perCommit = commits.count / commits.messages
  const perBatch = batches.messages === 0 ? 0 : batches.count / batches.messages
  const count = ({ message, batch, commit }: Costs['gateway']) =>
    message + batch * perBatch + commit * perCommit
  return {
    gateway: count(costs.gateway),
    ingest: count(costs.ingest),
    database: count(costs.database),
    nats: count(costs.nats),
    fleet: count(costs.fleet),
  }
}
