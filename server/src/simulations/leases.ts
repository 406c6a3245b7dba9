/** A simulation runs on the node that holds its lease and keeps renewing it. */
import { sql } from 'kysely'
import { channel } from '../nodes/channel.ts'
import { NODE_IS_DEAD } from '../nodes/node-lock.ts'
import type { Runtime } from '../runtime.ts'
import type { Progress } from './progress.ts'
import type { SimulationRow } from '../database/tables/simulations.ts'
import { selectSimulations } from './store.ts'

/** A node that does not renew its leases for this long loses its simulations to other nodes. */
const LEASE_SECONDS = 30

/** A simulation was changed; every node checks which simulations it has to run. */
export const simulationChanged = channel<{ id: string }>('gangway_simulation_changed')

const leaseUntil = sql<Date>`now() + make_interval(secs => ${LEASE_SECONDS})`

type Node = Pick<Runtime, 'db'> & { nodes: { id: string } }

/** Renews the leases of this node and stores the progress of their simulations. */
export async function renewLeases({ db, nodes }: Node, held: Map<string, Progress>): Promise<void> {
  for (const [id, progress] of held)
    await db
      .updateTable('simulations')
      .set({ lease_until: leaseUntil, ...countColumns(progress) })
      .where('id', '=', id)
      .where('lease_node', '=', nodes.id)
      .execute()
}

const countColumns = ({ connected, sent, acknowledged, errors, lastError }: Progress) => ({
  connected,
  sent,
  acknowledged,
  errors,
  last_error: lastError,
})

/** Releases the leases of dead nodes without waiting for their expiry. */
export async function freeLeasesOfDeadNodes({ pool, nodes }: Pick<Runtime, 'pool' | 'nodes'>): Promise<void> {
  const { rows } = await pool.query<{ lease_node: string }>(
    'select distinct lease_node from simulations where lease_until > now() and lease_node <> $1',
    [nodes.id],
  )
  for (const { lease_node } of rows)
    await pool.query(
      `update simulations set lease_until = null where lease_node = $1::uuid and ${NODE_IS_DEAD}`,
      [lease_node],
    )
}

/** Claims active simulations without a lease, the oldest first, while there is room. @param room number of devices */
export async function claimLeases({ db, nodes }: Node, room: number): Promise<void> {
  const free = await db
    .selectFrom('simulations')
    .select(['id', 'device_count'])
    .where(isAtWork)
    .where(isUnheld)
    .orderBy('id')
    .limit(100)
    .execute()
  for (const { id, device_count } of free) {
    if (device_count > room) continue
    const { numUpdatedRows } = await db
      .updateTable('simulations')
      .set({ lease_node: nodes.id, lease_until: leaseUntil })
      .where('id', '=', id)
      .where(isAtWork)
      .where(isUnheld)
      .executeTakeFirstOrThrow()
    if (numUpdatedRows > 0n) room -= device_count
  }
}

/** Active states. A simulation that is being deleted does not start again. */
const isAtWork = sql<boolean>`state in ('starting', 'running', 'stopping')`
const isUnheld = sql<boolean>`(lease_until is null or lease_until < now())`

/** Simulations whose lease this node holds. */
export const listHeld = ({ db, nodes }: Node): Promise<SimulationRow[]> =>
  selectSimulations(db).where('s.lease_node', '=', nodes.id).where('s.state', '<>', 'stopped').execute()

/** Sets the state `running`, unless the simulation was stopped meanwhile. @returns the time of its start */
export async function markRunning({ db, nodes }: Node, id: string): Promise<Date | undefined> {
  const row = await db
    .updateTable('simulations')
    .set({ state: 'running', started_at: sql<Date>`coalesce(started_at, ${new Date()}::timestamptz)` })
    .where('id', '=', id)
    .where('lease_node', '=', nodes.id)
    .where('state', 'in', ['starting', 'running'])
    .returning('started_at')
    .executeTakeFirst()
  return row?.started_at ?? undefined
}

/** @param state `stopped` ends the simulation; without it another node may continue */
export async function releaseLease(
  { db, nodes }: Node,
  id: string,
  progress: Progress,
  state?: 'stopped',
): Promise<void> {
  await db
    .updateTable('simulations')
    .set({
      ...countColumns({ ...progress, connected: 0 }),
      lease_node: null,
      lease_until: null,
      ...(state && {
        // The state `deleting` is final.
        state: sql<'stopped'>`case when state = 'deleting' then state else ${state} end`,
        faults: '[]',
      }),
    })
    .where('id', '=', id)
    .where('lease_node', '=', nodes.id)
    .execute()
}
