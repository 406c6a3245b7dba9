/** Aggregations: the values that each type applies to, and its result for a bucket. [docs/telemetry#aggregations] */
import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Tables } from '../../database/tables.ts'
import { validationError } from '../../http/errors.ts'
import type { AggregationType } from '../../lib/aggregation-types.ts'
import { bucketKey, bucketStart, type Interval } from './interval.ts'
import { findPage, type Output, type Page, pointsOfPage } from './page.ts'
import { type Selection, selectSamples, timestamp } from './selection.ts'

export interface Aggregation {
  type: AggregationType
  /** Without an interval, the whole span is one bucket that starts with the span. */
  interval?: Interval
  /** IANA name; days and months are those of this zone. */
  timeZone: string
}

type Expression = RawBuilder<unknown>

/** Pages are large, because the database computes all remaining buckets again for each page. */
const BUCKETS_A_PAGE = 20_000
const PAGE_BYTES = 1.5 * 1024 * 1024

/**
 * Yields the buckets in time order, without those that have no fitting value.
 * @returns whether there are more buckets than the limit
 */
export async function* bucketPages(
  db: Kysely<Tables>,
  selection: Selection,
  { aggregation, format, limit }: Output & { aggregation: Aggregation },
): AsyncGenerator<Page, boolean> {
  let after: number | undefined
  for (let left = limit; ;) {
    const size = pointsOfPage(BUCKETS_A_PAGE, left)
    const page = await findBuckets(db, { selection, aggregation, format, after, size })
    if (!page) return false
    if (left === 0) return true
    yield page
    if (!page.isCut && page.count < size) return false
    left -= page.count
    after = page.lastMs
  }
}

interface BucketRequest extends Pick<Output, 'format'> {
  selection: Selection
  aggregation: Aggregation
  /** The start of a bucket; the result holds the buckets after it. */
  after: number | undefined
  size: number
}

async function findBuckets(db: Kysely<Tables>, request: BucketRequest): Promise<Page | undefined> {
  const { selection, aggregation, format, after, size } = request
  const order = sql`time`
  // The span of the remaining buckets starts within the bucket `after`, which is therefore found again and left out.
  const from = Math.max(selection.from, after ?? selection.from)
  const [fetchLimit, afterFilter] =
    after === undefined ? [size, sql``] : [size + 1, sql`where time > ${timestamp(from)}`]
  const read = (number: Expression) => {
    const buckets = selectBuckets({ ...selection, from }, aggregation, fetchLimit, number)
    const candidates = sql`select * from (${buckets}) bucket ${afterFilter}`
    return findPage(db, { candidates, order, format, maxBytes: PAGE_BYTES })
  }
  try {
    return await read(sql`value`)
  } catch (error) {
    const { code } = error as { code?: string }
    // Large doubles overflow in intermediate results (avg squares them); numeric is slow, but does not.
    if (code === NUMERIC_OUT_OF_RANGE) return read(sql`value::numeric`)
    if (code === INVALID_PARAMETER)
      throw validationError({ path: 'timeZone', message: 'is not known to the database' })
    throw error
  }
}

const NUMERIC_OUT_OF_RANGE = '22003'
/** PostgreSQL reports this for a time zone that it does not know: its list may be older than ours. */
const INVALID_PARAMETER = '22023'

function selectBuckets(
  selection: Selection,
  aggregation: Aggregation,
  limit: number,
  number: Expression,
): Expression {
  const grid = makeGrid(selection, aggregation)
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
  /** The start of a bucket, computed from the column `bucket`. */
  start: Expression
}

function makeGrid(selection: Selection, { interval, timeZone }: Aggregation): Grid {
  const key = interval ? bucketKey(interval, timeZone, sql`time`) : timestamp(selection.from)
  const start = interval ? bucketStart(interval, timeZone, sql`bucket`) : sql`bucket`
  return { key, start: sql`${start} as time` }
}

/** avg, sum and median apply to numbers and booleans; true counts as 1. */
function overNumbers(selection: Selection, { key, start }: Grid, limit: number, result: Expression) {
  const numbers = selectSamples(selection, 'samples', sql`${key} as bucket, value`)
  const booleans = selectSamples(
    selection,
    'samples_other',
    sql`${key} as bucket, (value = 'true'::jsonb)::int::float8 as value`,
  )
  return sql`
    select ${start}, number, null::jsonb as other from (
      select bucket, ${result} as number from (${numbers} union all ${booleans} and jsonb_typeof(value) = 'boolean') entry
      group by bucket order by bucket limit ${limit}
    ) buckets`
}

/** min and max apply to numbers, or to strings in byte order if a bucket has no number. */
function extremes(selection: Selection, { key, start }: Grid, limit: number, type: 'min' | 'max') {
  const pick = sql.raw(type)
  const numbers = selectSamples(
    selection,
    'samples',
    sql`${key} as bucket, value as number, null::text as string`,
  )
  const strings = selectSamples(
    selection,
    'samples_other',
    sql`${key} as bucket, null::float8, (value #>> '{}') collate "C"`,
  )
  return sql`
    select ${start}, number, case when number is null then to_jsonb(string) end as other from (
      select bucket, ${pick}(number) as number, ${pick}(string) as string
      from (${numbers} union all ${strings} and jsonb_typeof(value) = 'string') entry
      group by bucket order by bucket limit ${limit}
    ) buckets`
}

/** first and last apply to every type. The index yields the times at the edges of the buckets; then each value is read. */
function edges(selection: Selection, { key, start }: Grid, limit: number, type: 'first' | 'last') {
  const [edge, order] = type === 'first' ? ['min', 'asc'] : ['max', 'desc']
  const times = sql`${key} as bucket, time`
  const number = sql`message_id, value as number, null::jsonb as other`
  const other = sql`message_id, null::float8, value`
  const atEdge = sql`and time = edge.time`
  return sql`
    select ${start}, number, other from (
      select bucket, ${sql.raw(edge)}(time) as time from (
        ${selectSamples(selection, 'samples', times)} union all ${selectSamples(selection, 'samples_other', times)}
      ) entry group by bucket order by bucket limit ${limit}
    ) edge cross join lateral (
      ${selectSamples(selection, 'samples', number)} ${atEdge}
      union all ${selectSamples(selection, 'samples_other', other)} ${atEdge}
      order by message_id ${sql.raw(order)} limit 1
    ) sample`
}
