/**
 * Moves samples of earlier versions, one row for each value, into `sample_rows`. It works on one stream and span of time
 * after the other, each in a transaction, so that queries always find every sample once, and an interrupted move goes on
 * where it ended.
 */
import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import type { Logger } from 'pino'
import type pg from 'pg'
import { runAlone } from '../../../database/run-alone.ts'
import type { Tables } from '../../../database/tables.ts'
import { listHours, updateLastHours } from '../last-hours.ts'
import { mergeRows } from '../merge-rows.ts'
import { giveWay } from '../packed/give-way.ts'
import { isLockTimeout } from '../partition-lock.ts'
import { DAY_MS } from '../partition-names.ts'
import { ensurePartitions, type RowTables } from '../row-tables.ts'
import type { SampleRow } from '../sample-row.ts'
import { findEnd, findMeasuredEnd, isUpTo, type MoveEnd, type MoveLimits } from './find-end.ts'
import { type FormerPartition, formerTables, listFormerPartitions } from './former-partitions.ts'

export const MOVE_FORMER_SAMPLES = 'move-former-samples'

const MOVE_LOCK = 7_264_013
const LOCK_TIMEOUT_MS = 500
const DAY_SECONDS = DAY_MS / 1000
/** Distance to the identifier of a text that gets a row of its own: far from those that other transactions move. */
const OTHER_MESSAGE = 0x1e3779b97f4a7c15n

export interface MoveContext {
  pool: pg.Pool
  db: Kysely<Tables>
  log: Logger
  rowTables: RowTables
}

const LIMITS: MoveLimits = { samples: 20_000, bytes: 4 * 1024 * 1024 }

interface MoveOptions {
  /** The partition where an earlier call stopped. */
  from?: string | undefined
  /** The time at which to stop; the next call continues. */
  untilMs?: number
  limits?: MoveLimits
}

/**
 * Moves everything that is left. Only one node does so at a time.
 * @returns the partition where it stopped, or undefined if this node has nothing left to do
 */
export async function moveFormerSamples(
  ctx: MoveContext,
  options: MoveOptions = {},
): Promise<string | undefined> {
  if ((await listFormerPartitions(ctx.pool)).length === 0) return undefined
  return await runAlone(ctx.pool, MOVE_LOCK, () => movePartitions(ctx, options))
}

/** Continues with the next partition if one cannot be moved. */
async function movePartitions(
  ctx: MoveContext,
  { from = '', untilMs = Infinity, limits = LIMITS }: MoveOptions,
): Promise<string | undefined> {
  const failures: unknown[] = []
  for (const partition of await listFormerPartitions(ctx.pool)) {
    const { name } = partition
    if (name < from) continue
    try {
      const isEmpty = await movePartition(ctx, partition, { untilMs, limits })
      if (!isEmpty) return name
      await dropEmptied(ctx, name)
    } catch (error) {
      failures.push(error)
      ctx.log.error({ err: error, partition: name }, 'samples of an earlier version could not be moved')
    }
  }
  if (failures.length > 0) throw failures[0]
  await dropTenantPartitions(ctx)
  return undefined
}

/** Moves at least one part. @returns whether nothing is left */
async function movePartition(
  ctx: MoveContext,
  { name, tenantNumber }: FormerPartition,
  { untilMs, limits }: { untilMs: number; limits: MoveLimits },
): Promise<boolean> {
  do {
    const startMs = performance.now()
    const next = await findNext(ctx.db, name)
    if (!next) return true
    if (next.streamNumber === null) await deleteOrphans(ctx.db, name, next.seriesNumber)
    else await movePart(ctx, { tenantNumber, streamNumber: next.streamNumber, day: next.day }, limits)
    await giveWay(ctx.pool, { workedMs: performance.now() - startMs, untilMs })
  } while (Date.now() < untilMs)
  return false
}

interface Next {
  seriesNumber: number
  /** null if the series was deleted; a job deletes its samples, too */
  streamNumber: number | null
  day: number
}

/** The unique index of the partition yields the first sample at once. */
async function findNext(db: Kysely<Tables>, name: string): Promise<Next | undefined> {
  const { rows } = await sql<{ series_number: number; stream_number: number | null; ms: number }>`
    select x.series_number, s.stream_number, date_part('epoch', x.time) * 1000 as ms
    from (select series_number, time from ${sql.table(name)} order by tenant_number, series_number, time limit 1) x
    left join series s on s.number = x.series_number`.execute(db)
  const [row] = rows
  return (
    row && {
      seriesNumber: row.series_number,
      streamNumber: row.stream_number,
      day: Math.floor(Math.round(row.ms) / DAY_MS),
    }
  )
}

const deleteOrphans = (db: Kysely<Tables>, name: string, seriesNumber: number) =>
  sql`delete from ${sql.table(name)} where ctid = any(array(
    select ctid from ${sql.table(name)} where series_number = ${seriesNumber}::int limit 10000))`.execute(db)

interface StreamDay {
  tenantNumber: number
  streamNumber: number
  day: number
}

/** Moves the first samples of a stream and day, both numbers and others, as many as one transaction may move. */
async function movePart(ctx: MoveContext, place: StreamDay, limits: MoveLimits): Promise<void> {
  await ensurePartitions(ctx.pool, ctx.rowTables, [{ timeMs: place.day * DAY_MS }])
  await ctx.db.transaction().execute(async (tx) => {
    // Not deleted meanwhile: the job that deletes the samples of a stream would not find what is moved after it.
    await sql`select from streams where number = ${place.streamNumber}::int for key share`.execute(tx)
    const estimated = await findEnd(tx, inDay(place), limits)
    const end = await findMeasuredEnd(tx, inDay(place), { end: estimated, limits })
    const rows = groupByMessage(place, await takeSamples(tx, place, end))
    await updateLastHours(tx, new Map([[place.streamNumber, listHours(rows)]]))
    await mergeRows(tx, ctx.rowTables, rows)
  })
}

const inDay = ({ tenantNumber, streamNumber, day }: StreamDay) => sql`tenant_number = ${tenantNumber}::int
  and series_number = any(array(select number from series where stream_number = ${streamNumber}::int))
  and time >= to_timestamp(${day * DAY_SECONDS}::float8) and time < to_timestamp(${(day + 1) * DAY_SECONDS}::float8)`

interface FormerSample {
  slot: number
  ms: number
  message_id: string
  value: unknown
}

async function takeSamples(
  tx: Kysely<Tables>,
  place: StreamDay,
  end: MoveEnd | undefined,
): Promise<FormerSample[]> {
  const samples: FormerSample[] = []
  for (const table of formerTables) {
    const { rows } = await sql<FormerSample>`
      with gone as (
        delete from ${sql.table(table)} where ${inDay(place)} ${isUpTo(end)}
        returning series_number, time, message_id, value
      )
      select s.slot, round(date_part('epoch', time) * 1000) as ms, message_id, value
      from gone join series s on s.number = gone.series_number`.execute(tx)
    for (const row of rows) samples.push(row)
  }
  return samples
}

function groupByMessage({ tenantNumber, streamNumber }: StreamDay, samples: FormerSample[]): SampleRow[] {
  const rows = new Map<string, SampleRow>()
  for (const { slot, ms: timeMs, message_id, value } of samples) {
    const findRow = (id: bigint) => rows.get(`${timeMs} ${id}`)
    const isTaken = (id: bigint) => findRow(id)?.slots.includes(slot)
    let messageId = BigInt(message_id)
    // A series could have a number and a text of one message. A row has one value, and the text gets one of its own.
    while (isTaken(messageId)) messageId = BigInt.asIntN(64, messageId + OTHER_MESSAGE)
    const row = findRow(messageId)
    if (row) {
      row.slots.push(slot)
      row.values.push(value)
      continue
    }
    // Most rows have one value: lists that begin empty would have room for many.
    const first = { tenantNumber, streamNumber, timeMs, messageId, slots: [slot], values: [value] }
    rows.set(`${timeMs} ${messageId}`, first)
  }
  return [...rows.values()]
}

/** If a query is running on the partition, it is dropped at the next attempt. */
async function dropEmptied({ db, log }: Pick<MoveContext, 'db' | 'log'>, name: string): Promise<void> {
  try {
    await db.transaction().execute(async (tx) => {
      await sql`set local lock_timeout = ${sql.lit(LOCK_TIMEOUT_MS)}`.execute(tx)
      // Takes the same lock as queries do before they read: see `readSnapshot`.
      await sql`lock table only ${sql.table(rootTable(name))} in access exclusive mode`.execute(tx)
      await sql`drop table if exists ${sql.table(name)}`.execute(tx)
    })
    log.info({ partition: name }, 'moved the samples of an earlier version')
  } catch (error) {
    if (!isLockTimeout(error)) throw error
  }
}

const rootTable = (name: string) => (name.startsWith('samples_other') ? 'samples_other' : 'samples')

/** Drops what is left of the tables of a tenant: partitions without partitions. */
async function dropTenantPartitions(ctx: MoveContext): Promise<void> {
  const { rows } = await sql<{ name: string }>`
    select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = any(${[...formerTables]}::text[]::regclass[])
      and not exists (select from pg_inherits leaf where leaf.inhparent = c.oid)`.execute(ctx.db)
  for (const { name } of rows) await dropEmptied(ctx, name)
}
