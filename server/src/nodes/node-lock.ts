/**
 * Each node holds an advisory lock on its id for as long as its connection lives. A node id whose lock is free belongs
 * to a dead node.
 */
import type pg from 'pg'

const LOCK = `hashtextextended('gangway node ' || $1::text, 0)`

/** Holds the lock for as long as the connection lives. */
export const holdNodeLock = (client: pg.Client, nodeId: string): Promise<unknown> =>
  client.query(`select pg_advisory_lock(${LOCK})`, [nodeId])

/** Condition for a statement whose first parameter is a node id: that node is dead. */
export const NODE_IS_DEAD = `pg_try_advisory_xact_lock(${LOCK})`
