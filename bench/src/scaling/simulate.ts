/**
 * Simulates messages on their way from devices to their PUBACK: as discrete events, with the limits and times of
 * `ingest.ts`, `publish-batches.ts` and `store-loop.ts` of the server.
 */
import { percentile } from '../measure/statistics.ts'
import { type Cost, mapParts, type Point } from './figures.ts'
import { createMachine, type Thread } from './machine.ts'
import { playDirect } from './play-direct.ts'
import { PARTITIONS, playStream } from './play-stream.ts'
import { createRandom, draw } from './random.ts'
import type { Accept, Load, Message, World } from './world.ts'

const CONCURRENT_COMMITS = 4
/** The generator sends what is due after each sleep. */
const TICK_MS = 1
const PROBE_MS = 5
const SEED = 7

export interface Simulated extends Point {
  /** How often the threads of a part slept, for a message. */
  sleeps: Cost
  readsPerMessage: number
}

export function simulate(load: Load): Simulated {
  const latencies: number[] = []
  const endMs = load.seconds * 1000
  let acknowledged = 0
  let accepts: Accept[] = []
  const world = createWorld(load, (messages) => {
    const nowMs = world.machine.nowMs()
    for (const { dueMs } of messages) latencies.push(nowMs - dueMs)
    if (nowMs >= endMs) return
    acknowledged += messages.length
    if (load.inFlight > 0) send(messages.map(({ device }) => ({ device, dueMs: nowMs })))
  })
  const { read } = load.costs.gateway
  /** Half of the work of a message is that before its acknowledgement. */
  const send = (messages: Message[]) =>
    world.fleet.run(workOfFleet(load, messages), () => {
      world.reads.count++
      world.reads.messages += messages.length
      const gateway = chooseGateway(load, messages[0]!)
      world.nodes.gateways[gateway]!.thread.run(read / 2, () => accepts[gateway]!(messages))
    })
  accepts =
    load.replicas === 0 ? world.nodes.gateways.map((node) => playDirect(world, node)) : playStream(world)
  if (load.inFlight === 0) sendAtRate(world, send)
  else for (const messages of listFirst(load)) send(messages)
  playBench(world)
  world.machine.play()
  return {
    replicas: load.replicas,
    inFlight: load.inFlight,
    messagesPerSecond: acknowledged / load.seconds,
    p50Ms: load.inFlight > 0 ? 0 : percentile(latencies, 50),
    p99Ms: load.inFlight > 0 ? 0 : percentile(latencies, 99),
    messagesPerCommit: share(world.commits),
    messagesPerBatch: share(world.batches),
    readsPerMessage: 1 / share(world.reads),
    cost: countParts(world, (thread) => thread.usedUs()),
    sleeps: countParts(world, (thread) => thread.sleeps()),
  }
}

function createWorld(load: Load, receive: (messages: Message[]) => void): World {
  const random = createRandom(SEED)
  const machine = createMachine(load.processors, () => draw(load.wake, random))
  const { costs } = load
  const start = (part: keyof Cost, count: number) =>
    Array.from({ length: count }, () => machine.thread(costs[part].wake))
  const [fleet] = start('fleet', 1)
  const startNode = (thread: Thread) => ({ thread, backends: start('database', CONCURRENT_COMMITS) })
  return {
    load,
    machine,
    fleet: fleet!,
    nodes: {
      gateways: start('gateway', load.gateways).map(startNode),
      ingest: start('ingest', load.ingestNodes).map(startNode),
    },
    servers: start('nats', load.replicas),
    random,
    commits: { count: 0, messages: 0 },
    batches: { count: 0, messages: 0 },
    reads: { count: 0, messages: 0 },
    acknowledge(gateway, messages) {
      for (const group of groupByDevice(messages))
        gateway.run(costs.gateway.read / 2, () => fleet!.run(workOfFleet(load, group), () => receive(group)))
    },
  }
}

/** The devices of a partition are those of any gateway. */
const chooseGateway = ({ gateways }: Load, { device }: Message) => Math.floor(device / PARTITIONS) % gateways

const workOfFleet = ({ costs: { fleet } }: Load, messages: Message[]) =>
  (fleet.read + fleet.message * messages.length) / 2

/** PUBACKs of a device leave together. */
function groupByDevice(messages: Message[]): Message[][] {
  const groups = new Map<number, Message[]>()
  for (const message of messages) {
    const group = groups.get(message.device)
    if (group) group.push(message)
    else groups.set(message.device, [message])
  }
  return [...groups.values()]
}

const listFirst = ({ inFlight, devices }: Load): Message[][] =>
  groupByDevice(Array.from({ length: inFlight }, (_, at) => ({ device: at % devices, dueMs: 0 })))

function sendAtRate({ load, machine, fleet }: World, send: (messages: Message[]) => void): void {
  const { messagesPerSecond, seconds, devices } = load
  let sent = 0
  const tick = () => {
    const due = Math.ceil((Math.min(machine.nowMs(), seconds * 1000) * messagesPerSecond) / 1000)
    for (; sent < due; sent++) send([{ device: sent % devices, dueMs: (sent * 1000) / messagesPerSecond }])
    if (machine.nowMs() < seconds * 1000) fleet.run(0, () => machine.after(TICK_MS, () => fleet.run(0, tick)))
  }
  tick()
}

/** What else runs on the machine that measures: see `Load`. */
function playBench({ load, machine, nodes }: World): void {
  if (!load.isBench) return
  const { costs, seconds } = load
  const others = machine.thread(costs.gateway.wake)
  const servers = [others, ...[...nodes.gateways, ...nodes.ingest].map(({ thread }) => thread)]
  const waking = machine.thread(costs.fleet.wake)
  const repeat = (thread: Thread, everyMs: number) => {
    if (machine.nowMs() > seconds * 1000) return
    thread.run(0, () => machine.after(everyMs, () => repeat(thread, everyMs)))
  }
  for (const thread of servers) repeat(thread, PROBE_MS)
  repeat(waking, TICK_MS)
}

const share = ({ count, messages }: { count: number; messages: number }) =>
  count === 0 ? 0 : messages / count

function countParts(world: World, read: (thread: Thread) => number): Cost {
  const { gateways, ingest } = world.nodes
  const threads: Record<keyof Cost, Thread[]> = {
    gateway: gateways.map(({ thread }) => thread),
    ingest: ingest.map(({ thread }) => thread),
    database: [...gateways, ...ingest].flatMap(({ backends }) => backends),
    nats: world.servers,
    fleet: [world.fleet],
  }
  const sum = (part: keyof Cost) => threads[part].reduce((total, thread) => total + read(thread), 0)
  return mapParts((part) => sum(part) / world.commits.messages)
}
