import type pg from 'pg'

/** Any fixed number, different from those of other advisory locks. */
const PARTITION_LOCK = 7_264_012

/**
 * Attaching or dropping a partition locks the default partition, or all partitions. While the lock waits for a long query,
 * inserts and queries wait behind it; so the attempt fails after this time and is repeated later.
 */
const LOCK_TIMEOUT_MS = 500
/** Another node may be making a change. */
const TURN_TIMEOUT_MS = 5000
/** Attaching a partition reads the default partition under its lock, and moves the rows of the day. */
const STATEMENT_TIMEOUT_MS = 2000

/**
 * Makes one change of the partitions at a time, across all nodes, in a transaction of its own.
 * @throws an error for which `isTimeout` holds, if running queries or many rows delay the change for too long
 */
export async function withPartitionLock<T>(
  pool: pg.Pool,
  change: (client: pg.PoolClient) => Promise<T>,
  statementTimeoutMs = STATEMENT_TIMEOUT_MS,
): Promise<T> {
  const client = await pool.connect()
  let broken = false
  try {
    await client.query('begin')
    await client.query(`set local lock_timeout = ${TURN_TIMEOUT_MS}`)
    await client.query('select pg_advisory_xact_lock($1)', [PARTITION_LOCK])
    await client.query(
      `set local lock_timeout = ${LOCK_TIMEOUT_MS}; set local statement_timeout = ${statementTimeoutMs}`,
    )
    const result = await change(client)
    await client.query('commit')
    return result
  } catch (error) {
    await client.query('rollback').catch(() => (broken = true))
    throw error
  } finally {
    client.release(broken)
  }
}

const LOCK_TIMEOUT = '55P03'
const STATEMENT_TIMEOUT = '57014'
export const isLockTimeout = (error: unknown) => (error as { code?: string }).code === LOCK_TIMEOUT
export const isTimeout = (error: unknown) =>
  isLockTimeout(error) || (error as { code?: string }).code === STATEMENT_TIMEOUT
