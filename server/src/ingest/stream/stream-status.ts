/** Messages of all nodes that wait in the stream. [docs/stream#watch-it] */
import { formatPlace, type Place } from './lanes.ts'
import type { StreamConnection, StreamContext, StreamState } from './state.ts'
import { findBatch } from './tracks.ts'

export interface StreamStatus {
  /** The numbers include all messages up to this time. */
  asOf: Date
  state: StreamState
  bytes: number
  maxBytes: number
  replicas: number
  partitions: PartitionStatus[]
}

export interface PartitionStatus {
  partition: number
  /** The node that stores it; null if none does. */
  nodeId: string | null
  batches: number
  /** When the oldest batch came that is not stored; null if all are. */
  oldestAt: Date | null
}

/** Each batch that is read may have a megabyte. */
const READ_AT_ONCE = 4
const SHARED_MS = 2000

/** @returns a reader whose callers share a reading for some seconds */
export function createStatusReader(
  ctx: Pick<StreamContext, 'db'>,
  stream: StreamConnection,
): () => Promise<StreamStatus> {
  let shared: Promise<StreamStatus> | undefined
  const expire = () => void (shared = undefined)
  return () => (shared ??= readStreamStatus(ctx, stream).finally(() => setTimeout(expire, SHARED_MS).unref()))
}

/** @throws if the database does not answer; a stream that does not answer has the state `away`, and older numbers */
async function readStreamStatus(
  { db }: Pick<StreamContext, 'db'>,
  stream: StreamConnection,
): Promise<StreamStatus> {
  // Taken before the positions: what comes later may be missing.
  const { lookedAt: asOf, batches, info } = stream
  const positions = await db
    .selectFrom('ingest_partitions')
    .select(['partition', 'lane', 'sequence', 'node_id'])
    .orderBy('partition')
    .execute()
  const oldest = new Map<string, Date>()
  const waiting = positions.filter((place) => batches.has(formatPlace(place)))
  const isAnswered = await readOldest(stream, waiting, oldest)
  const partitions = new Map<number, PartitionStatus>()
  for (const { node_id: nodeId, ...place } of positions) {
    const name = formatPlace(place)
    const oldestAt = oldest.get(name) ?? null
    const lane = { partition: place.partition, nodeId, batches: oldestAt ? batches.get(name)! : 0, oldestAt }
    partitions.set(place.partition, add(partitions.get(place.partition), lane))
  }
  return {
    asOf,
    state: isAnswered ? stream.state : 'away',
    bytes: info.state.bytes,
    maxBytes: info.config.max_bytes,
    replicas: info.config.num_replicas,
    partitions: [...partitions.values()],
  }
}

/** @param oldest receives when the oldest batch of each place came that is not stored @returns whether the stream answered */
async function readOldest(
  stream: StreamConnection,
  waiting: (Place & { sequence: string })[],
  oldest: Map<string, Date>,
): Promise<boolean> {
  if (stream.state === 'away') return false
  try {
    for (let at = 0; at < waiting.length; at += READ_AT_ONCE)
      await Promise.all(
        waiting.slice(at, at + READ_AT_ONCE).map(async (place) => {
          const found = await findBatch(stream, place, Number(place.sequence))
          if (found) oldest.set(formatPlace(place), found.receivedAt)
        }),
      )
    return true
  } catch {
    return false
  }
}

/** @returns the time up to which all that arrived is stored, in ms since 1970; undefined while the stream is away */
export function findStoredUntilMs({ state, asOf, partitions }: StreamStatus): number | undefined {
  if (state === 'away') return undefined
  return Math.min(...partitions.map(({ oldestAt }) => Number(oldestAt ?? asOf)), Number(asOf))
}

const add = (known: PartitionStatus | undefined, lane: PartitionStatus): PartitionStatus =>
  known
    ? {
        ...known,
        batches: known.batches + lane.batches,
        oldestAt: earlier(known.oldestAt, lane.oldestAt),
      }
    : lane

const earlier = (one: Date | null, other: Date | null): Date | null =>
  one && other ? (one < other ? one : other) : (one ?? other)
