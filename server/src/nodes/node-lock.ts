/**
 * Each node holds an advisory lock on its id for as long as its connection lives. A node id whose lock is free belongs
 * to a dead node.
 */
import { type Kysely, sql } from 'kysely'
import type pg from 'pg'
import type { Tables } from '../database/tables.ts'

const lockOf = (nodeId: string) => `hashtextextended('gangway node ' || ${nodeId}::text, 0)`
const LOCK = lockOf('$1')

/** Holds the lock for as long as the connection lives. */
export const holdNodeLock = (client: pg.Client, nodeId: string): Promise<unknown> =>
  client.query(`select pg_advisory_lock(${LOCK})`, [nodeId])

/** Condition for a statement whose first parameter is a node id: that node is dead. */
export const NODE_IS_DEAD = `pg_try_advisory_xact_lock(${LOCK})`

/** An expression for a statement that is a transaction of its own. @param column a node id */
export const nodeLockIsFree = (column: string) => `pg_try_advisory_xact_lock_shared(${lockOf(column)})`

/** The name of the connections of a node, of which PostgreSQL keeps 63 bytes. */
export const nameConnections = (nodeId: string): string => `gangway ${nodeId}`

/**
 * Closes the connection with the lock of a node, and those with its name: a hung node may have begun transactions, for
 * whose locks others wait.
 */
export const endConnectionsOfNode = (client: pg.Client, nodeId: string): Promise<unknown> =>
  client.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and usename = current_user and (application_name = $2 or pid in (
       select pid from pg_locks where locktype = 'advisory' and granted and mode = 'ExclusiveLock' and objsubid = 1
         and (classid::bigint << 32) | objid::bigint = ${LOCK}))`,
    [nodeId, nameConnections(nodeId)],
  )

/** @param tx a transaction or the database; others get the same answer meanwhile @returns those of the nodes that are dead */
export async function findDeadNodes(tx: Kysely<Tables>, nodeIds: string[]): Promise<Set<string>> {
  if (nodeIds.length === 0) return new Set()
  const { rows } = await sql<{ id: string }>`
    select id from unnest(${[...new Set(nodeIds)]}::text[]) as node (id)
    where pg_try_advisory_xact_lock_shared(${sql.raw(lockOf('id'))})`.execute(tx)
  return new Set(rows.map(({ id }) => id))
}
