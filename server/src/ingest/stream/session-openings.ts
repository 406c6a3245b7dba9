/**
 * Stores the openings of sessions that an ingest node has seen, when it releases partitions: the node that takes them reads
 * these openings. [docs/stream#partitions]
 */
import { type Kysely, sql } from 'kysely'
import type { StreamLane } from '../../database/tables/ingest.ts'
import type { Tables } from '../../database/tables.ts'

/** No gateway stands still for longer and still has its connections. */
export const RECENT_SECONDS = 600

/** An opening of a session that had messages in a lane of a partition. */
export interface SessionOpening {
  /** The number of the session. */
  number: number
  lane: StreamLane
  partition: number
  generation: number
  /** How long ago it was first seen. */
  ageSeconds: number
}

/** @param tx the transaction that releases the partitions */
export async function insertOpenings(tx: Kysely<Tables>, openings: SessionOpening[]): Promise<void> {
  await sql`
    delete from ingest_session_openings
    where seen_at < now() - make_interval(secs => ${RECENT_SECONDS})`.execute(tx)
  if (openings.length === 0) return
  await sql`
    insert into ingest_session_openings (session_number, lane, partition, generation, seen_at)
    select number, lane, partition, generation, now() - make_interval(secs => age)
    from unnest(
      ${openings.map(({ number }) => number)}::bigint[],
      ${openings.map(({ lane }) => lane)}::text[],
      ${openings.map(({ partition }) => partition)}::int[],
      ${openings.map(({ generation }) => generation)}::int[],
      ${openings.map(({ ageSeconds }) => ageSeconds)}::float8[]
    ) as opening (number, lane, partition, generation, age)
    on conflict (partition, lane, session_number) do update
    set generation = excluded.generation, seen_at = excluded.seen_at
    where ingest_session_openings.generation < excluded.generation`.execute(tx)
}

/** @returns what the former owners of the partitions knew */
export async function listOpenings(db: Kysely<Tables>, partitions: number[]): Promise<SessionOpening[]> {
  const rows = await db
    .selectFrom('ingest_session_openings')
    .select(['session_number', 'lane', 'partition', 'generation'])
    .select(sql<number>`extract(epoch from now() - seen_at)::float8`.as('ageSeconds'))
    .where('partition', 'in', partitions)
    .execute()
  return rows.map(({ session_number, ...row }) => ({ ...row, number: Number(session_number) }))
}
