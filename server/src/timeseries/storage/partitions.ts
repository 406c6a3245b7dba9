/** Maintains the partitions: creates tomorrow's before midnight, and removes rows past their tenant's retention. */
import type { Logger } from 'pino'
import type pg from 'pg'
import { createDayPartition } from './create-partition.ts'
import { deleteInParts } from './delete-in-parts.ts'
import { isMissing } from './drop-partition.ts'
import { type ExpiredSpan, listExpiredSpans } from './expired-spans.ts'
import { isTimeout, withPartitionLock } from './partition-lock.ts'
import {
  DAY_MS,
  dayNumber,
  dayOfPartition,
  dayPartition,
  restPartition,
  rowTable,
} from './partition-names.ts'

const DROP_TRIES = 5
/** Time limit for preparing partitions; queries wait meanwhile. */
const PREPARE_TIMEOUT_MS = 5000

export async function listPartitions(pool: pg.Pool, parent: string = rowTable): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>(
    `select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
     where i.inhparent = to_regclass($1) order by 1`,
    [parent],
  )
  return rows.map(({ name }) => name)
}

/**
 * Removes rows older than their tenant's `telemetryRetentionDays`. A day that no tenant keeps is dropped as a whole; of
 * other days, and from the default partition, the tenant's rows are deleted. Tenants without a retention keep everything, and those
 * that keep rollups until the rows are packed.
 * [docs/telemetry#retention]
 */
export async function dropExpiredPartitions(pool: pg.Pool, log: Logger, nowMs = Date.now()): Promise<void> {
  const spans = await listExpiredSpans(pool, { keepRollups: false, nowMs })
  if (spans.length === 0) return
  for (const name of await listPartitions(pool)) {
    const day = dayOfPartition(name)
    await unlessMissing(
      day === undefined ? deleteOld(pool, name, spans) : expireDay(pool, log, { name, day }, spans),
    )
  }
}

/** @param name the partition of the day */
async function expireDay(
  pool: pg.Pool,
  log: Logger,
  { name, day }: { name: string; day: number },
  spans: ExpiredSpan[],
) {
  const expired = spans
    .filter(({ beforeMs }) => day * DAY_MS < beforeMs)
    .map(({ tenantNumber }) => tenantNumber)
  if (expired.length === 0) return
  if (await dropUnlessKept(pool, log, name, expired)) return
  await deleteInParts(pool, name, { condition: 'tenant_number = any($1::int[])', values: [expired] })
}

/** @returns false if tenants keep rows of the partition, or if it is in use */
async function dropUnlessKept(pool: pg.Pool, log: Logger, name: string, expired: number[]): Promise<boolean> {
  if (await isKept(pool, name, expired)) return false
  for (let tries = 1; ; tries++) {
    try {
      const isDropped = await withPartitionLock(pool, async (client) => {
        // In the order of queries, which lock the table before its partitions, to avoid a deadlock.
        await client.query(`lock table only ${rowTable} in access exclusive mode`)
        await client.query(`lock table ${name} in access exclusive mode`)
        // Late data may have arrived meanwhile.
        if (await isKept(client, name, expired)) return false
        await client.query(`drop table ${name}`)
        return true
      })
      if (isDropped) log.info({ partition: name }, 'dropped telemetry past its retention')
      return isDropped
    } catch (error) {
      if (!isTimeout(error)) throw error
      if (tries < DROP_TRIES) continue
      log.warn(
        { partition: name },
        'telemetry past its retention is in use; it is dropped at the next attempt',
      )
      return true
    }
  }
}

async function isKept(db: Pick<pg.Pool, 'query'>, name: string, expired: number[]): Promise<boolean> {
  const { rows } = await db.query<{ kept: boolean }>(
    `select exists (select from tenants t where t.number <> all($1::int[])
       and exists (select from ${name} r where r.tenant_number = t.number)) as kept`,
    [expired],
  )
  return rows[0]!.kept
}

const deleteOld = (pool: pg.Pool, partition: string, spans: ExpiredSpan[]): Promise<void> =>
  deleteInParts(pool, partition, {
    condition: `exists (select from unnest($1::int[], $2::timestamptz[]) as expiry (number, before)
      where tenant_number = number and time < before)`,
    values: [
      spans.map(({ tenantNumber }) => tenantNumber),
      spans.map(({ beforeMs }) => new Date(beforeMs).toISOString()),
    ],
  })

/** Deletes the rows of streams that are deleted already, some at a time. */
export async function deleteRowsOfStreams(
  pool: pg.Pool,
  tenantNumber: number,
  streamNumbers: number[],
): Promise<void> {
  for (const partition of await listPartitions(pool))
    await unlessMissing(
      deleteInParts(pool, partition, {
        condition: 'tenant_number = $1 and stream_number = any($2::int[])',
        values: [tenantNumber, streamNumbers],
      }),
    )
}

/** Ignores missing partitions, since partitions of packed days are dropped at any time. */
async function unlessMissing(work: Promise<void>): Promise<void> {
  await work.catch((error: unknown) => {
    if (!isMissing(error)) throw error
  })
}

/**
 * Creates tomorrow's partition if there is today's, so that no batch has to wait for it at midnight. It may be called at
 * any time before midnight, and repeatedly.
 */
export async function prepareUpcomingPartitions(
  pool: pg.Pool,
  log: Logger,
  nowMs = Date.now(),
): Promise<void> {
  const today = dayNumber(nowMs)
  const partitions = await listPartitions(pool)
  if (!partitions.includes(dayPartition(today)) || !partitions.includes(restPartition)) return
  try {
    await createDayPartition(pool, today + 1, PREPARE_TIMEOUT_MS)
  } catch (error) {
    if (!isTimeout(error)) throw error
    log.warn({}, "tomorrow's partition could not be created; the first sample of the day creates it")
  }
}
