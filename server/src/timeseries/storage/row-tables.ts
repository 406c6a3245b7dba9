/**
 * Every row needs a partition before it is inserted. Days since 2025 get partitions of their own, as soon as they have rows and
 * are not far ahead; earlier and later times share a partition. Existing partitions are cached, so that a batch usually needs no query.
 */
import type pg from 'pg'
import { createDayPartition, createWidePartitions } from './create-partition.ts'
import { isLockTimeout, isTimeout } from './partition-lock.ts'
import { dayNumber, END_DAY, FIRST_DAY, rowTable } from './partition-names.ts'
import type { SampleRow } from './sample-row.ts'

const DAYS_AHEAD = 2
/**
 * Messages may name any day. Where those of a batch have more new days than this, the rows of the other days go to the
 * default partition; they are moved when their day gets a partition.
 */
const NEW_DAYS_AT_ONCE = 4
const RETRY_MS = 10_000
/** There are too many rows in the default partition for a quick change. */
const LATE_RETRY_MS = 600_000

/**
 * The tables of rows that this node knows. The list is outdated if another node has dropped a partition; rows of that day then
 * go to the default partition, which does no harm.
 */
export interface RowTables {
  /** The object identifier of the row type; undefined until the first batch. */
  rowType: number | undefined
  /** Day → time (ms) until which its partition is not requested again; `Infinity` once it exists. */
  days: Map<number, number>
  /** Whether samples of earlier versions are still to be moved, and when to look again. */
  former: { exist: boolean; checkAtMs: number }
}

export const createRowTables = (): RowTables => ({
  rowType: undefined,
  days: new Map(),
  former: { exist: true, checkAtMs: 0 },
})

/**
 * Must be called before the transaction that inserts the rows: creating a partition inside it would hold the locks of
 * the partition until the rows are committed.
 * @throws if there is no default partition and it cannot be created now (try again)
 */
export async function ensurePartitions(
  pool: pg.Pool,
  tables: RowTables,
  rows: Pick<SampleRow, 'timeMs'>[],
  nowMs = Date.now(),
): Promise<void> {
  const missing = listMissing(tables, rows, nowMs)
  if (tables.rowType !== undefined && missing.size === 0) return
  if (tables.rowType === undefined) {
    await createWidePartitions(pool)
    tables.rowType = await readRowType(pool)
  }
  for (const day of chooseDays(missing, nowMs)) await ensureDay(pool, tables, day, nowMs)
}

function listMissing({ days }: RowTables, rows: Pick<SampleRow, 'timeMs'>[], nowMs: number): Set<number> {
  const missing = new Set<number>()
  const today = dayNumber(nowMs)
  let last: number | undefined
  for (const { timeMs } of rows) {
    const day = dayNumber(timeMs)
    if (day === last || day < FIRST_DAY || day > today + DAYS_AHEAD || day >= END_DAY) continue
    last = day
    if ((days.get(day) ?? 0) <= nowMs) missing.add(day)
  }
  return missing
}

/** Today and the days next to it come first. */
const chooseDays = (days: Set<number>, nowMs: number): number[] => {
  const today = dayNumber(nowMs)
  return [...days].toSorted((a, b) => Math.abs(a - today) - Math.abs(b - today)).slice(0, NEW_DAYS_AT_ONCE)
}

async function readRowType(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query<{ type: number }>('select $1::regtype::oid::int8::float8 as type', [
    rowTable,
  ])
  return rows[0]!.type
}

/** If a long query or many rows block the new partition, the rows go to the default partition and are moved later. */
async function ensureDay(pool: pg.Pool, { days }: RowTables, day: number, nowMs: number) {
  try {
    await createDayPartition(pool, day)
    days.set(day, Infinity)
  } catch (error) {
    if (!isTimeout(error)) throw error
    days.set(day, nowMs + (isLockTimeout(error) ? RETRY_MS : LATE_RETRY_MS))
  }
}
