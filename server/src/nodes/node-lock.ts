/**
 * Each node holds an advisory lock on its id for as long as its connection lives. A node id whose lock is free belongs
 * to a dead node.
 */
import { type Kysely, sql } from 'kysely'
import type pg from 'pg'
import type { Tables } from '../database/tables.ts'

const LOCK = `hashtextextended('gangway node ' || $1::text, 0)`

/** Holds the lock for as long as the connection lives. */
export const holdNodeLock = (client: pg.Client, nodeId: string): Promise<unknown> =>
  client.query(`select pg_advisory_lock(${LOCK})`, [nodeId])

/** Condition for a statement whose first parameter is a node id: that node is dead. */
export const NODE_IS_DEAD = `pg_try_advisory_xact_lock(${LOCK})`

/** @param tx a transaction or the database; others get the same answer meanwhile @returns those of the nodes that are dead */
export async function findDeadNodes(tx: Kysely<Tables>, nodeIds: string[]): Promise<Set<string>> {
  if (nodeIds.length === 0) return new Set()
  const { rows } = await sql<{ id: string }>`
    select id from unnest(${[...new Set(nodeIds)]}::text[]) as node (id)
    where pg_try_advisory_xact_lock_shared(hashtextextended('gangway node ' || id, 0))`.execute(tx)
  return new Set(rows.map(({ id }) => id))
}
