/** Aggregations: which values they apply to and what they make of a bucket of them. [contract §6] */
import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Tables } from '../database/tables.ts'
import { bucketKey, bucketStart, type Interval } from './interval.ts'
import { type Point, pointOf, type PointRow } from './point.ts'
import { type Selection, selectSamples, timestamp } from './selection.ts'

export const aggregationTypes = ['avg', 'min', 'max', 'first', 'last', 'sum', 'median'] as const
export type AggregationType = (typeof aggregationTypes)[number]

export interface Aggregation {
  type: AggregationType
  /** Without one, the whole span is one bucket that starts where the span does. */
  interval?: Interval
  /** IANA name; days and months are those of this zone. */
  timeZone: string
}

type Expression = RawBuilder<unknown>

/**
 * Buckets in time order, from the one of `selection.from` on; buckets without a fitting value are left out.
 * @param limit at most so many
 */
export async function aggregate(
  db: Kysely<Tables>,
  selection: Selection,
  aggregation: Aggregation,
  limit: number,
): Promise<Point[]> {
  try {
    return await run(db, bucketsOf(selection, aggregation, limit, sql`value`))
  } catch (error) {
    if (!isOverflow(error)) throw error
    // Doubles near their end overflow on the way (avg squares them); numeric is slow and does not.
    return run(db, bucketsOf(selection, aggregation, limit, sql`value::numeric`))
  }
}

const isOverflow = (error: unknown) => (error as { code?: string }).code === '22003'

async function run(db: Kysely<Tables>, query: RawBuilder<PointRow>): Promise<Point[]> {
  const { rows } = await query.execute(db)
  return rows.map(pointOf)
}

function bucketsOf(selection: Selection, aggregation: Aggregation, limit: number, number: Expression) {
  const grid = gridOf(selection, aggregation)
  switch (aggregation.type) {
    case 'avg':
    case 'sum':
      return overNumbers(selection, grid, limit, sql`${sql.raw(aggregation.type)}(${number})`)
    case 'median':
      return overNumbers(selection, grid, limit, sql`percentile_cont(0.5) within group (order by value)`)
    case 'min':
    case 'max':
      return extremes(selection, grid, limit, aggregation.type)
    case 'first':
    case 'last':
      return edges(selection, grid, limit, aggregation.type)
  }
}

interface Grid {
  key: Expression
  /** Of the column `bucket`. */
  startMs: Expression
}

function gridOf(selection: Selection, { interval, timeZone }: Aggregation): Grid {
  const key = interval ? bucketKey(interval, timeZone, sql`time`) : timestamp(selection.from)
  const start = interval ? bucketStart(interval, timeZone, sql`bucket`) : sql`bucket`
  return { key, startMs: sql`date_part('epoch', ${start}) * 1000 as ms` }
}

/** avg, sum, median: of numbers, and true is 1. */
function overNumbers(selection: Selection, { key, startMs }: Grid, limit: number, result: Expression) {
  const numbers = selectSamples(selection, 'samples', sql`${key} as bucket, value`)
  const booleans = selectSamples(selection, 'samples_other', sql`${key} as bucket, (value = 'true'::jsonb)::int::float8 as value`)
  return sql<PointRow>`
    select ${startMs}, result::text as json from (
      select bucket, ${result} as result from (${numbers} union all ${booleans} and jsonb_typeof(value) = 'boolean') entry
      group by bucket order by bucket limit ${limit}
    ) buckets order by 1`
}

/** min, max: of numbers, or of strings in byte order where a bucket has no number. */
function extremes(selection: Selection, { key, startMs }: Grid, limit: number, type: 'min' | 'max') {
  const pick = sql.raw(type)
  const numbers = selectSamples(selection, 'samples', sql`${key} as bucket, value as number, null::text as string`)
  const strings = selectSamples(selection, 'samples_other', sql`${key} as bucket, null::float8, (value #>> '{}') collate "C"`)
  return sql<PointRow>`
    select ${startMs}, coalesce(number::text, to_json(string)::text) as json from (
      select bucket, ${pick}(number) as number, ${pick}(string) as string
      from (${numbers} union all ${strings} and jsonb_typeof(value) = 'string') entry
      group by bucket order by bucket limit ${limit}
    ) buckets order by 1`
}

/** first, last: of every type. The times at the edges of the buckets come out of the index, their values one by one. */
function edges(selection: Selection, { key, startMs }: Grid, limit: number, type: 'first' | 'last') {
  const [edge, order] = type === 'first' ? ['min', 'asc'] : ['max', 'desc']
  const times = sql`${key} as bucket, time`
  const at = sql`message_id, value::text as json`
  const atEdge = sql`and time = edge.time`
  return sql<PointRow>`
    select ${startMs}, json from (
      select bucket, ${sql.raw(edge)}(time) as time from (
        ${selectSamples(selection, 'samples', times)} union all ${selectSamples(selection, 'samples_other', times)}
      ) entry group by bucket order by bucket limit ${limit}
    ) edge cross join lateral (
      ${selectSamples(selection, 'samples', at)} ${atEdge} union all ${selectSamples(selection, 'samples_other', at)} ${atEdge}
      order by message_id ${sql.raw(order)} limit 1
    ) sample order by 1`
}
