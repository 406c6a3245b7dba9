import { type Kysely, type Selectable, sql } from 'kysely'
import type { Tables } from '../../database/tables.ts'
import type { LimitOutcome } from './limit-advice.ts'

export interface LimitEventRow {
  client_number: number
  limit_name: string
  outcome: LimitOutcome
  count: number
  bytes: number
  delay_ms: number
  first_at: Date
  last_at: Date
  message: string
}

export type StoredLimitEvent = Selectable<Tables['mqtt_limit_events']>

/** Adds to what is stored. Rows of deleted clients are left out. The order of the rows avoids a deadlock of two nodes. */
export async function addLimitEvents(db: Kysely<Tables>, rows: LimitEventRow[]): Promise<void> {
  await sql`
    insert into mqtt_limit_events as row (client_number, limit_name, outcome, count, bytes, delay_ms, first_at, last_at, message)
    select new.client_number, new.limit_name, new.outcome, new.count, new.bytes, new.delay_ms, new.first_at, new.last_at, new.message
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as new (client_number int, limit_name text, outcome text,
      count bigint, bytes bigint, delay_ms bigint, first_at timestamptz, last_at timestamptz, message text)
    join provider_clients as client on client.number = new.client_number
    order by new.client_number, new.limit_name, new.outcome
    on conflict (client_number, limit_name, outcome) do update set
      count = row.count + excluded.count,
      bytes = row.bytes + excluded.bytes,
      delay_ms = row.delay_ms + excluded.delay_ms,
      first_at = least(row.first_at, excluded.first_at),
      last_at = greatest(row.last_at, excluded.last_at),
      message = case when excluded.last_at >= row.last_at then excluded.message else row.message end`.execute(
    db,
  )
}

/** A client has few rows: at most one for each limit and outcome. */
export const listLimitEvents = (db: Kysely<Tables>, clientNumber: number) =>
  db
    .selectFrom('mqtt_limit_events')
    .selectAll()
    .where('client_number', '=', clientNumber)
    .orderBy('limit_name')
    .orderBy('outcome')
    .execute()
