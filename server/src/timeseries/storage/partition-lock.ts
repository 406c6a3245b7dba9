import type pg from 'pg'

/** Any fixed number, different from the first numbers of other advisory locks. */
const LOCK_SPACE = 7_264_002

/**
 * Attaching or dropping a partition locks the tenant's default partition, or all partitions. While the lock waits for a
 * long query, inserts and queries wait behind it; so the attempt fails after this time and is repeated later.
 */
const LOCK_TIMEOUT_MS = 500

/**
 * Makes one change of a tenant's partitions at a time, across all nodes, in a transaction of its own.
 * @throws 55P03 if running queries block the change
 */
export async function withPartitionLock<T>(
  pool: pg.Pool,
  tenantNumber: number,
  change: (client: pg.PoolClient) => Promise<T>,
): Promise<T> {
  const client = await pool.connect()
  let broken = false
  try {
    await client.query('begin')
    await client.query('select pg_advisory_xact_lock($1, $2)', [LOCK_SPACE, tenantNumber])
    await client.query(`set local lock_timeout = ${LOCK_TIMEOUT_MS}`)
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

export const isLockTimeout = (error: unknown) => (error as { code?: string }).code === '55P03'
