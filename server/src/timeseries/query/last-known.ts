/** The last value of a series at or before a time, for bindings that join values. */
import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../database/tables.ts'
import { listPackedBefore, newer, type PackedSample } from '../storage/packed/last-before.ts'
import type { SeriesKey } from '../storage/series-key.ts'
import { type Candidates, searchNewest, type Sought } from './newest.ts'

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
  const found = new Map<string, LastSample>()
  const instantKey = (key: SeriesKey, timeMs: number) => `${timeMs} ${seriesText(key)}`
  const instants = [...new Map(wanted.map((one) => [instantKey(one.key, one.timeMs), one])).entries()]
  if (instants.length > 0) {
    const places = await listPlaces(
      tx,
      instants.map(([, one]) => one),
    )
    await searchNewest(places, async (candidates) => {
      const rows = await readValues(tx, candidates, places)
      for (const row of rows) found.set(instants[row.place]![0], readSample(row))
      return new Set(rows.map(({ place }) => place))
    })
    for (const [{ place, field }, sample] of await listPackedBefore(tx, places)) {
      const instant = instants[place]![0]
      found.set(instant, newer(found.get(instant), field === null ? sample : readField(sample, field)))
    }
  }
  return (key, timeMs) => {
    const sample = found.get(instantKey(key, timeMs))
    return sample?.value === undefined ? undefined : { timeMs: sample.timeMs, value: sample.value }
  }
}

/** The last sample of a series; its value is undefined if an object lacks the requested field. */
type LastSample = PackedSample

const readSample = ({ ms, messageId, value, isPresent }: Row): LastSample => ({
  timeMs: Math.round(ms),
  messageId: BigInt(messageId),
  value: isPresent ? value : undefined,
})

const readField = ({ value, ...sample }: PackedSample, name: string): LastSample => ({
  ...sample,
  value: isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined,
})

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

interface Place extends Sought {
  /** The name of the field of an object that is wanted; null for the whole value. */
  field: string | null
}

/**
 * Finds the series of the wanted values. The component of a client is a signal of that name whose value is an object: the
 * wanted value is one of its fields.
 */
async function listPlaces(tx: Kysely<Tables>, wanted: WantedValue[]): Promise<Place[]> {
  const column = <T>(of: (key: SeriesKey) => T) => wanted.map(({ key }) => of(key))
  const { rows } = await sql<Omit<Place, 'beforeMs'>>`
    select w.place::int - 1 as place, s.tenant_number as "tenantNumber", s.number as "seriesNumber",
      s.stream_number as "streamNumber", s.slot, st.last_hours[s.slot] as "lastHour",
      case when is_field then w.name end as field
    from unnest(${column((key) => key.tenantNumber)}::int[], ${column((key) => key.ownerType)}::text[],
      ${column((key) => key.ownerId)}::text[], ${column((key) => key.componentId)}::text[],
      ${column((key) => key.name)}::text[], ${column((key) => key.type)}::text[])
      with ordinality as w (tenant_number, owner_type, owner_id, component_id, name, type, place)
    cross join lateral (
      select w.owner_type = 'client' and w.component_id <> '' as is_field
    ) shape
    join series s on s.tenant_number = w.tenant_number and s.owner_type = w.owner_type and s.owner_id = w.owner_id
      and s.component_id = case when is_field then '' else w.component_id end
      and s.name = case when is_field then w.component_id else w.name end and s.type = w.type
    join streams st on st.number = s.stream_number`.execute(tx)
  // Times are whole milliseconds.
  return rows.map((row) => ({ ...row, beforeMs: wanted[row.place]!.timeMs + 1 }))
}

interface Row {
  place: number
  ms: number
  messageId: string
  value: unknown
  /** False if the object lacks the field. */
  isPresent: boolean
}

async function readValues(tx: Kysely<Tables>, newest: Candidates, places: Place[]): Promise<Row[]> {
  const fields = places.filter(({ field }) => field !== null)
  const { rows } = await sql<Row>`
    select place, ms, message_id as "messageId", value, value is not null as "isPresent" from (
      select newest.place, extract(epoch from time) * 1000 as ms, newest.message_id,
        case when field.name is not null then other -> field.name else coalesce(other, to_jsonb(number)) end as value
      from (${newest}) newest
      left join unnest(${fields.map(({ place }) => place)}::int[], ${fields.map(({ field }) => field)}::text[])
        as field (place, name) on field.place = newest.place
    ) found`.execute(tx)
  return rows.map((row) => ({ ...row, ms: Number(row.ms) }))
}
