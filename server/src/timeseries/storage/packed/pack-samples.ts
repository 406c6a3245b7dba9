/**
 * Packs the rows of closed days. It processes one partition after another, in transactions with a limited number of
 * rows and pieces, so that queries find every sample exactly once, and an interrupted run continues where it ended.
 * [docs/telemetry#packed]
 */
import { type Kysely, sql } from 'kysely'
import type { Logger } from 'pino'
import { runAlone } from '../../../database/run-alone.ts'
import type { Tables } from '../../../database/tables.ts'
import { dropEmptyPartition, isMissing } from '../drop-partition.ts'
import { DAY_MS, dayNumber, dayOfPartition, startOfDay } from '../partition-names.ts'
import { listPartitions } from '../partitions.ts'
import { MERGE_LIMITS, PACKED_CELLS } from './merge-limits.ts'
import { packBatch } from './pack-batch.ts'
import { type ChangeContext, repeatChanges } from './repeat-changes.ts'
import type { PackLimits, RowKey, RowSpan } from './row-key.ts'
import { SETTLING_MS } from './settling.ts'

export const PACK_SAMPLES = 'pack-samples'

/** A session lock: one node packs at a time. */
export const RUN_LOCK = 7_264_014

export interface PackContext extends ChangeContext {
  log: Logger
}

const LIMITS: PackLimits = {
  rows: 20_000,
  cells: PACKED_CELLS,
  streams: 500,
  pieceRows: 25_000,
  pieceCells: 500_000,
  merged: MERGE_LIMITS,
}

interface PackOptions {
  /** The time at which to stop; the next call continues. */
  untilMs?: number
  nowMs?: number
  limits?: PackLimits
}

/** @returns whether this node has nothing left to do */
export async function packSamples(ctx: PackContext, options: PackOptions = {}): Promise<boolean> {
  return (await runAlone(ctx.pool, RUN_LOCK, () => packPartitions(ctx, options))) ?? true
}

interface RunLimits {
  untilMs: number
  limits: PackLimits
}

/** Continues with the next partition if one cannot be packed. */
async function packPartitions(
  ctx: PackContext,
  { untilMs = Infinity, nowMs = Date.now(), limits = LIMITS }: PackOptions,
): Promise<boolean> {
  const firstOpenDay = dayNumber(nowMs - SETTLING_MS)
  const failures: unknown[] = []
  for (const partition of await listPartitions(ctx.pool)) {
    const day = dayOfPartition(partition)
    if (day !== undefined && day >= firstOpenDay) continue
    try {
      const isDone = await packPartition(ctx, { partition, day, firstOpenDay }, { untilMs, limits })
      if (!isDone) return false
      if (day !== undefined) await dropEmptyPartition(ctx.pool, ctx.log, partition)
    } catch (error) {
      if (!isMissing(error)) failures.push(error)
    }
  }
  if (failures.length > 0) throw failures[0]
  return true
}

interface PackedPartition {
  partition: string
  /** Undefined for a partition of many days. */
  day: number | undefined
  firstOpenDay: number
}

async function packPartition(
  ctx: PackContext,
  { partition, day, firstOpenDay }: PackedPartition,
  limits: RunLimits,
): Promise<boolean> {
  if (day !== undefined) return packSpan(ctx, { partition, day }, limits)
  // The days are searched one by one, because the partition may also have many rows of future days, which are not
  // packed.
  for (let next = -Infinity; ;) {
    const found = await findDay(ctx.db, partition, { from: next, before: firstOpenDay })
    if (found === undefined) return true
    if (!(await packSpan(ctx, { partition, day: found }, limits))) return false
    next = found + 1
  }
}

/** @returns the first day with rows */
async function findDay(
  db: Kysely<Tables>,
  partition: string,
  { from, before }: { from: number; before: number },
): Promise<number | undefined> {
  const since = from === -Infinity ? '-infinity' : startOfDay(from)
  const { rows } = await sql<{ day: number }>`
    select floor(date_part('epoch', time) / ${DAY_MS / 1000}::int)::int as day from ${sql.table(partition)}
    where time >= ${since}::timestamptz and time < ${startOfDay(before)}::timestamptz
    order by time limit 1`.execute(db)
  return rows[0]?.day
}

/** Each batch begins after the previous one, to avoid scanning deleted rows. */
async function packSpan(
  ctx: PackContext,
  span: Omit<RowSpan, 'after'>,
  { untilMs, limits }: RunLimits,
): Promise<boolean> {
  const last = await repeatChanges<RowKey | undefined>(ctx, {
    after: undefined,
    untilMs,
    change: (tx, after) => packBatch(tx, { ...span, after }, limits),
  })
  return last === 'done'
}
