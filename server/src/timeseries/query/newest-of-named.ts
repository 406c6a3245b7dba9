/**
 * Finds named series together with their newest values. One prepared statement searches the last hour of each series,
 * which mostly has a row: two statements, with the series between them, take twice as long.
 */
import { type Kysely, type RawBuilder, sql } from 'kysely'
import { executePrepared } from '../../database/execute-prepared.ts'
import { TENANT_SHARE } from '../../database/queries.ts'
import type { Tables } from '../../database/tables.ts'
import { inLanes } from '../../lib/in-lanes.ts'
import { encodeTexts } from '../storage/encode-arrays.ts'
import { HOUR_MS } from '../storage/last-hours.ts'
import { findUnpackedStart } from '../storage/packed/settling.ts'
import type { OwnerType, SeriesType } from '../storage/series-key.ts'
import type { LatestPlace, Point } from './latest.ts'
import { newestFirst } from './newest.ts'
import { jsonValue } from './newest-page.ts'
import { selectRows } from './selection.ts'

/**
 * Larger objects and strings are left to the search that limits the size of all values together. As many of these as a
 * request may ask for are within that limit.
 */
const MAX_VALUE_BYTES = 100

/** One signal of several owners. */
export interface SignalOfOwners {
  ownerType: OwnerType
  ownerIds: string[]
  componentId: string
  name: string
  type: SeriesType
}

/** Statements of so many owners run beside each other. */
const OWNERS_A_STATEMENT = 500

/** The newest value, or where it is to be searched. */
export type NewestOfSeries = { point: Point; place?: never } | { point?: never; place: LatestPlace }

type Entry = [part: number, ownerId: string, ...([time: number, value: unknown] | [null, ...PlaceValues])]
type PlaceValues = [number: number, streamNumber: number, slot: number, hour: number | null]

/** @returns the series that exist, by owner, for each of the signals */
export async function findNewestOfNamed(
  db: Kysely<Tables>,
  tenantNumber: number,
  signals: SignalOfOwners[],
): Promise<Map<string, NewestOfSeries>[]> {
  const found = signals.map(() => new Map<string, NewestOfSeries>())
  // More at once would keep other requests of the tenant waiting.
  await inLanes(splitSignals(signals), { lanes: TENANT_SHARE }, async (parts) => {
    const statement = selectNewestOfNamed(tenantNumber, parts)
    const { rows } = await executePrepared(db, 'newest-of-named', statement)
    for (const [part, ownerId, ...newest] of JSON.parse(`[${rows[0]!.text ?? ''}]`) as Entry[])
      found[parts[part - 1]!.index]!.set(ownerId, readNewest(newest))
  })
  return found
}

/** A part of a signal's owners. */
interface SignalPart extends SignalOfOwners {
  /** The index of the signal in the request. */
  index: number
}

/** @returns the parts for each statement */
function splitSignals(signals: SignalOfOwners[]): SignalPart[][] {
  const statements: SignalPart[][] = []
  let free = 0
  for (const [index, signal] of signals.entries())
    for (let start = 0; start < signal.ownerIds.length;) {
      if (free === 0) {
        statements.push([])
        free = OWNERS_A_STATEMENT
      }
      const ownerIds = signal.ownerIds.slice(start, start + free)
      statements.at(-1)!.push({ ...signal, ownerIds, index })
      start += ownerIds.length
      free -= ownerIds.length
    }
  return statements
}

function readNewest(newest: [number, unknown] | [null, ...PlaceValues]): NewestOfSeries {
  if (newest[0] !== null) return { point: { time: newest[0], value: newest[1] } }
  const [, number, streamNumber, slot, hour] = newest as [null, ...PlaceValues]
  return { place: { number, stream_number: streamNumber, slot, hour } }
}

function selectNewestOfNamed(tenantNumber: number, parts: SignalPart[]) {
  const texts = (of: (one: SignalPart) => string) => sql`(select ${encodeTexts(parts.map(of))}::text[])`
  const unpackedHour = findUnpackedStart(Date.now()) / HOUR_MS
  // The hour does not apply to samples of earlier versions.
  const hasFormer = sql`(select exists (select from samples where tenant_number = ${tenantNumber}::int)
    or exists (select from samples_other where tenant_number = ${tenantNumber}::int))`
  return sql<{ text: string | null }>`
    select string_agg('[' || part || ',' || to_json(owner_id) || ',' || coalesce(
        case when hour >= ${unpackedHour}::int and not ${hasFormer} then (${selectNewestText(tenantNumber)}) end,
        'null,' || series.number || ',' || stream_number || ',' || slot || ',' || coalesce(hour::text, 'null')
      ) || ']', ',') as text
    from unnest(${texts((one) => one.ownerType)}, ${texts((one) => encodeTextsAsText(one.ownerIds))},
        ${texts((one) => one.componentId)}, ${texts((one) => one.name)}, ${texts((one) => one.type)})
      with ordinality as w (owner_type, owner_ids, component_id, name, type, part)
    cross join lateral (
      select s.number, s.owner_id, s.stream_number, s.slot,
        (select last_hours[s.slot] from streams where streams.number = s.stream_number) as hour
      from series s where s.tenant_number = ${tenantNumber}::int and s.owner_type = w.owner_type
        and s.owner_id = any(w.owner_ids::text[]) and s.component_id = w.component_id and s.name = w.name and s.type = w.type
      -- Otherwise PostgreSQL would read all series of the tenant and compare them.
      offset 0
    ) series`
}

/** Selects time and value as JSON, of the newest row in the hour; nothing if there is none, or a large one. */
function selectNewestText(tenantNumber: number): RawBuilder<unknown> {
  const place = { tenantNumber, streamNumber: sql.ref('series.stream_number'), slot: sql.ref('series.slot') }
  const startOfHour = (hour: RawBuilder<unknown>) => sql`to_timestamp((${hour}) * 3600::float8)`
  const inHour = sql`time >= ${startOfHour(sql`hour`)} and time < ${startOfHour(sql`hour + 1`)}`
  return sql`select case when other is null or pg_column_size(other) <= ${MAX_VALUE_BYTES}::int
      then round(date_part('epoch', time) * 1000)::int8 || ',' || ${jsonValue} end
    from (${selectRows(place, inHour)} ${newestFirst}) newest`
}

/** Writes an array as a text, for an array of arrays that differ in length. */
const encodeTextsAsText = (texts: string[]): string =>
  `{${texts.map((text) => `"${text.replace(/["\\]/g, '\\$&')}"`).join()}}`
