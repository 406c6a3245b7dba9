/** Metrics of the stream of ingest: of the stream at each node, of its partitions at the node that stores them. */
import { Gauge, type Registry } from 'prom-client'
import { formatPlace, LANES } from './lanes.ts'
import type { StreamConnection } from './state.ts'
import type { Track } from './tracks.ts'

export function createStreamMetrics(registry: Registry, stream: StreamConnection): void {
  const add = (name: string, help: string, read: () => number) =>
    registry.registerMetric(
      new Gauge({
        name,
        help,
        registers: [],
        collect() {
          this.set(read())
        },
      }),
    )
  add('gangway_ingest_stream_full', 'Whether the stream refuses batches because it is full: 1 or 0', () =>
    Number(stream.state === 'full'),
  )
  add('gangway_ingest_stream_away', 'Whether the stream does not answer: 1 or 0', () =>
    Number(stream.state === 'away'),
  )
  add('gangway_ingest_stream_bytes', 'Bytes in the stream', () => stream.info.state.bytes)
  add('gangway_ingest_stream_max_bytes', 'Bytes that the stream may have', () => stream.info.config.max_bytes)
}

/** @param tracks those of this node, whose number changes */
export function createPartitionMetrics(
  registry: Registry,
  stream: StreamConnection,
  tracks: ReadonlyMap<string, Track>,
): void {
  const labelNames = ['partition']
  const countBatches = (partition: number) =>
    LANES.reduce((sum, lane) => sum + (stream.batches.get(formatPlace({ lane, partition })) ?? 0), 0)
  const waitingMs = (partition: number) =>
    Math.max(
      0,
      ...LANES.map((lane) => {
        const sinceMs = tracks.get(formatPlace({ lane, partition }))?.waitingSinceMs
        return sinceMs === undefined ? 0 : Date.now() - sinceMs
      }),
    )
  const add = (name: string, help: string, read: (partition: number) => number) =>
    registry.registerMetric(
      new Gauge({
        name,
        help,
        labelNames,
        registers: [],
        collect() {
          this.reset()
          const own = new Set([...tracks.values()].map(({ partition }) => partition))
          for (const partition of own) this.set({ partition }, read(partition))
        },
      }),
    )
  add(
    'gangway_ingest_partition_batches',
    'Batches in the stream, of the partitions that this node stores; what was just stored may be among them',
    countBatches,
  )
  add(
    'gangway_ingest_partition_age_seconds',
    'How long the oldest batch that is not stored has been in the stream, of the partitions that this node stores',
    (partition) => waitingMs(partition) / 1000,
  )
}
