/**
 * Several processes may share one database. Each holds an advisory lock on its node id for as long as its connection
 * lives, so that what belongs to one that died without a word can be told from what belongs to one that runs.
 */
import type pg from 'pg'

const LOCK = `hashtextextended('gangway node ' || $1::text, 0)`

/** For as long as the connection lives. */
export const holdNodeLock = (client: pg.Client, nodeId: string): Promise<unknown> =>
  client.query(`select pg_advisory_lock(${LOCK})`, [nodeId])

/** Condition of a statement whose first parameter is a node id: nobody is that node. */
export const NODE_IS_DEAD = `pg_try_advisory_xact_lock(${LOCK})`
