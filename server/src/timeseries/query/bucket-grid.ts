/** Assigns samples to buckets. [docs/telemetry#intervals] */
import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../database/tables.ts'
import { validationError } from '../../http/errors.ts'
import { DAY_MS, dayNumber } from '../storage/partition-names.ts'
import type { Aggregation } from './aggregation.ts'
import { bucketKey, bucketStart, type Interval } from './interval.ts'

/** A span of time whose samples are all in one bucket. */
export interface Segment {
  /** The start of the bucket. */
  startMs: number
  /** The span includes `fromMs` and excludes `toMs`. */
  fromMs: number
  toMs: number
}

export interface Grid {
  /** Must be called before `find`, with all times that will be searched for. */
  prepare(tx: Kysely<Tables>, times: ArrayLike<number>): Promise<void> | undefined
  find(timeMs: number): Segment
  /** Time after the start of a bucket during which samples of the previous bucket may follow, if the clock is set back. */
  repeatedMs: number
}

/** Weeks begin on Mondays. */
const FIRST_MONDAY_MS = 4 * DAY_MS

export function createGrid({ interval, timeZone }: Aggregation, fromMs: number): Grid {
  // A single bucket begins with the span.
  if (!interval) return createSimpleGrid(() => ({ startMs: fromMs, fromMs: -Infinity, toMs: Infinity }))
  if (interval.unit === 'ms') return createSimpleGrid(findBucket(interval.count, 0))
  if (interval.unit === 'days' && timeZone === 'UTC')
    return createSimpleGrid(findBucket(interval.count * DAY_MS, FIRST_MONDAY_MS))
  return createZoneGrid(interval, timeZone)
}

const createSimpleGrid = (find: Grid['find']): Grid => ({ prepare: () => undefined, find, repeatedMs: 0 })

const findBucket = (lengthMs: number, originMs: number) => (timeMs: number) => {
  const startMs = Math.floor((timeMs - originMs) / lengthMs) * lengthMs + originMs
  return { startMs, fromMs: startMs, toMs: startMs + lengthMs }
}

/** Maximum time that is repeated when clocks are set back. */
const REPEATED_MS = 3 * 3_600_000
/** Number of following days that are prepared in advance, since they are usually needed next. */
const DAYS_AHEAD = 64
const MAX_DAYS = 10_000
/** The low limit keeps each statement short: days with a clock change before 1973 are checked second by second. */
const DAYS_A_STATEMENT = 500

/** Buckets of days and months in a time zone. The database computes the segments that begin in each day (UTC). */
function createZoneGrid(interval: Interval, timeZone: string): Grid {
  const known = new Map<number, Segment[]>()
  const prepare = async (tx: Kysely<Tables>, missing: Set<number>) => {
    const days = [...missing]
    const last = days.at(-1)!
    for (let ahead = 1; ahead <= DAYS_AHEAD && last + ahead < LAST_DAY; ahead++) days.push(last + ahead)
    for (let start = 0; start < days.length; start += DAYS_A_STATEMENT) {
      const part = days.slice(start, start + DAYS_A_STATEMENT)
      for (const [day, segments] of await readSegments(tx, { interval, timeZone }, part))
        known.set(day, segments)
    }
  }
  return {
    prepare: (tx, times) => {
      // Cleared before the days are looked up: each of them is needed, also one that is known.
      if (known.size > MAX_DAYS) known.clear()
      const missing = listMissing(known, times)
      return missing.size > 0 ? prepare(tx, missing) : undefined
    },
    find: (timeMs) => known.get(dayNumber(timeMs))!.findLast(({ fromMs }) => fromMs <= timeMs)!,
    repeatedMs: REPEATED_MS,
  }
}

const LAST_DAY = dayNumber(Date.UTC(9999, 11, 31))

function listMissing(known: Map<number, unknown>, times: ArrayLike<number>): Set<number> {
  const missing = new Set<number>()
  let last: number | undefined
  for (let index = 0; index < times.length; index++) {
    const day = dayNumber(times[index]!)
    if (day === last) continue
    last = day
    if (!known.has(day)) missing.add(day)
  }
  return missing
}

/** From this day on, all zones differ from UTC by whole minutes and change at whole minutes. */
const FIRST_DAY_OF_MINUTES = dayNumber(Date.UTC(1973, 0))
const DAY_SECONDS = DAY_MS / 1000

interface Change {
  day: number
  ms: number
  start_ms: number
}

/** PostgreSQL reports this for a time zone that it does not know: its list may be older than ours. */
const INVALID_PARAMETER = '22023'

function refuseUnknownZone(error: unknown): never {
  if ((error as { code?: string }).code !== INVALID_PARAMETER) throw error
  throw validationError({ path: 'timeZone', message: 'is not known to the database' })
}

/**
 * In a day without a clock change, another bucket can begin only at local midnight. In other days, each minute is
 * checked: clocks may change at midnight, so that a local day ends twice.
 */
async function readSegments(
  tx: Kysely<Tables>,
  { interval, timeZone }: { interval: Interval; timeZone: string },
  days: number[],
): Promise<Map<number, Segment[]>> {
  const local = (time: string) => sql`(${sql.ref(time)} at time zone ${timeZone}::text)`
  const offset = (time: string) => sql`${local(time)} - (${sql.ref(time)} at time zone 'UTC')`
  const epochMs = (time: ReturnType<typeof sql>) => sql`round(date_part('epoch', ${time}) * 1000)`
  const { rows } = await sql<Change>`
    with day as materialized (
      select *, ${offset('since')} = ${offset('until')} as is_regular from (
        select number, to_timestamp(number * ${DAY_SECONDS}::float8) as since, to_timestamp((number + 1) * ${DAY_SECONDS}::float8) as until
        from unnest(${days}::int[]) as number
      ) span
    ), instant as (
      select number, since as instant from day
      union select number, since + date_part('epoch', date_trunc('day', ${local('since')}) + interval '1 day' - ${local('since')})
        * interval '1 second' from day where is_regular
      union select number, instant from day cross join lateral generate_series(since, until - interval '1 second',
        case when number < ${FIRST_DAY_OF_MINUTES}::int then interval '1 second' else interval '1 minute' end) as instant where not is_regular
    ), keyed as (
      select number, instant, ${bucketKey(interval, timeZone, sql.ref('instant'))} as bucket
      from instant join day using (number) where instant < until
    )
    select number as day, ${epochMs(sql`instant`)} as ms, ${epochMs(bucketStart(interval, timeZone, sql.ref('bucket')))} as start_ms
    from (select *, lag(bucket) over (partition by number order by instant) as before from keyed) followed
    where before is distinct from bucket order by day, ms`
    .execute(tx)
    .catch(refuseUnknownZone)
  const segments = new Map<number, Segment[]>()
  for (const { day, ms, start_ms: startMs } of rows) {
    const ofDay = segments.get(day) ?? []
    segments.set(day, ofDay)
    const previous = ofDay.at(-1)
    if (previous) previous.toMs = ms
    ofDay.push({ startMs, fromMs: ms, toMs: (day + 1) * DAY_MS })
  }
  return segments
}
