/** What waits in the stream, of all nodes. [docs/stream#watch-it] */
import { formatPlace } from './lanes.ts'
import type { StreamConnection, StreamContext, StreamState } from './state.ts'
import { findBatch } from './tracks.ts'

export interface StreamStatus {
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

/** @throws if the database does not answer; a stream that does not answer has the state `away`, and older numbers */
export async function readStreamStatus(
  { db }: Pick<StreamContext, 'db'>,
  stream: StreamConnection,
): Promise<StreamStatus> {
  const positions = await db
    .selectFrom('ingest_partitions')
    .select(['partition', 'lane', 'sequence', 'node_id'])
    .orderBy('partition')
    .execute()
  const lanes = await Promise.all(
    positions.map(async ({ sequence, node_id, ...place }) => {
      const batches = stream.batches.get(formatPlace(place)) ?? 0
      const oldest = batches > 0 ? await findOldest(stream, place, Number(sequence)) : undefined
      return {
        partition: place.partition,
        nodeId: node_id,
        batches: oldest ? batches : 0,
        oldestAt: oldest ?? null,
      }
    }),
  )
  const partitions = new Map<number, PartitionStatus>()
  for (const lane of lanes) partitions.set(lane.partition, add(partitions.get(lane.partition), lane))
  const { state, config } = stream.info
  return {
    state: stream.state,
    bytes: state.bytes,
    maxBytes: config.max_bytes,
    replicas: config.num_replicas,
    partitions: [...partitions.values()],
  }
}

const findOldest = async (
  stream: StreamConnection,
  place: Parameters<typeof findBatch>[1],
  sequence: number,
): Promise<Date | undefined> =>
  stream.state === 'away'
    ? undefined
    : (await findBatch(stream, place, sequence).catch(() => undefined))?.receivedAt

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
