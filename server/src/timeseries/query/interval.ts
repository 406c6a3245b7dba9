/**
 * Buckets of an aggregation. Exact intervals count from 1970 in UTC; days count in the time zone, from Monday,
 * 1970-01-05, so that weeks start on Mondays; months count from the year 0, so that quarters and decades are whole.
 * [docs/telemetry#intervals]
 */
import { type RawBuilder, sql } from 'kysely'
import { DAY_MS } from '../storage/partition-names.ts'
import type { Duration } from '../../lib/duration.ts'

export type Interval = { unit: 'ms' | 'days' | 'months'; count: number }

type Expression = RawBuilder<unknown>

/** @returns the interval, or the problem as the part of a sentence that follows the name of the field */
export function convertDuration({
  months,
  days,
  ms,
}: Duration): { interval: Interval } | { problem: string } {
  if (months > 0 && (days > 0 || ms > 0))
    return {
      problem:
        'must not mix years and months with weeks, days or a time: such buckets would have no fixed grid',
    }
  if (months > 0) return { interval: { unit: 'months', count: months } }
  // A day beside a time part is 24 hours: P1DT12H is PT36H.
  if (ms > 0) return { interval: { unit: 'ms', count: days * DAY_MS + ms } }
  return { interval: { unit: 'days', count: days } }
}

/** The key that all samples of a bucket share: its start, for days and months as local time of the zone. */
export function bucketKey({ unit, count }: Interval, timeZone: string, time: Expression): Expression {
  if (unit === 'ms') return sql`date_bin(${count}::float8 * interval '1 ms', ${time}, timestamptz 'epoch')`
  const local = sql`(${time} at time zone ${timeZone}::text)`
  if (unit === 'days')
    return sql`date_bin(make_interval(days => ${count}::int), ${local}, timestamp '1970-01-05')`
  if (count === 1 || count === 12) return sql`date_trunc(${count === 1 ? 'month' : 'year'}::text, ${local})`
  // PostgreSQL counts no year 0, in which the first hours of the year 1 are in western zones.
  const year = sql`(date_part('year', ${local} + interval '400 years') - 400)`
  const beyond = sql`(${year} * 12 + date_part('month', ${local}) - 1)::int % ${count}::int`
  return sql`date_trunc('month', ${local}) - make_interval(months => ${beyond})`
}

/**
 * The moment at which a bucket starts. Where clocks are set back over midnight, midnight occurs twice and PostgreSQL
 * chooses the later one; adding an hour to the hour before midnight gives the first.
 */
export function bucketStart({ unit }: Interval, timeZone: string, key: Expression): Expression {
  if (unit === 'ms') return key
  const instant = (local: Expression) => sql`${local} at time zone ${timeZone}::text`
  return sql`least(${instant(key)}, (${instant(sql`(${key} - interval '1 hour')`)}) + interval '1 hour')`
}
