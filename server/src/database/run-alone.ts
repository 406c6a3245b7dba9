import type pg from 'pg'

/**
 * Runs `work` unless another process runs work of the same lock. The lock occupies a connection meanwhile.
 * @param lock number of an advisory lock; it must differ from those of other locks
 * @returns undefined if another process holds the lock
 */
export async function runAlone<T>(
  pool: pg.Pool,
  lock: number,
  work: () => Promise<T>,
): Promise<T | undefined> {
  const client = await pool.connect()
  // Releasing the connection with `true` closes it, which ends its lock.
  let isHeld = true
  try {
    const { rows } = await client.query<{ locked: boolean }>('select pg_try_advisory_lock($1) as locked', [
      lock,
    ])
    isHeld = rows[0]!.locked
    if (!isHeld) return undefined
    const result = await work()
    await client.query('select pg_advisory_unlock($1)', [lock])
    isHeld = false
    return result
  } finally {
    client.release(isHeld)
  }
}
