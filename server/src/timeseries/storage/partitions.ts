/** Maintains the partitions: creates tomorrow's before midnight, and drops those past the tenant's retention. */
import type { Logger } from 'pino'
import type pg from 'pg'
import { createDayPartition } from './create-partition.ts'
import { isLockTimeout, withPartitionLock } from './partition-lock.ts'
import {
  DAY_MS,
  dayDigits,
  dayNumber,
  dayOfPartition,
  restPartition,
  type SampleTable,
  sampleTables,
  startOfDay,
  tenantPartition,
} from './partition-names.ts'

const DROP_TRIES = 5
const DELETED_AT_ONCE = 10_000

/**
 * Removes samples older than the tenant's `telemetryRetentionDays`: drops the partitions of whole days, and deletes from
 * the default partition by age. Tenants without a retention keep everything. [docs/telemetry#retention]
 */
export async function dropExpiredPartitions(pool: pg.Pool, log: Logger, nowMs = Date.now()): Promise<void> {
  const { rows: tenants } = await pool.query<{ number: number; days: number }>(
    'select number, telemetry_retention_days as days from tenants where telemetry_retention_days is not null',
  )
  for (const { number, days } of tenants) {
    const firstKept = dayNumber(nowMs - days * DAY_MS)
    for (const table of sampleTables)
      await dropDaysBefore(pool, log, { table, tenantNumber: number, firstKept })
  }
}

async function dropDaysBefore(
  pool: pg.Pool,
  log: Logger,
  { table, tenantNumber, firstKept }: { table: SampleTable; tenantNumber: number; firstKept: number },
) {
  for (const name of await listPartitions(pool, tenantPartition(table, tenantNumber))) {
    const day = dayOfPartition(name)
    if (day !== undefined && day < firstKept) await dropPartition(pool, log, tenantNumber, name)
    if (name === restPartition(table, tenantNumber)) await deleteBefore(pool, name, firstKept)
  }
}

export async function listPartitions(pool: pg.Pool, parent: string): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>(
    `select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
     where i.inhparent = to_regclass($1) order by 1`,
    [parent],
  )
  return rows.map(({ name }) => name)
}

async function dropPartition(pool: pg.Pool, log: Logger, tenantNumber: number, name: string) {
  for (let tries = 1; ; tries++) {
    try {
      await withPartitionLock(pool, tenantNumber, (client) => client.query(`drop table if exists ${name}`))
      log.info({ partition: name }, 'dropped telemetry past its retention')
      return
    } catch (error) {
      if (!isLockTimeout(error)) throw error
      if (tries < DROP_TRIES) continue
      log.warn(
        { partition: name },
        'telemetry past its retention is in use; it is dropped at the next attempt',
      )
      return
    }
  }
}

async function deleteBefore(pool: pg.Pool, name: string, firstKept: number) {
  for (let deleted = DELETED_AT_ONCE; deleted === DELETED_AT_ONCE;) {
    const { rowCount } = await pool.query(
      `delete from ${name} where ctid = any(array(select ctid from ${name} where time < $1::timestamptz limit $2))`,
      [startOfDay(firstKept), DELETED_AT_ONCE],
    )
    deleted = rowCount ?? 0
  }
}

/**
 * Creates tomorrow's partition for every tenant that has today's, so that no batch has to wait for all of them at
 * midnight. It may be called at any time before midnight, and repeatedly.
 */
export async function prepareUpcomingPartitions(
  pool: pg.Pool,
  log: Logger,
  nowMs = Date.now(),
): Promise<void> {
  const today = dayNumber(nowMs)
  const { rows } = await pool.query<{ name: string }>(
    `select relname as name from pg_class where relispartition and relkind = 'r' and relname ~ $1`,
    [`^(${sampleTables.join('|')})_\\d+_${dayDigits(today)}$`],
  )
  for (const { name } of rows) {
    const [, table, tenantNumber] = /^(samples|samples_other)_(\d+)_/.exec(name)!
    try {
      await createDayPartition(pool, table as SampleTable, Number(tenantNumber), today + 1)
    } catch (error) {
      if (!isLockTimeout(error)) throw error
      log.warn(
        { partition: name },
        "tomorrow's partition could not be created; the first sample of the day creates it",
      )
    }
  }
}
