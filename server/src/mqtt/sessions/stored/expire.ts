/** Ends sessions of nodes that died, and deletes what expired. */
import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../../database/tables.ts'
import type { Tasks } from '../../../jobs/jobs.ts'
import { findDeadNodes, NODE_IS_DEAD } from '../../../nodes/node-lock.ts'
import type { Runtime } from '../../../runtime.ts'
import { clientsChanged } from './channels.ts'

type Ctx = Pick<Runtime, 'db' | 'pool' | 'nodes'>

/** The number of rows in one transaction, which limits how long locks are held. */
const BATCH = 1000

export const storedSessionTasks = (ctx: Ctx): Tasks => ({
  'expire-mqtt-sessions': () => expireStoredSessions(ctx),
})

export async function expireStoredSessions(ctx: Ctx): Promise<void> {
  await leaveSessionsOfDeadNodes(ctx)
  await repeatWhileFull(() => deleteExpiredSessions(ctx))
  await repeatWhileFull(() => deleteExpiredMessages(ctx.db))
  await repeatWhileFull(() => deleteExpiredRetained(ctx.db))
}

async function repeatWhileFull(deleteBatch: () => Promise<number>): Promise<void> {
  while ((await deleteBatch()) === BATCH);
}

async function leaveSessionsOfDeadNodes({ db, pool, nodes }: Ctx): Promise<void> {
  const { rows } = await pool.query<{ node_id: string }>(
    'select distinct node_id from mqtt_sessions where node_id <> $1',
    [nodes.id],
  )
  // The statement locks the sessions before it looks at the node: those of nodes that work stay free.
  const dead = await findDeadNodes(
    db,
    rows.map(({ node_id }) => node_id),
  )
  for (const node_id of dead)
    await repeatWhileFull(async () => {
      const { rowCount } = await pool.query(
        `update mqtt_sessions set node_id = null, disconnected_at = now(),
           expires_at = now() + make_interval(secs => expiry_seconds)
         where number = any(array(
           select number from mqtt_sessions where node_id = $1::uuid limit ${BATCH} for update skip locked)) and ${NODE_IS_DEAD}`,
        [node_id],
      )
      return rowCount!
    })
}

const deleteExpiredSessions = (ctx: Ctx): Promise<number> =>
  ctx.db.transaction().execute(async (tx) => {
    const { rows } = await sql<{ client_number: number }>`
      delete from mqtt_sessions where number = any(array(
        select number from mqtt_sessions where expires_at <= now() limit ${BATCH} for update skip locked))
      returning client_number`.execute(tx)
    const clientNumbers = [...new Set(rows.map((row) => row.client_number))]
    if (clientNumbers.length > 0) await clientsChanged.publish(ctx, tx, { clientNumbers, includesOwn: true })
    return rows.length
  })

/** Messages that may have been sent are left to their session. */
async function deleteExpiredMessages(db: Kysely<Tables>): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from mqtt_session_messages where number = any(array(
      select number from mqtt_session_messages where expires_at <= now() and packet_id is null
      limit ${BATCH} for update skip locked))`.execute(db)
  return Number(numAffectedRows)
}

async function deleteExpiredRetained(db: Kysely<Tables>): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from mqtt_retained_messages where ctid = any(array(
      select ctid from mqtt_retained_messages where expires_at <= now()
      limit ${BATCH} for update skip locked))`.execute(db)
  return Number(numAffectedRows)
}
