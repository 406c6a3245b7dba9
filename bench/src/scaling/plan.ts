/** What a load needs: processes by role, processors, bytes. */
import type { Figures } from './figures.ts'
import { fitCosts, type PartCost } from './fit.ts'
import { simulate } from './simulate.ts'

export interface PlannedLoad {
  devices: number
  messagesPerSecond: number
}

/** What is taken for granted. The first ones are measured elsewhere in this repository, the others are to be chosen. */
export const ASSUMPTIONS = {
  /** Of a message, as in the measured load. */
  values: 3,
  /** Packed bytes of a message, and of each of its values. [docs/operating#history-and-growth] */
  packedMessageBytes: 9,
  packedValueBytes: 0.58,
  /** Days that are kept as rows, and packed. */
  rowDays: 2,
  packedDays: 365,
  /** A message with its PUBACK on the wire: PUBLISH and PUBACK with 52 bytes of TCP and IP for each segment. */
  wireBytes: 250,
  /** A batch is stored with so many bytes for each message, and 150 for itself. [docs/stream#the-stream] */
  streamMessageBytes: 170,
  streamBatchBytes: 150,
  /** Of one gateway; `npm run bench -- storm` has run with 10,000. */
  connections: 20_000,
  /** MB of memory of a node, and KB of a connection. */
  nodeMB: 300,
  connectionKB: 30,
  /** The share of its processor that a process may take, so that it answers in time. */
  utilization: 0.7,
  /** A gateway with more messages would let its devices wait for longer: ms. */
  p99Ms: 50,
  /** A larger machine for PostgreSQL is rarely to be had: processors, and MB a second of its log. */
  databaseProcessors: 64,
  databaseLogMB: 150,
  /** Of each kind of message: more ingest nodes cannot share the work. [docs/stream#partitions] */
  partitions: 64,
} as const

/** Rates of one gateway from which the greatest is chosen that leaves room. */
const RATES = [100, 250, 500, 1000, 2000, 4000, 6000, 8000, 10_000, 15_000, 20_000, 30_000]
/** Each process of a planned installation finds a free processor. */
const PROCESSORS = 16
const SECONDS = 5

export interface Plan extends PlannedLoad {
  gateways: number
  /** 0 without a stream. */
  ingestNodes: number
  /** Processors that work, by part. */
  processors: { gateway: number; ingest: number; database: number; nats: number }
  memoryGB: number
  messagesPerCommit: number
  commitsPerSecond: number
  p50Ms: number
  p99Ms: number
  logMBPerSecond: number
  /** PostgreSQL servers that this is too much for one of. */
  databases: number
  /** Bytes a second that devices and gateways exchange. */
  deviceMBPerSecond: number
  /** Written by all servers of NATS together. */
  streamMBPerSecond: number
  rowsTB: number
  packedTB: number
  /** The parts of one installation that this is too much for. */
  ends: string[]
}

export function plan(figures: Figures, load: PlannedLoad, replicas: number): Plan {
  const { values, rowDays, packedDays, utilization, ...rest } = ASSUMPTIONS
  const node = chooseNode(figures, load, replicas)
  const { gateway, ingest, database, nats } = node.cost
  const countProcessors = (us: number) => (load.messagesPerSecond * us) / 1_000_000
  const processors = {
    gateway: countProcessors(gateway),
    ingest: countProcessors(ingest),
    database: countProcessors(database),
    nats: countProcessors(nats),
  }
  const gateways = Math.ceil(load.messagesPerSecond / node.rate)
  const ingestNodes = replicas === 0 ? 0 : Math.ceil(processors.ingest / utilization)
  const logMBPerSecond =
    (load.messagesPerSecond * findLogBytes(figures, replicas, node.messagesPerCommit)) / 1e6
  const messagesPerDay = load.messagesPerSecond * 86_400
  const packedBytes = rest.packedMessageBytes + rest.packedValueBytes * values
  const databases = Math.ceil(
    Math.max(
      processors.database / utilization / rest.databaseProcessors,
      logMBPerSecond / rest.databaseLogMB,
    ),
  )
  return {
    ...load,
    gateways,
    ingestNodes,
    processors,
    memoryGB: ((gateways + ingestNodes) * rest.nodeMB) / 1000 + (load.devices * rest.connectionKB) / 1e6,
    messagesPerCommit: node.messagesPerCommit,
    commitsPerSecond: load.messagesPerSecond / node.messagesPerCommit,
    p50Ms: node.p50Ms,
    p99Ms: node.p99Ms,
    logMBPerSecond,
    databases,
    deviceMBPerSecond: (load.messagesPerSecond * rest.wireBytes) / 1e6,
    streamMBPerSecond:
      replicas === 0
        ? 0
        : (load.messagesPerSecond *
            replicas *
            (rest.streamMessageBytes + rest.streamBatchBytes / node.messagesPerBatch)) /
          1e6,
    rowsTB: (messagesPerDay * rowDays * findRowBytes(figures)) / 1e12,
    packedTB: (messagesPerDay * packedDays * packedBytes) / 1e12,
    ends: [
      ...(databases > 1 ? ['PostgreSQL'] : []),
      ...(ingestNodes > rest.partitions ? ['partitions'] : []),
      // One server of NATS leads the stream, and does one thing after the other.
      ...(replicas > 0 && processors.nats / replicas > utilization ? ['leader of the stream'] : []),
    ],
  }
}

/** @returns a gateway at the greatest rate at which its process and those behind it have room */
function chooseNode(figures: Figures, load: PlannedLoad, replicas: number) {
  const costs = fitCosts(figures, replicas)
  const most = load.messagesPerSecond * Math.min(1, ASSUMPTIONS.connections / load.devices)
  let chosen: (ReturnType<typeof simulate> & { rate: number }) | undefined
  for (const rate of RATES) {
    const offered = Math.min(rate, most)
    const node = simulate({
      replicas,
      messagesPerSecond: offered,
      inFlight: 0,
      devices: Math.max(1, Math.round((load.devices * offered) / load.messagesPerSecond)),
      seconds: SECONDS,
      processors: PROCESSORS,
      // Devices are no machine of the installation.
      costs: { ...costs, fleet: free },
      commit: figures.commit,
      publish: figures.publish.get(replicas) ?? figures.commit,
      wake: findCalmest(figures),
    })
    if (chosen && offered === chosen.rate) break
    // Larger batches cost less: a node that has no room at a moderate rate may have it at a greater one.
    const hasRoom =
      node.cost.gateway * offered <= ASSUMPTIONS.utilization * 1_000_000 && node.p99Ms <= ASSUMPTIONS.p99Ms
    if (!chosen || hasRoom) chosen = { ...node, rate: offered }
  }
  return chosen!
}

const free: PartCost = { message: 0, batch: 0, commit: 0 }

/** @returns the bytes of a message as a row, where most rows were written */
const findRowBytes = ({ points }: Figures) =>
  points.toSorted((one, other) => other.messagesPerSecond - one.messagesPerSecond)[0]!.tableBytes

/** @returns the wake of the point that others disturbed least */
const findCalmest = ({ points }: Figures) =>
  points.map(({ wake }) => wake).toSorted((one, other) => one.p99Ms - other.p99Ms)[0]!

/** @returns what was measured at the commits that are nearest in size */
function findLogBytes({ points }: Figures, replicas: number, messagesPerCommit: number): number {
  const distance = (point: { messagesPerCommit: number }) =>
    Math.abs(Math.log(point.messagesPerCommit / messagesPerCommit))
  const own = points.filter((point) => point.replicas === replicas)
  return own.toSorted((one, other) => distance(one) - distance(other))[0]!.walBytes
}
