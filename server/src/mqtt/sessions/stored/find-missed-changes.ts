import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../../database/tables.ts'
import type { SessionKey } from './stored-sessions.ts'

/**
 * Finds what lost messages of other nodes would have said.
 * @returns lost sessions with a generation above the owned one, owned sessions with new messages, and those that count as
 *   left because this node seemed dead
 */
export async function findMissedChanges(
  db: Kysely<Tables>,
  owned: SessionKey[],
): Promise<{ lost: SessionKey[]; left: SessionKey[]; withMessages: number[] }> {
  if (owned.length === 0) return { lost: [], left: [], withMessages: [] }
  const { rows } = await sql<{ number: string; generation: number; is_lost: boolean; is_left: boolean }>`
    select owned.number, owned.generation, session.number is null as is_lost, session.node_id is null as is_left
    from unnest(${owned.map(({ number }) => number)}::bigint[], ${owned.map(({ generation }) => generation)}::int[])
      as owned (number, generation)
    left join mqtt_sessions as session on session.number = owned.number and session.generation = owned.generation
    where session.node_id is null or exists (
      select from mqtt_session_messages where session_number = owned.number and packet_id is null)`.execute(
    db,
  )
  const changes = rows.map((row) => ({ ...row, number: Number(row.number) }))
  return {
    lost: changes
      .filter((row) => row.is_lost)
      .map(({ number, generation }) => ({ number, generation: generation + 1 })),
    left: changes.filter((row) => row.is_left && !row.is_lost),
    withMessages: changes.filter((row) => !row.is_lost).map(({ number }) => number),
  }
}
