import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../../database/tables.ts'
import type { Subscription } from '../publication.ts'
import type { SessionSummary } from './stored-sessions.ts'

/** @returns the sessions of each client, the oldest first */
export async function listSessions(db: Kysely<Tables>, clientNumbers: number[]): Promise<SessionSummary[][]> {
  const { rows } = await sql<{
    number: string
    client_number: number
    client_id: string
    subscriptions: Subscription[]
  }>`
    select number, client_number, client_id, subscriptions from mqtt_sessions
    where client_number = any(${[...new Set(clientNumbers)]}::int[]) and (expires_at is null or expires_at > now())
    order by number`.execute(db)
  const summaries = new Map<number, SessionSummary[]>(clientNumbers.map((number) => [number, []]))
  for (const { number, client_number, client_id, subscriptions } of rows)
    summaries.get(client_number)!.push({ number: Number(number), clientId: client_id, subscriptions })
  return clientNumbers.map((number) => summaries.get(number)!)
}
