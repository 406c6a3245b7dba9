/** Lists the packed days of a tenant, each with a state that changes with its samples. */
import { type Kysely, sql } from 'kysely'
import type pg from 'pg'
import type { Tables } from '../../database/tables.ts'
import { listPackedDays } from '../storage/packed/packed-days.ts'
import { isMissing } from '../storage/drop-partition.ts'
import { dayOfPartition } from '../storage/partition-names.ts'
import { listPartitions } from '../storage/partitions.ts'

export interface PackedDay {
  /** Changes with the samples of the day. */
  state: string
  values: number
}

export interface DayStates {
  /** Days with packed values, by day (days since 1970, UTC). */
  states: Map<number, PackedDay>
  /** Whether rows of the day are not packed yet; its state will then change soon. */
  isOpen(day: number): boolean
}

/**
 * Maximum number of rows read from a partition of many days. More are rare, since nearly all are packed within the
 * hour.
 */
const MANY_ROWS = 100_000

export async function listDayStates(
  { db, pool }: { db: Kysely<Tables>; pool: pg.Pool },
  tenantNumber: number,
): Promise<DayStates> {
  // Open days are read first: if rows are packed after this statement, their day only counts as open for longer.
  const open = await listOpenDays(db, tenantNumber, await listPartitions(pool))
  const states = new Map<number, PackedDay>()
  for (const [day, { values, fingerprint }] of await listPackedDays(db, tenantNumber))
    if (values > 0) states.set(day, { state: `${fingerprint}`, values })
  return { states, isOpen: (day) => open === 'unknown' || open.has(day) }
}

async function listOpenDays(
  db: Kysely<Tables>,
  tenantNumber: number,
  partitions: string[],
): Promise<Set<number> | 'unknown'> {
  const open = new Set<number>()
  for (const name of partitions) {
    const day = dayOfPartition(name)
    const limit = day === undefined ? MANY_ROWS : 1
    const rows = await countDays(db, tenantNumber, { name, limit })
    if (day === undefined && rows.reduce((sum, { count }) => sum + count, 0) === MANY_ROWS) return 'unknown'
    for (const one of rows) open.add(one.day)
  }
  return open
}

/** A partition that is dropped meanwhile has no rows: they are packed. */
async function countDays(
  db: Kysely<Tables>,
  tenantNumber: number,
  { name, limit }: { name: string; limit: number },
): Promise<{ day: number; count: number }[]> {
  try {
    const { rows } = await sql<{ day: number; count: number }>`
      select floor(date_part('epoch', time) / 86400)::int as day, count(*)::int as count
      from (select time from ${sql.table(name)} where tenant_number = ${tenantNumber}::int limit ${limit}) found
      group by 1`.execute(db)
    return rows
  } catch (error) {
    if (isMissing(error)) return []
    throw error
  }
}
