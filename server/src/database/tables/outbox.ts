import type { ColumnType } from 'kysely'
import type { CreatedAt } from './columns.ts'

export interface OutboxTables {
  outbox: {
    id: ColumnType<string, never, never>
    subject: string
    payload: ColumnType<unknown, string, never>
    created_at: CreatedAt
  }
}
