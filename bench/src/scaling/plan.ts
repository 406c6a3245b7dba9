/** What a load needs: processes by role, processors, bytes. */
import { ASSUMPTIONS, EXAMPLE_PRICES } from './assumptions.ts'
import { chooseNode, type Known, type Node, type PlannedLoad } from './choose-node.ts'
import { type Cost, type Figures, mapParts } from './figures.ts'

/** Processors that work, by part. */
type Processors = Omit<Cost, 'fleet'>

export interface Plan extends PlannedLoad {
  gateways: number
  /** 0 without a stream. */
  ingestNodes: number
  processors: Processors
  /** Virtual processors with the room that `utilization` leaves each process. */
  vcpu: number
  memoryGB: number
  messagesPerCommit: number
  commitsPerSecond: number
  p50Ms: number
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
  /** Among so many the load would have to be divided. */
  installations: number
  monthlyPrice: number
}

export function plan(known: Known, load: PlannedLoad, replicas: number): Plan {
  const { messagesPerSecond } = load
  const node = chooseNode(known, load, replicas)
  const processors = mapParts((part) => (messagesPerSecond * node.cost[part]) / 1_000_000)
  const vcpu = countVcpu(processors)
  const gateways = Math.ceil(messagesPerSecond / node.rate)
  const ingestNodes = replicas === 0 ? 0 : Math.ceil(processors.ingest / ASSUMPTIONS.utilization)
  const memoryGB =
    ((gateways + ingestNodes) * ASSUMPTIONS.nodeMB) / 1000 + (load.devices * ASSUMPTIONS.connectionKB) / 1e6
  const bytes = countBytes(known.figures, load, { node, replicas })
  const limits = findLimits({ processors, ingestNodes, replicas, logMBPerSecond: bytes.logMBPerSecond })
  return {
    ...load,
    ...bytes,
    gateways,
    ingestNodes,
    processors,
    vcpu,
    memoryGB,
    messagesPerCommit: node.messagesPerCommit,
    commitsPerSecond: messagesPerSecond / node.messagesPerCommit,
    p50Ms: node.p50Ms,
    databases: limits[0]!.needed,
    ends: limits.flatMap(({ name, needed }) => (needed > 1 ? [name] : [])),
    installations: Math.max(...limits.map(({ needed }) => needed)),
    monthlyPrice:
      vcpu * EXAMPLE_PRICES.vcpu +
      memoryGB * EXAMPLE_PRICES.memoryGB +
      (bytes.rowsTB + bytes.packedTB) * EXAMPLE_PRICES.diskTB,
  }
}

/** A part of an installation has a processor at least. */
const countVcpu = ({ gateway, ingest, database, nats }: Processors): number =>
  [gateway, ingest, database, nats]
    .filter((busy) => busy > 0)
    .reduce((sum, busy) => sum + Math.max(1, Math.ceil(busy / ASSUMPTIONS.utilization)), 0)

function countBytes(
  figures: Figures,
  { messagesPerSecond }: PlannedLoad,
  { node, replicas }: { node: Node; replicas: number },
) {
  const { values, rowDays, packedDays, ...rest } = ASSUMPTIONS
  const messagesPerDay = messagesPerSecond * 86_400
  const streamBytes =
    replicas === 0 ? 0 : replicas * (rest.streamMessageBytes + rest.streamBatchBytes / node.messagesPerBatch)
  return {
    logMBPerSecond: (messagesPerSecond * findLogBytes(figures, replicas, node.messagesPerCommit)) / 1e6,
    deviceMBPerSecond: (messagesPerSecond * rest.wireBytes) / 1e6,
    streamMBPerSecond: (messagesPerSecond * streamBytes) / 1e6,
    rowsTB: (messagesPerDay * rowDays * findRowBytes(figures)) / 1e12,
    packedTB:
      (messagesPerDay * packedDays * (rest.packedMessageBytes + rest.packedValueBytes * values)) / 1e12,
  }
}

type Needs = Pick<Plan, 'processors' | 'ingestNodes' | 'logMBPerSecond'> & { replicas: number }

/** @returns what an installation has only one of, and how many of them the load needs; PostgreSQL first */
function findLimits({ processors, ingestNodes, logMBPerSecond, replicas }: Needs) {
  const { utilization, databaseProcessors, databaseLogMB, partitions } = ASSUMPTIONS
  const database = Math.max(
    processors.database / utilization / databaseProcessors,
    logMBPerSecond / databaseLogMB,
  )
  // One server of NATS leads the stream, and does one thing after the other.
  const leader = replicas === 0 ? 0 : processors.nats / replicas / utilization
  return [
    { name: 'PostgreSQL', needed: Math.ceil(database) },
    { name: 'partitions', needed: Math.ceil(ingestNodes / partitions) },
    { name: 'leader of the stream', needed: Math.ceil(leader) },
  ]
}

/** @returns the bytes of a message as a row, where most rows were written */
const findRowBytes = ({ points }: Figures) =>
  points.toSorted((one, other) => other.messagesPerSecond - one.messagesPerSecond)[0]!.tableBytes

/** @returns what was measured at the commits that are nearest in size */
function findLogBytes({ points }: Figures, replicas: number, messagesPerCommit: number): number {
  const distance = (point: { messagesPerCommit: number }) =>
    Math.abs(Math.log(point.messagesPerCommit / messagesPerCommit))
  const own = points.filter((point) => point.replicas === replicas)
  return own.toSorted((one, other) => distance(one) - distance(other))[0]!.walBytes
}
