import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../database/tables.ts'
import type { SeriesKey } from '../../timeseries/storage/series-key.ts'

export interface WantedValue {
  key: SeriesKey
  /** The newest value at or before this time. */
  timeMs: number
}

export interface LastValue {
  timeMs: number
  value: unknown
}

export const seriesText = (key: SeriesKey): string =>
  [key.tenantNumber, key.ownerType, key.ownerId, key.componentId, key.type, key.name].join(' ')

/** @returns a function that looks up the last value; undefined for a series that had no value by then */
export async function listLastValues(
  tx: Kysely<Tables>,
  wanted: WantedValue[],
): Promise<(key: SeriesKey, timeMs: number) => LastValue | undefined> {
  const found = new Map<string, LastValue>()
  const instantKey = (key: SeriesKey, timeMs: number) => `${timeMs} ${seriesText(key)}`
  const places = [...new Map(wanted.map((one) => [instantKey(one.key, one.timeMs), one])).entries()]
  if (places.length > 0) {
    const rows = await select(
      tx,
      places.map(([, one]) => one),
    )
    for (const { place, ms, value } of rows)
      found.set(places[place - 1]![0], { timeMs: Math.round(ms), value })
  }
  return (key, timeMs) => found.get(instantKey(key, timeMs))
}

interface Row {
  place: number
  ms: number
  value: unknown
}

/**
 * The component of a client is a signal of that name whose value is an object: the wanted value is one of its fields.
 */
async function select(tx: Kysely<Tables>, wanted: WantedValue[]): Promise<Row[]> {
  const column = <T>(of: (key: SeriesKey) => T) => wanted.map(({ key }) => of(key))
  const { rows } = await sql<Row>`
    select w.place::int, extract(epoch from last.time) * 1000 as ms, last.value
    from unnest(${column((key) => key.tenantNumber)}::int[], ${column((key) => key.ownerType)}::text[],
      ${column((key) => key.ownerId)}::text[], ${column((key) => key.componentId)}::text[],
      ${column((key) => key.name)}::text[], ${column((key) => key.type)}::text[],
      ${wanted.map(({ timeMs }) => new Date(timeMs))}::timestamptz[])
      with ordinality as w (tenant_number, owner_type, owner_id, component_id, name, type, time, place)
    cross join lateral (
      select w.owner_type = 'client' and w.component_id <> '' as is_field
    ) shape
    join series s on s.tenant_number = w.tenant_number and s.owner_type = w.owner_type and s.owner_id = w.owner_id
      and s.component_id = case when is_field then '' else w.component_id end
      and s.name = case when is_field then w.component_id else w.name end and s.type = w.type
    cross join lateral (
      select * from (
        (select time, to_jsonb(value) as value from samples
          where tenant_number = s.tenant_number and series_number = s.number and time <= w.time
          order by time desc limit 1)
        union all
        (select time, case when is_field then value -> w.name else value end from samples_other
          where tenant_number = s.tenant_number and series_number = s.number and time <= w.time
          order by time desc limit 1)
      ) newest where value is not null order by time desc limit 1
    ) last`.execute(tx)
  return rows.map((row) => ({ ...row, ms: Number(row.ms) }))
}
