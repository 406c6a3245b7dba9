/** The points that `npm run bench -- scaling --json` measured. The model takes its parameters from them, and is checked by them. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Finding } from '../measure/finding.ts'
import type { Machine, Result } from '../report.ts'

/** Processor time of a message in microseconds, by process. `ingest` is 0 where the gateway stores the messages itself. */
export interface Cost {
  gateway: number
  ingest: number
  database: number
  nats: number
  /** The load generator, which shares the processors. */
  fleet: number
}

export const PARTS = ['gateway', 'ingest', 'database', 'nats', 'fleet'] as const

export const mapParts = <T>(make: (part: keyof Cost) => T): Record<keyof Cost, T> =>
  Object.fromEntries(PARTS.map((part) => [part, make(part)])) as Record<keyof Cost, T>

/** A load that was measured, or simulated. */
export interface Point {
  /** Replicas of the stream; 0 without one. */
  replicas: number
  /** The rate at which messages were sent; with `inFlight` the rate at which they were acknowledged. */
  messagesPerSecond: number
  /** So many messages were unacknowledged at all times, for the greatest rate; 0 for a fixed rate. */
  inFlight: number
  /** PUBACK, from the time at which a message was due; 0 with `inFlight`. */
  p50Ms: number
  p99Ms: number
  messagesPerCommit: number
  /** Of a batch in the stream; 0 without one. */
  messagesPerBatch: number
  cost: Cost
}

export interface MeasuredPoint extends Point {
  /** How late a process that slept was woken meanwhile, because of all programs on the machine. */
  wake: Delay
  /** Bytes of the write-ahead log of PostgreSQL for a message. */
  walBytes: number
  /** Bytes of the table of samples, with its indexes, for a message. */
  tableBytes: number
}

/** How long an acknowledgement of PostgreSQL or NATS takes alone. */
export interface Delay {
  p50Ms: number
  p99Ms: number
}

export interface Figures {
  measuredAt: string
  machine: Machine
  points: MeasuredPoint[]
  commit: Delay
  /** By the number of replicas. */
  publish: Map<number, Delay>
}

const COMMIT = 'a commit alone'
const publishName = (replicas: number) => `a batch in the stream alone, ${replicas} replicas`

const describeWay = (replicas: number) =>
  replicas === 0 ? 'direct' : `through the stream, ${replicas} ${replicas === 1 ? 'replica' : 'replicas'}`

export const namePoint = ({
  replicas,
  messagesPerSecond,
  inFlight,
}: Pick<Point, 'replicas' | 'messagesPerSecond' | 'inFlight'>): string =>
  `${describeWay(replicas)}, ${inFlight > 0 ? 'at most' : `${messagesPerSecond.toLocaleString('en')} a second`}`

export const makeFindings = ({
  points,
  commit,
  publish,
}: Pick<Figures, 'points' | 'commit' | 'publish'>): Finding[] => [
  ...points.map(({ cost, wake, ...point }) => ({
    measure: namePoint(point),
    unit: 'messages/s',
    value: point.messagesPerSecond,
    details: { ...point, ...cost, wakeP50Ms: wake.p50Ms, wakeP99Ms: wake.p99Ms },
  })),
  { measure: COMMIT, unit: 'ms', value: commit.p50Ms, details: { ...commit } },
  ...[...publish].map(([replicas, delay]) => ({
    measure: publishName(replicas),
    unit: 'ms',
    value: delay.p50Ms,
    details: { ...delay, replicas },
  })),
]

/** A point in the details of a finding. */
interface FlatPoint extends Omit<MeasuredPoint, 'cost' | 'wake'>, Cost {
  wakeP50Ms: number
  wakeP99Ms: number
}

/** @throws if figures are missing */
function parseFigures(results: Result[]): Figures {
  const result = results.find(({ case: name }) => name === 'scaling')
  if (!result) throw new Error('the figures are not those of `npm run bench -- scaling --json`')
  const delays = new Map<number, Delay>()
  let commit: Delay | undefined
  const points: MeasuredPoint[] = []
  for (const { measure, details } of result.findings) {
    if (measure === COMMIT) commit = details as unknown as Delay
    else if (details?.messagesPerSecond !== undefined) {
      const { gateway, ingest, database, nats, fleet, wakeP50Ms, wakeP99Ms, ...point } =
        details as unknown as FlatPoint
      points.push({
        ...point,
        wake: { p50Ms: wakeP50Ms, p99Ms: wakeP99Ms },
        cost: { gateway, ingest, database, nats, fleet },
      })
    } else if (details?.replicas !== undefined) delays.set(details.replicas, details as unknown as Delay)
  }
  if (!commit || points.length === 0) throw new Error('the figures have no points')
  return { measuredAt: result.measuredAt, machine: result.machine, points, commit, publish: delays }
}

/** @returns the figures in the repository */
export const readFigures = (): Figures =>
  parseFigures(
    JSON.parse(readFileSync(fileURLToPath(new URL('../../figures/scaling.json', import.meta.url)), 'utf8')),
  )
