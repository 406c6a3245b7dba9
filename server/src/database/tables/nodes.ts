import type { Timestamp } from './columns.ts'

export interface NodeTables {
  server_nodes: { id: string; beat: string; died_at: Timestamp | null }
}
