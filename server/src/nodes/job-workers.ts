/**
 * Releases jobs that a node had locked when it died. graphile-worker itself releases them only after four hours, which
 * is too late for an alarm notification.
 */
import type pg from 'pg'
import { NODE_IS_DEAD } from './node-lock.ts'

/** Does nothing about those that are on record. */
export const insertWorkers = (pool: pg.Pool, nodeId: string, workerIds: string[]): Promise<unknown> =>
  pool.query(
    'insert into job_workers (worker_id, node_id) select worker_id, $1 from unnest($2::text[]) as worker_id on conflict do nothing',
    [nodeId, workerIds],
  )

export const deleteWorkers = (pool: pg.Pool, nodeId: string): Promise<unknown> =>
  pool.query('delete from job_workers where node_id = $1', [nodeId])

/** Unlocks the jobs of dead nodes. */
export async function releaseDeadWorkers(pool: pg.Pool, nodeId: string): Promise<void> {
  const { rows } = await pool.query<{ node_id: string }>(
    'select distinct node_id from job_workers where node_id <> $1',
    [nodeId],
  )
  for (const { node_id } of rows)
    await pool.query(
      `with dead as (
         delete from job_workers where node_id = $1::uuid and ${NODE_IS_DEAD} returning worker_id
       )
       select graphile_worker.force_unlock_workers(array(select worker_id from dead))`,
      [node_id],
    )
}
