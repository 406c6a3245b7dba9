import type { CreatedAt } from './columns.ts'

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
}
