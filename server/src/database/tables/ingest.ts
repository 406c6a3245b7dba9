import type { Generated } from 'kysely'
import type { CreatedAt } from './columns.ts'

export type StreamLane = 'telemetry' | 'reported' | 'dead_letters'

export interface IngestTables {
  dead_letters: {
    id: string
    client_number: number
    received_at: CreatedAt
    topic: string
    payload: Buffer
    reason: string
    message: string
    traceparent: string | null
  }
  ingest_partitions: {
    partition: number
    lane: StreamLane
    stream: Generated<string>
    /** A bigint, like `batch_time` and `fence`. */
    sequence: Generated<string>
    part: Generated<number>
    batch_time: Generated<string>
    node_id: string | null
    fence: Generated<string>
  }
  ingest_session_openings: {
    /** A bigint. */
    session_number: string
    lane: StreamLane
    partition: number
    generation: number
    seen_at: Date
  }
  ingest_nodes: {
    node_id: string
    seen_until: Date
  }
  unreadable_batches: {
    stream: string
    sequence: number
    partition: number
    lane: StreamLane
    received_at: Date
    reason: string
    payload: Buffer
  }
}
