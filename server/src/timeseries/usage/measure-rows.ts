/**
 * Measures the rows of a tenant in `sample_rows`. Partitions may have a billion rows of all tenants, so few rows of a
 * tenant are counted, and many are estimated from a sample of the pages.
 */
import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Tables } from '../../database/tables.ts'
import { isMissing } from '../storage/drop-partition.ts'
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

async function readUsage(
  db: Kysely<Tables>,
  tenantNumber: number,
  { source, limit }: { source: RawBuilder<unknown>; limit: number },
): Promise<PartitionUsage> {
  const { rows } = await sql<{ day: number; rows: number; values: number; bytes: number }>`
    select floor(date_part('epoch', time) / 86400)::int as day, count(*)::float8 as rows,
      sum(value_count)::float8 as values, sum(bytes)::float8 as bytes
    from (
      select time, coalesce(cardinality(array_remove(numbers, null)), 0)
          + case when others is null then 0 else (select count(*) from jsonb_object_keys(others)) end as value_count,
        coalesce(pg_column_size(numbers), 0) + coalesce(pg_column_size(others), 0) + ${ROW_BYTES}::int as bytes
      from ${source} where tenant_number = ${tenantNumber}::int
      ${Number.isFinite(limit) ? sql`limit ${limit}` : sql``}
    ) counted group by day order by day`.execute(db)
  return {
    rows: rows.reduce((sum, one) => sum + one.rows, 0),
    days: rows.map(({ day, values, bytes }) => ({ tier: 'rows', day, values, bytes, isEstimate: false })),
  }
}
