import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type pg from 'pg'
import { isLockTimeout, isTimeout, withPartitionLock } from './partition-lock.ts'
import { rowTable } from './partition-names.ts'

/** The time limits are short, because all inserts and queries wait behind these locks. */
const LOCK_TIMEOUT_MS = 50
const CHECK_TIMEOUT_MS = 200
const TRIES = 5
const TRY_AGAIN_MS = 200

/**
 * Drops the partition of a day if it has no rows; a partition in use is kept until the next attempt. The table is
 * locked before its partition, in the same order as elsewhere, to avoid a deadlock.
 */
export async function dropEmptyPartition(pool: pg.Pool, log: Logger, name: string): Promise<void> {
  try {
    if (!(await isEmpty(pool, name))) return
    // Without dead rows, checking for rows under the locks is fast.
    await pool.query(`vacuum ${name}`)
    await tryDrop(pool, log, name)
  } catch (error) {
    if (!isTimeout(error)) throw error
  }
}

/** Waits for the locks only briefly; that usually succeeds between two queries. */
async function tryDrop(pool: pg.Pool, log: Logger, name: string): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return await drop(pool, log, name)
    } catch (error) {
      if (tries === TRIES || !isLockTimeout(error)) throw error
      await sleep(TRY_AGAIN_MS)
    }
  }
}

const drop = (pool: pg.Pool, log: Logger, name: string): Promise<void> =>
  withPartitionLock(pool, async (client) => {
    await client.query(
      `set local lock_timeout = ${LOCK_TIMEOUT_MS}; set local statement_timeout = ${CHECK_TIMEOUT_MS}`,
    )
    await client.query(`lock table only ${rowTable} in access exclusive mode`)
    await client.query(`lock table ${name} in access exclusive mode`)
    if (!(await isEmpty(client, name))) return
    await client.query(`drop table ${name}`)
    log.debug({ partition: name }, 'dropped the partition of a day that is packed')
  })

const isEmpty = async (db: Pick<pg.Pool, 'query'>, name: string): Promise<boolean> =>
  (await db.query(`select from ${name} limit 1`)).rows.length === 0

const UNDEFINED_TABLE = '42P01'

/** Whether the partition does not exist, because another job or node has dropped it. */
export const isMissing = (error: unknown): boolean => (error as { code?: string }).code === UNDEFINED_TABLE
