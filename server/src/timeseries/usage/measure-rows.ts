/**
 * Measures the rows of a tenant in `sample_rows`. Partitions may have a billion rows of all tenants, so few rows of a
 * tenant are counted, and many are estimated from a sample of the pages.
 */
import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Tables } from '../../database/tables.ts'
import { isMissing } from '../storage/drop-partition.ts'
import { estimatedSize } from '../storage/estimated-size.ts'
import { rowTable } from '../storage/partition-names.ts'
import type { DayUsage } from './usage.ts'

/** A tenant's rows in a partition are counted if there are fewer. */
const COUNTED_ROWS = 2_000
/** The higher limit for a tenant with few rows in a large partition, where a sample is too inaccurate. */
const MORE_COUNTED_ROWS = 100_000
const SAMPLED_PAGES = 300
/** With fewer rows in the sample, the estimate is too inaccurate. */
const ENOUGH_ROWS = 100
/** Estimated size of a row header, its fixed-length numbers, and its index entry. */
const ROW_BYTES = 88
/** Maximum estimated size of the objects whose values are counted; as many values are assumed in the others. */
const OBJECT_BYTES = 32 * 1024 * 1024

interface PartitionUsage {
  rows: number
  days: DayUsage[]
}

export async function measureRows(db: Kysely<Tables>, tenantNumber: number): Promise<DayUsage[]> {
  const days: DayUsage[] = []
  for (const partition of await listPartitionPages(db))
    days.push(...(await measurePartition(db, tenantNumber, partition).catch(ignoreMissing)))
  return days
}

/** The rows of a partition that is dropped meanwhile are packed, and measured there. */
function ignoreMissing(error: unknown): DayUsage[] {
  if (isMissing(error)) return []
  throw error
}

interface Partition {
  name: string
  pages: number
}

async function listPartitionPages(db: Kysely<Tables>): Promise<Partition[]> {
  const { rows } = await sql<Partition>`
    select c.relname as name, (pg_relation_size(c.oid) / current_setting('block_size')::int)::float8 as pages
    from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = to_regclass(${rowTable}) order by 1`.execute(db)
  return rows.filter(({ pages }) => pages > 0)
}

async function measurePartition(
  db: Kysely<Tables>,
  tenantNumber: number,
  { name, pages }: Partition,
): Promise<DayUsage[]> {
  const count = (limit: number) => readUsage(db, tenantNumber, { source: sql.table(name), limit })
  const few = await count(COUNTED_ROWS)
  if (few.rows < COUNTED_ROWS) return few.days
  const percent = Math.min(100, (SAMPLED_PAGES / pages) * 100)
  const source = sql`${sql.table(name)} tablesample system (${percent}::float4) repeatable (0)`
  const sampled = await readUsage(db, tenantNumber, { source, limit: Infinity })
  if (percent === 100) return sampled.days
  const estimated = scaleUp(sampled.days, 100 / percent)
  if (sampled.rows >= ENOUGH_ROWS) return estimated
  const more = await count(MORE_COUNTED_ROWS)
  return more.rows < MORE_COUNTED_ROWS ? more.days : estimated
}

const scaleUp = (days: DayUsage[], factor: number): DayUsage[] =>
  days.map((one) => ({
    ...one,
    values: one.values * factor,
    bytes: one.bytes * factor,
    isEstimate: true,
  }))

interface CountedDay {
  day: number
  rows: number
  numbers: number
  bytes: number
  /** Values that are not numbers, in the objects that were read. */
  others: number
  readObjects: number
  unreadObjects: number
}

async function readUsage(
  db: Kysely<Tables>,
  tenantNumber: number,
  { source, limit }: { source: RawBuilder<unknown>; limit: number },
): Promise<PartitionUsage> {
  // `offset 0` makes the database count the values of an object once, not at each use of their number.
  const { rows } = await sql<CountedDay>`
    select floor(date_part('epoch', time) / 86400)::int as day, count(*)::float8 as rows,
      sum(number_count)::float8 as numbers, sum(bytes)::float8 as bytes, coalesce(sum(other_count), 0)::float8 as others,
      count(other_count)::float8 as "readObjects", (count(others) - count(other_count))::float8 as "unreadObjects"
    from (
      select time, others, number_count, bytes,
        case when object_bytes_before < ${OBJECT_BYTES}::int8 and others is not null
          then (select count(*) from jsonb_object_keys(others)) end as other_count
      from (
        select time, others, coalesce(cardinality(array_remove(numbers, null)), 0) as number_count,
          coalesce(pg_column_size(numbers), 0) + coalesce(pg_column_size(others), 0) + ${ROW_BYTES}::int as bytes,
          coalesce(sum(${estimatedSize('others')}) over (rows between unbounded preceding and 1 preceding), 0)
            as object_bytes_before
        from (
          select time, numbers, others from ${source} where tenant_number = ${tenantNumber}::int
          ${Number.isFinite(limit) ? sql`limit ${limit}` : sql``}
        ) chosen
      ) measured offset 0
    ) counted group by day order by day`.execute(db)
  const sum = (of: (one: CountedDay) => number) => rows.reduce((total, one) => total + of(one), 0)
  const valuesPerObject = sum(({ others }) => others) / sum(({ readObjects }) => readObjects)
  return {
    rows: sum((one) => one.rows),
    days: rows.map(({ day, numbers, others, unreadObjects, bytes }) => ({
      tier: 'rows',
      day,
      values: numbers + others + (unreadObjects > 0 ? unreadObjects * valuesPerObject : 0),
      bytes,
      isEstimate: unreadObjects > 0,
    })),
  }
}
