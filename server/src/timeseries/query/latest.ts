/** The newest sample of each of many series, by its time. */
import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Tables } from '../../database/tables.ts'
import { validationError } from '../../http/errors.ts'
import { DAY_MS, dayNumber, type SampleTable } from '../storage/partition-names.ts'
import { findPage } from './page.ts'
import { readPoints, timedValuesOfSeries } from './point-format.ts'
import { timestamp } from './selection.ts'

/**
 * Days back from today at which each step of the search begins. The newest sample is mostly of today or
 * yesterday; a search of all time at once would look up every series in every partition.
 */
const STEPS_BACK = [1, 4, 16, 64, 256, 1024]

export interface Point {
  /** Milliseconds since 1970. */
  time: number
  value: unknown
}

/** The size of the largest answer, which is built in one piece. */
const MAX_BYTES = 2 * 1024 * 1024

/**
 * @returns the newest points by series number; a series without samples has no entry
 * @throws validation_error if objects and strings are too large together
 */
export async function latestSamples(
  db: Kysely<Tables>,
  tenantNumber: number,
  seriesNumbers: number[],
  nowMs = Date.now(),
): Promise<Map<number, Point>> {
  const latest = new Map<number, Point>()
  let missing = [...new Set(seriesNumbers)]
  // The first step has no end, so that it also finds samples whose time is in the future.
  let to: number | undefined
  for (const days of [...STEPS_BACK, undefined]) {
    if (missing.length === 0) break
    const from = days === undefined ? undefined : (dayNumber(nowMs) - days) * DAY_MS
    for (const [series, time, value] of await newestWithin(db, tenantNumber, missing, { from, to }))
      latest.set(series, { time, value })
    missing = missing.filter((number) => !latest.has(number))
    to = from
  }
  return latest
}

interface Span {
  from: number | undefined
  to: number | undefined
}

async function newestWithin(db: Kysely<Tables>, tenantNumber: number, seriesNumbers: number[], span: Span) {
  const selectNewest = (table: SampleTable, value: RawBuilder<unknown>) => sql`(
    select time, message_id, ${value} from ${sql.table(table)}
    where tenant_number = ${tenantNumber}::int and series_number = s.series
      ${span.from === undefined ? sql`` : sql`and time >= ${timestamp(span.from)}`}
      ${span.to === undefined ? sql`` : sql`and time < ${timestamp(span.to)}`}
    order by time desc, message_id desc limit 1)`
  const candidates = sql`
    select s.series, newest.time, newest.number, newest.other
    from unnest(${seriesNumbers}::int[]) as s (series) cross join lateral (
      select * from (
        ${selectNewest('samples', sql`value as number, null::jsonb as other`)} union all
        ${selectNewest('samples_other', sql`null::float8, value`)}
      ) candidate order by time desc, message_id desc limit 1
    ) newest`
  const page = await findPage(db, {
    candidates,
    order: sql`series`,
    format: timedValuesOfSeries,
    maxBytes: MAX_BYTES,
  })
  if (page?.isCut)
    throw validationError({
      path: 'items',
      message: 'asks for values that are too large together; ask for fewer',
    })
  return page ? readPoints<[series: number, time: number, value: unknown]>(page.pieces) : []
}
