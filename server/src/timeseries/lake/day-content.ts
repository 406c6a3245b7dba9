/** The Parquet file of one day of a tenant, sorted by series and time. [docs/lake#files] */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../database/tables.ts'
import { createParquetFile } from '../export/parquet/parquet-file.ts'
import { pointsOfItems } from '../export/parquet/parquet-result.ts'
import type { ResultItem } from '../query/query.ts'
import { MERGE_LIMITS } from '../storage/packed/merge-limits.ts'
import { DAY_MS } from '../storage/partition-names.ts'
import { listSeriesAfter, type Series } from '../storage/series.ts'

export interface TenantDay {
  tenantNumber: number
  /** Days since 1970, UTC. */
  day: number
}

const SERIES_A_PAGE = 1000

/**
 * Rests as long as it works, to give other work precedence.
 * @param count is called with the number of values that were written
 * @throws the reason of `signal` once it is aborted
 */
export async function* writeDayContent(
  db: Kysely<Tables>,
  place: TenantDay,
  { count, signal }: { count: (values: number) => void; signal: AbortSignal },
): AsyncGenerator<Buffer> {
  const file = createParquetFile()
  let startMs = performance.now()
  for await (const item of listItemsOfDay(db, place)) {
    signal.throwIfAborted()
    for await (const { series, points } of pointsOfItems(db, [item])) {
      signal.throwIfAborted()
      file.add(series, points)
      count(points.length)
      if (!file.isGroupFull()) continue
      yield await file.writeGroup()
      await sleep(performance.now() - startMs, undefined, { signal })
      startMs = performance.now()
    }
  }
  yield await file.writeGroup()
  yield file.finish()
}

async function* listItemsOfDay(db: Kysely<Tables>, place: TenantDay): AsyncGenerator<ResultItem> {
  const streams = await listStreamsOfDay(db, place)
  const query = { names: [], from: place.day * DAY_MS, to: (place.day + 1) * DAY_MS }
  let after: Series | undefined
  for (;;) {
    const page = await listSeriesAfter(db, place.tenantNumber, { after, limit: SERIES_A_PAGE })
    for (const series of page)
      if (streams.has(series.streamNumber)) yield { signal: { key: series, series, modelId: null }, query }
    after = page.at(-1)
    if (page.length < SERIES_A_PAGE) return
  }
}

async function listStreamsOfDay(db: Kysely<Tables>, { tenantNumber, day }: TenantDay): Promise<Set<number>> {
  const [from, to] = [day * DAY_MS, (day + 1) * DAY_MS].map((ms) => new Date(ms).toISOString())
  const { rows } = await sql<{ number: number }>`
    select distinct stream_number as number from packed_rows where tenant_number = ${tenantNumber}::int
      and last_time >= ${from}::timestamptz and first_time < ${to}::timestamptz
      and last_time < ${to}::timestamptz + ${MERGE_LIMITS.days}::int * interval '1 day'
      and (day_values is null or day_values[${day}::int - floor(date_part('epoch', first_time) / 86400)::int + 1] > 0)`.execute(
    db,
  )
  return new Set(rows.map(({ number }) => number))
}
