import type { Pool } from 'pg'
import { expect } from 'vitest'

/** Resolves when this many statements on the pool's database wait for locks that others hold. */
export async function untilBlocked(pool: Pool, count = 1): Promise<void> {
  await expect
    .poll(async () => {
      const { rows } = await pool.query(
        `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      )
      return rows.length
    })
    .toBe(count)
}
