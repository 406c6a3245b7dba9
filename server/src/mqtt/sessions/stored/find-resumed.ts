import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../../database/tables.ts'
import type { SessionKey } from './stored-sessions.ts'

/** @returns for each session whether it has been opened since it had this generation; false if it has ended */
export async function findResumed(db: Kysely<Tables>, sessions: SessionKey[]): Promise<boolean[]> {
  const { rows } = await sql<{ number: string; generation: number }>`
    select number, generation from mqtt_sessions
    where number = any(${sessions.map(({ number }) => number)}::bigint[])`.execute(db)
  const generations = new Map(rows.map((row) => [Number(row.number), row.generation]))
  return sessions.map(({ number, generation }) => (generations.get(number) ?? 0) > generation)
}
