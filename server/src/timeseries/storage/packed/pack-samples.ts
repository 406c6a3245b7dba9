/**
 * Packs the rows of closed days. It processes one partition after another, in transactions with a limited number of
 * rows and pieces, so that queries find every sample exactly once, and an interrupted run continues where it ended.
 * [docs/telemetry#packed]
 */
import { type Kysely, sql } from 'kysely'
import { runAlone } from '../../../database/run-alone.ts'
import type { Tables } from '../../../database/tables.ts'
import { dropEmptyPartition, isMissing } from '../drop-partition.ts'
import { DAY_MS, dayNumber, dayOfPartition, startOfDay } from '../partition-names.ts'
import { listPartitions } from '../partitions.ts'
import { restsBehind } from './give-way.ts'
import { MERGE_LIMITS, PACKED_CELLS } from './merge-limits.ts'
import { type PackContext, packSpan, type SpanOptions } from './pack-span.ts'
import type { PackLimits, RowKey, RowSpan } from './row-key.ts'
import { SETTLING_MS } from './settling.ts'

export const PACK_SAMPLES = 'pack-samples'

/** A session lock: one node packs at a time. */
export const RUN_LOCK = 7_264_014

const LIMITS: PackLimits = {
  rows: 20_000,
  cells: PACKED_CELLS,
  streams: 500,
  pieceRows: 25_000,
  pieceCells: 500_000,
  merged: MERGE_LIMITS,
}

/** Where a run continues. It is part of the payload of a job. */
export interface PackPlace {
  partition: string
  /** Absent to begin with the first row of the partition. */
  day?: number
  after?: RowKey | undefined
}

interface PackOptions {
  /** Where an earlier call stopped. Rows before it are left to the next run. */
  from?: PackPlace | undefined
  /** The time at which to stop; the next call continues. */
  untilMs?: number
  nowMs?: number
  limits?: PackLimits
}

/** @returns where it stopped, or undefined if this node has nothing left to do */
export const packSamples = (ctx: PackContext, options: PackOptions = {}): Promise<PackPlace | undefined> =>
  runAlone(ctx.pool, RUN_LOCK, () => packPartitions(ctx, options))

/** Continues with the next partition if one cannot be packed. */
async function packPartitions(
  ctx: PackContext,
  { from, untilMs = Infinity, nowMs = Date.now(), limits = LIMITS }: PackOptions,
): Promise<PackPlace | undefined> {
  const firstOpenDay = dayNumber(nowMs - SETTLING_MS)
  const failures: unknown[] = []
  for (const partition of await listPartitions(ctx.pool)) {
    const day = dayOfPartition(partition)
    if (day !== undefined && day >= firstOpenDay) continue
    if (from && partition < from.partition) continue
    const start = partition === from?.partition ? from : { partition }
    try {
      const options = { untilMs, limits, failures }
      const stopped =
        day === undefined
          ? await packDays(ctx, start, { ...options, firstOpenDay })
          : await packDay(
              ctx,
              { ...start, day },
              { ...options, maxRests: restsBehind(firstOpenDay - 1 - day) },
            )
      if (stopped) return stopped
      if (day !== undefined) await dropEmptyPartition(ctx.pool, ctx.log, partition)
    } catch (error) {
      if (isMissing(error)) continue
      failures.push(error)
      ctx.log.error({ err: error, partition }, 'a partition could not be packed; the next run tries again')
    }
  }
  if (failures.length > 0) throw failures[0]
  return undefined
}

/** @returns where it stopped, or undefined if nothing is left */
async function packDay(
  ctx: PackContext,
  span: RowSpan,
  options: SpanOptions,
): Promise<PackPlace | undefined> {
  const last = await packSpan(ctx, span, options)
  return last === 'done' ? undefined : { ...span, after: last }
}

/**
 * Packs the closed days of a partition of many days. They are searched one by one, because the partition may also have many
 * rows of future days, which are not packed.
 */
async function packDays(
  ctx: PackContext,
  { partition, day: first = -Infinity, after }: PackPlace,
  { firstOpenDay, ...options }: SpanOptions & { firstOpenDay: number },
): Promise<PackPlace | undefined> {
  for (let next = first; ;) {
    const day = await findDay(ctx.db, partition, { from: next, before: firstOpenDay })
    if (day === undefined) return undefined
    const stopped = await packDay(ctx, { partition, day, after: day === first ? after : undefined }, options)
    if (stopped) return stopped
    next = day + 1
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
