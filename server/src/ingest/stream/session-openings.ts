/**
 * Stores the openings of sessions in the transactions that store their first messages. The node that takes a partition reads
 * them, so that it knows what the former owner knew, also if that has died. [docs/stream#partitions]
 */
import { type Kysely, sql } from 'kysely'
import type { StreamLane } from '../../database/tables/ingest.ts'
import type { Tables } from '../../database/tables.ts'

/** No gateway stands still for longer and still has its connections. */
const RECENT_SECONDS = 600

/** An opening of a session that had messages in a partition. */
export interface SessionOpening {
  /** The number of the session. */
  number: number
  partition: number
  generation: number
}

/** @param openings the latest one of each session, which was not known before */
export async function insertOpenings(
  tx: Kysely<Tables>,
  lane: StreamLane,
  openings: SessionOpening[],
): Promise<void> {
  await sql`
    insert into ingest_session_openings (session_number, lane, partition, generation, seen_at)
    select number, ${lane}, partition, generation, now()
    from unnest(
      ${openings.map(({ number }) => number)}::bigint[],
      ${openings.map(({ partition }) => partition)}::int[],
      ${openings.map(({ generation }) => generation)}::int[]
    ) as opening (number, partition, generation)
    on conflict (partition, lane, session_number) do update
    set generation = excluded.generation, seen_at = excluded.seen_at
    where ingest_session_openings.generation < excluded.generation`.execute(tx)
}

/** @returns those of the last minutes */
export async function listOpenings(
  db: Kysely<Tables>,
  partitions: number[],
): Promise<(SessionOpening & { lane: StreamLane })[]> {
  const rows = await db
    .selectFrom('ingest_session_openings')
    .select(['session_number', 'lane', 'partition', 'generation'])
    .where('partition', 'in', partitions)
    .where('seen_at', '>', sql<Date>`now() - make_interval(secs => ${RECENT_SECONDS})`)
    .execute()
  return rows.map(({ session_number, ...row }) => ({ ...row, number: Number(session_number) }))
}

export async function deletePastOpenings(db: Kysely<Tables>): Promise<void> {
  await db
    .deleteFrom('ingest_session_openings')
    .where('seen_at', '<', sql<Date>`now() - make_interval(secs => ${RECENT_SECONDS})`)
    .execute()
}
