/** Which process runs which simulation: whoever holds its lease, and goes on saying so. */
import { type Kysely, sql } from 'kysely'
import type { Context } from '../context.ts'
import { NODE_IS_DEAD } from '../database/node-lock.ts'
import type { Tables } from '../database/tables.ts'
import type { Progress } from './progress.ts'
import type { SimulationRow } from '../database/tables/simulations.ts'
import { selectSimulations } from './store.ts'

/** A process that is silent for so long has lost its simulations to another. */
const LEASE_SECONDS = 30

/** Its payload is the id of a simulation that somebody changed. */
export const SIMULATION_CHANGED_CHANNEL = 'gangway_simulation_changed'

/** Once the transaction has committed, every process looks. */
export const notifyOfSimulation = (tx: Kysely<Tables>, id: string) =>
  sql`select pg_notify(${SIMULATION_CHANGED_CHANNEL}, ${id})`.execute(tx)

const leaseUntil = sql<Date>`now() + make_interval(secs => ${LEASE_SECONDS})`

type Node = Pick<Context, 'db' | 'nodeId'>

/** Renews what this process holds, and writes down how that is doing. */
export async function renewLeases({ db, nodeId }: Node, held: Map<string, Progress>): Promise<void> {
  for (const [id, progress] of held)
    await db
      .updateTable('simulations')
      .set({ lease_until: leaseUntil, ...countsOf(progress) })
      .where('id', '=', id)
      .where('lease_node', '=', nodeId)
      .execute()
}

const countsOf = ({ connected, sent, acknowledged, errors, lastError }: Progress) => ({
  connected,
  sent,
  acknowledged,
  errors,
  last_error: lastError,
})

/** What a process held that died without a word is free at once. */
export async function freeLeasesOfDead({ pool, nodeId }: Pick<Context, 'pool' | 'nodeId'>): Promise<void> {
  const { rows } = await pool.query<{ lease_node: string }>(
    'select distinct lease_node from simulations where lease_until > now() and lease_node <> $1',
    [nodeId],
  )
  for (const { lease_node } of rows)
    await pool.query(
      `update simulations set lease_until = null where lease_node = $1::uuid and ${NODE_IS_DEAD}`,
      [lease_node],
    )
}

/** Takes what has work and nobody, the oldest first, as long as there is room. @param room in devices */
export async function claimLeases({ db, nodeId }: Node, room: number): Promise<void> {
  const free = await db
    .selectFrom('simulations')
    .select(['id', 'device_count'])
    .where(isAtWork)
    .where(unheld)
    .orderBy('id')
    .limit(100)
    .execute()
  for (const { id, device_count } of free) {
    if (device_count > room) continue
    const { numUpdatedRows } = await db
      .updateTable('simulations')
      .set({ lease_node: nodeId, lease_until: leaseUntil })
      .where('id', '=', id)
      .where(isAtWork)
      .where(unheld)
      .executeTakeFirstOrThrow()
    if (numUpdatedRows > 0n) room -= device_count
  }
}

/** What is being deleted begins nowhere anew. */
const isAtWork = sql<boolean>`state in ('starting', 'running', 'stopping')`
const unheld = sql<boolean>`(lease_until is null or lease_until < now())`

/** Those of this process. */
export const listHeld = ({ db, nodeId }: Node): Promise<SimulationRow[]> =>
  selectSimulations(db).where('s.lease_node', '=', nodeId).where('s.state', '<>', 'stopped').execute()

/** It runs from now on, unless somebody stopped it meanwhile. @returns since when */
export async function markRunning({ db, nodeId }: Node, id: string): Promise<Date | undefined> {
  const row = await db
    .updateTable('simulations')
    .set({ state: 'running', started_at: sql<Date>`coalesce(started_at, ${new Date()}::timestamptz)` })
    .where('id', '=', id)
    .where('lease_node', '=', nodeId)
    .where('state', 'in', ['starting', 'running'])
    .returning('started_at')
    .executeTakeFirst()
  return row?.started_at ?? undefined
}

/** It has stopped here. @param state `stopped` where it is over; another process may go on with it otherwise */
export async function releaseLease(
  { db, nodeId }: Node,
  id: string,
  progress: Progress,
  state?: 'stopped',
): Promise<void> {
  await db
    .updateTable('simulations')
    .set({
      ...countsOf({ ...progress, connected: 0 }),
      lease_node: null,
      lease_until: null,
      ...(state && {
        // What is being deleted stays so.
        state: sql<'stopped'>`case when state = 'deleting' then state else ${state} end`,
        faults: '[]',
      }),
    })
    .where('id', '=', id)
    .where('lease_node', '=', nodeId)
    .execute()
}
