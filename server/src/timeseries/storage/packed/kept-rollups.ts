/** The table `kept_rollups`: each row has rollups of a stream whose samples are deleted. [docs/telemetry#retention] */
import { type Kysely, sql } from 'kysely'
import type pg from 'pg'
import type { Tables } from '../../../database/tables.ts'
import { deleteInParts } from '../delete-in-parts.ts'
import { firstKeptDay } from '../expired-spans.ts'
import { DAY_MS } from '../partition-names.ts'
import type { Series } from '../series.ts'
import { toDate } from './choose-pieces.ts'
import { KEPT_LENGTHS_MS } from './kept-span.ts'
import { epochMs } from './piece-places.ts'
import { unpackRollups } from './rollup-codec.ts'
import type { RolledUp } from './rollup.ts'

/** The rollups of a series in one row of the table. */
export interface KeptRollups {
  /** The times of the first and the last sample. */
  first_ms: number
  last_ms: number
  /** Offset before the rollups, and after those of each length. */
  ends: number[]
  /** The rollups of all lengths. */
  data: Buffer
}

/** Maximum number of rows of one statement. */
const MAX_ROWS = 200

/** Lists the first rows of a span, in time order. */
export async function listKeptRollups(
  tx: Kysely<Tables>,
  { tenantNumber, streamNumber, slot }: Series,
  { from, to }: { from: number; to: number },
): Promise<KeptRollups[]> {
  const lengths = KEPT_LENGTHS_MS.length
  const ofStream = sql`tenant_number = ${tenantNumber}::int and stream_number = ${streamNumber}::int`
  const { rows } = await sql<KeptRollups>`
    select first_ms, last_ms, ends, substr(data, ends[1] + 1, ends[${lengths + 1}::int] - ends[1]) as data from (
      select ${epochMs('first_time')} as first_ms, ${epochMs('last_time')} as last_ms, data,
        array(select coalesce(k.ends[place], 0) from generate_series((index - 1) * ${lengths}::int, index * ${lengths}::int) as place)
          as ends
      from kept_rollups k cross join lateral array_position(slots, ${slot}::int) as index
      where ${ofStream} and index is not null and last_time >= ${toDate(from)} and first_time < ${toDate(to)}
        and first_time >= coalesce((select first_time from kept_rollups where ${ofStream} and first_time < ${toDate(from)}
          order by first_time desc limit 1), ${toDate(from)})
      order by first_time, first_message limit ${MAX_ROWS}
    ) found order by first_ms, last_ms`.execute(tx)
  if (rows.length < MAX_ROWS) return rows
  // What begins at the time at which the row before it ends is read together with it.
  const end = rows.findLastIndex(
    ({ first_ms: first }, index) => index > 0 && first > rows[index - 1]!.last_ms,
  )
  return end > 0 ? rows.slice(0, end) : rows
}

export function hasRollups(kept: KeptRollups, lengthMs: number): boolean {
  const { start, end } = findRollups(kept, lengthMs)
  return end > start
}

/** @param kept has rollups of this length */
export function readKeptRollups(kept: KeptRollups, lengthMs: number): RolledUp[] {
  const { start, end } = findRollups(kept, lengthMs)
  return unpackRollups(kept.data.subarray(start, end), lengthMs)
}

function findRollups({ ends }: KeptRollups, lengthMs: number) {
  const index = KEPT_LENGTHS_MS.indexOf(lengthMs)
  return { start: ends[index]! - ends[0]!, end: ends[index + 1]! - ends[0]! }
}

/** Deletes rollups that are older than their tenant's `rollupRetentionDays`; all of them where it has none. */
export async function deleteExpiredKept(pool: pg.Pool, nowMs = Date.now()): Promise<void> {
  const { rows: tenants } = await pool.query<{ number: number; days: number | null }>(
    `select number, rollup_retention_days as days from tenants t
     where exists (select from kept_rollups k where k.tenant_number = t.number)`,
  )
  for (const { number, days } of tenants)
    await deleteInParts(pool, 'kept_rollups', {
      condition: 'tenant_number = $1 and last_time < $2::timestamptz',
      values: [
        number,
        days === null ? 'infinity' : new Date(firstKeptDay(days, nowMs) * DAY_MS).toISOString(),
      ],
    })
}
