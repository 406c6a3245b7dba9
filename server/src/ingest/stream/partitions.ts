/** How far the partitions are stored, and by which node: the truth about both. [docs/stream#partitions] */
import { type Kysely, sql } from 'kysely'
import type { StreamLane } from '../../database/tables/ingest.ts'
import type { Tables } from '../../database/tables.ts'
import { findDeadNodes } from '../../nodes/node-lock.ts'
import { LANES, type Place } from './lanes.ts'

/** More nodes than this cannot share the work. */
const PARTITIONS = 64
/** A node that hangs for this long loses its partitions; one that died loses them at once. */
export const LEASE_SECONDS = 20

/** The next message to store: its batch, and its place in the batch. */
export interface Position {
  sequence: number
  part: number
  /** The latest time at which the stream stored a batch before: nanoseconds since 1970; 0 before the first one. */
  batchTime: bigint
}

/** @returns the position that a batch of the time leads to; the clock of NATS may go back, the time of a position must not */
export const moveTo = (
  { batchTime }: Position,
  time: bigint,
  place: Pick<Position, 'sequence' | 'part'>,
): Position => ({ ...place, batchTime: time > batchTime ? time : batchTime })

export interface Held extends Place, Position {
  /** Grows with each node that takes the partition. */
  fence: string
}

/** @returns the number of partitions, which was set at the first start with a stream */
export async function insertPartitions(db: Kysely<Tables>): Promise<number> {
  await sql`
    insert into ingest_partitions (partition, lane)
    select partition, lane from generate_series(0, ${PARTITIONS - 1}::int) as partition, unnest(${LANES}::text[]) as lane
    where not exists (select from ingest_partitions)
    on conflict do nothing`.execute(db)
  const { rows } = await sql<{ count: number }>`
    select count(distinct partition)::int as count from ingest_partitions`.execute(db)
  return rows[0]!.count
}

/** Another node stores the partitions now, or they are not where this node believed. */
export class FencedError extends Error {
  override name = 'FencedError'
}

/** Messages of a partition: the position before the first one, and the position that they reach. */
export interface Reached extends Pick<Held, 'partition' | 'fence'> {
  from: Position
  to: Position
}

/**
 * Must be the last statement of the transaction, so that its locks are short. The answer to an earlier commit may have
 * been lost, so that this node knows an old position: then nothing is stored.
 * @throws FencedError
 */
export async function advancePositions(
  tx: Kysely<Tables>,
  nodeId: string,
  { lane, reached }: { lane: StreamLane; reached: Reached[] },
): Promise<void> {
  const { numAffectedRows } = await sql`
    with reached as (
      select * from unnest(
        ${reached.map(({ partition }) => partition)}::int[],
        ${reached.map(({ fence }) => fence)}::bigint[],
        ${reached.map(({ from }) => from.sequence)}::bigint[],
        ${reached.map(({ from }) => from.part)}::int[],
        ${reached.map(({ from }) => `${from.batchTime}`)}::bigint[],
        ${reached.map(({ to }) => to.sequence)}::bigint[],
        ${reached.map(({ to }) => to.part)}::int[],
        ${reached.map(({ to }) => `${to.batchTime}`)}::bigint[]
      ) as row (partition, fence, from_sequence, from_part, from_batch_time, sequence, part, batch_time)
    ), own as (
      select p.partition from ingest_partitions p join reached using (partition)
      where p.lane = ${lane} and p.node_id = ${nodeId}::uuid and p.fence = reached.fence
        and (p.sequence, p.part, p.batch_time)
          = (reached.from_sequence, reached.from_part, reached.from_batch_time)
      order by p.partition
      for update of p
    )
    update ingest_partitions p
    set sequence = reached.sequence, part = reached.part, batch_time = reached.batch_time
    from reached join own using (partition)
    where p.lane = ${lane} and p.partition = reached.partition`.execute(tx)
  if (Number(numAffectedRows) < reached.length)
    throw new FencedError('these partitions are stored by another node, or further than this node knew')
}

/** @returns the partitions of the node, with their positions */
export async function listHeld(db: Kysely<Tables>, nodeId: string): Promise<Held[]> {
  const rows = await db
    .selectFrom('ingest_partitions')
    .select(['partition', 'lane', 'sequence', 'part', 'batch_time', 'fence'])
    .where('node_id', '=', nodeId)
    .execute()
  return rows.map(({ sequence, batch_time, ...row }) => ({
    ...row,
    sequence: Number(sequence),
    batchTime: BigInt(batch_time),
  }))
}

/** Releases partitions, after the last commit of this node. */
export async function releasePartitions(
  db: Kysely<Tables>,
  nodeId: string,
  partitions: number[],
): Promise<void> {
  await db
    .updateTable('ingest_partitions')
    .set({ node_id: null })
    .where('node_id', '=', nodeId)
    .where('partition', 'in', partitions)
    .execute()
}

/** Releases all partitions of a node that stops. */
export async function leaveIngest(db: Kysely<Tables>, nodeId: string): Promise<void> {
  await db.updateTable('ingest_partitions').set({ node_id: null }).where('node_id', '=', nodeId).execute()
  await db.deleteFrom('ingest_nodes').where('node_id', '=', nodeId).execute()
}

export interface Share {
  /** Partitions that this node has to release: it has too many, or their positions are in another stream. */
  surplus: number[]
  /** Claimed partitions that begin again, since their positions were in a stream that is gone. */
  restarted: number[]
}

/**
 * Renews the lease of this node, and claims its even share of the partitions.
 * @param stream see `identify`
 */
export const claimShare = (db: Kysely<Tables>, nodeId: string, stream: string): Promise<Share> =>
  db.transaction().execute(async (tx) => {
    await sql`select pg_advisory_xact_lock(hashtext('gangway ingest partitions'))`.execute(tx)
    await sql`
      insert into ingest_nodes (node_id, seen_until)
      values (${nodeId}::uuid, now() + make_interval(secs => ${LEASE_SECONDS}))
      on conflict (node_id) do update set seen_until = excluded.seen_until`.execute(tx)
    await removeDeadNodes(tx, nodeId)
    const { rows } = await sql<{ share: number }>`
      select ceil(count(distinct partition) / (select count(*) from ingest_nodes)::float8)::int as share
      from ingest_partitions`.execute(tx)
    const { share } = rows[0]!
    const { current, outdated } = await listOwn(tx, nodeId, stream)
    const free = share - current.length - outdated.length
    const restarted = free > 0 ? await claimFree(tx, nodeId, { stream, count: free }) : []
    return { surplus: [...outdated, ...current.slice(share)], restarted }
  })

async function removeDeadNodes(tx: Kysely<Tables>, nodeId: string): Promise<void> {
  const others = await tx
    .selectFrom('ingest_nodes')
    .select('node_id')
    .where('node_id', '<>', nodeId)
    .execute()
  const dead = await findDeadNodes(
    tx,
    others.map(({ node_id }) => node_id),
  )
  await sql`
    delete from ingest_nodes where seen_until < now() or node_id = any(${[...dead]}::uuid[])`.execute(tx)
  await sql`
    update ingest_partitions set node_id = null
    where node_id is not null and node_id not in (select node_id from ingest_nodes)`.execute(tx)
}

async function listOwn(tx: Kysely<Tables>, nodeId: string, stream: string) {
  const { rows } = await sql<{ partition: number; isCurrent: boolean }>`
    select partition, bool_and(stream = ${stream}) as "isCurrent" from ingest_partitions
    where node_id = ${nodeId}::uuid group by partition order by partition`.execute(tx)
  const list = (isCurrent: boolean) =>
    rows.filter((row) => row.isCurrent === isCurrent).map(({ partition }) => partition)
  return { current: list(true), outdated: list(false) }
}

async function claimFree(
  tx: Kysely<Tables>,
  nodeId: string,
  { stream, count }: { stream: string; count: number },
): Promise<number[]> {
  const { rows } = await sql<{ partition: number; isRestarted: boolean }>`
    with free as materialized (
      select partition, lane, stream not in ('', ${stream}) as "isRestarted" from ingest_partitions
      where partition in (
        select distinct partition from ingest_partitions where node_id is null order by partition limit ${count}
      )
      order by partition, lane for update
    )
    update ingest_partitions p set
      node_id = ${nodeId}::uuid,
      fence = p.fence + 1,
      sequence = case when p.stream = ${stream} then p.sequence else 1 end,
      part = case when p.stream = ${stream} then p.part else 0 end,
      batch_time = case when p.stream = ${stream} then p.batch_time else 0 end,
      stream = ${stream}
    from free where (p.partition, p.lane) = (free.partition, free.lane)
    returning p.partition, "isRestarted"`.execute(tx)
  return [...new Set(rows.filter((row) => row.isRestarted).map(({ partition }) => partition))]
}
