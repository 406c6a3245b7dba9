import { type Kysely, sql } from 'kysely'
import { executePrepared } from '../../database/execute-prepared.ts'
import type { Tables } from '../../database/tables.ts'
import { epochMs } from '../storage/packed/piece-places.ts'
import { DAY_MS, dayNumber } from '../storage/partition-names.ts'

/**
 * @returns the start of the first day without kept rollups of the tenant, in milliseconds since 1970; samples of earlier days are
 * deleted. Undefined if there are none.
 */
export async function findRolledUpBefore(
  db: Kysely<Tables>,
  tenantNumber: number,
): Promise<number | undefined> {
  const statement = sql<{ last_ms: number }>`
    select ${epochMs('last_time')} as last_ms from kept_rollups where tenant_number = ${tenantNumber}::int
    order by last_time desc limit 1`
  const [last] = (await executePrepared(db, 'last-kept-rollup', statement)).rows
  return last && (dayNumber(last.last_ms) + 1) * DAY_MS
}
