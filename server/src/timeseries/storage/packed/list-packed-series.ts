import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../../database/tables.ts'
import { encodeInts } from '../encode-arrays.ts'
import type { Series } from '../series.ts'
import { toDate } from './choose-pieces.ts'
import { startAround } from './start-around.ts'

const wanted = { tenantNumber: sql`w.tenant_number`, streamNumber: sql`w.stream_number` }

/** @returns the series, of the given ones, that may have packed samples in the span */
export async function listPackedSeries(
  tx: Kysely<Tables>,
  series: Series[],
  { from, to }: { from: number; to: number },
): Promise<Set<Series>> {
  const { rows } = await sql<{ place: number }>`
    select w.place::int - 1 as place
    from unnest(${encodeInts(series.map(({ tenantNumber }) => tenantNumber))}::int[],
      ${encodeInts(series.map(({ streamNumber }) => streamNumber))}::int[],
      ${encodeInts(series.map(({ slot }) => slot))}::int[])
      with ordinality as w (tenant_number, stream_number, slot, place)
    where exists (
      select from packed_rows p where p.tenant_number = w.tenant_number and p.stream_number = w.stream_number
        and w.slot = any(p.sections) and p.first_time >= ${startAround(wanted, toDate(from))}
        and p.last_time >= ${toDate(from)} and p.first_time < ${toDate(to)}
    )`.execute(tx)
  return new Set(rows.map(({ place }) => series[place]!))
}
