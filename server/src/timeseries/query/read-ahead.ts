/**
 * Reads the samples of many series of one answer together. Reading a series for itself takes five statements, whose
 * planning takes longer than reading an hour of samples.
 */
import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../database/tables.ts'
import { ApiError } from '../../http/errors.ts'
import type { AggregationType } from '../../lib/aggregation-types.ts'
import { encodeInts } from '../storage/encode-arrays.ts'
import { listPackedSeries } from '../storage/packed/list-packed-series.ts'
import { DAY_MS } from '../storage/partition-names.ts'
import type { Series } from '../storage/series.ts'
import { selectValues } from './aggregate-slice.ts'
import { type ReadArrays, type ReadRows, selectArrays, unpackArrays, type WantedValues } from './read-rows.ts'
import { readSnapshot } from './read-snapshot.ts'
import { selectStored, timestamp } from './selection.ts'

export interface ReadAhead {
  /**
   * Takes the samples of a series; the series are asked for in the order of the answer.
   * @returns undefined if the series has to be read for itself: if it has many samples, or packed ones
   */
  take(db: Kysely<Tables>, series: Series): Promise<ReadRows | undefined>
}

interface AheadSpan {
  from: number
  to: number
  /** Empty for raw samples. */
  types: AggregationType[]
}

/** In a longer span, most samples are packed, and planning takes time for each partition. */
const MAX_SPAN_MS = 3 * DAY_MS
/** The first read shows whether the series are small enough; an answer of fewer series would gain little. */
const FIRST_READ = 8
const SERIES_A_READ = 100
/** The limits of each series. Those of a read are together about as large as what is read of one large series at once. */
const LIMITS = { rows: 2000, bytes: 64 * 1024 }

/** @returns undefined if it would not help */
export function createReadAhead(
  signals: { series: Series | undefined }[],
  { types, ...span }: AheadSpan,
): ReadAhead | undefined {
  const all = signals.flatMap(({ series }) => series ?? [])
  if (all.length < FIRST_READ || span.to - span.from > MAX_SPAN_MS) return undefined
  const values = types.length > 0 ? selectValues(types) : 'all'
  const waiting = new Set(all)
  let size = FIRST_READ
  let found = new Map<Series, ReadRows>()
  return {
    take: async (db, series) => {
      if (waiting.has(series)) {
        const part = [...waiting].slice(0, size)
        size = SERIES_A_READ
        for (const one of part) waiting.delete(one)
        found = await readTogether(db, part, { ...span, values })
        // The others of the answer are probably like these.
        if (found.size < part.length / 2) waiting.clear()
      }
      const rows = found.get(series)
      found.delete(series)
      return rows
    },
  }
}

interface WantedSpan {
  from: number
  to: number
  values: WantedValues
}

const readTogether = (
  db: Kysely<Tables>,
  series: Series[],
  span: WantedSpan,
): Promise<Map<Series, ReadRows>> =>
  readSnapshot(db, async (tx) => {
    const packed = await listPackedSeries(tx, series, span)
    const others = series.filter((one) => !packed.has(one))
    return others.length > 0 ? readArrays(tx, others, span) : new Map<Series, ReadRows>()
  }).catch((error: unknown) => {
    // Together they take too long; for themselves they may not.
    if (error instanceof ApiError && error.code === 'unavailable') return new Map()
    throw error
  })

const place = {
  tenantNumber: sql`w.tenant_number`,
  number: sql`w.number`,
  streamNumber: sql`w.stream_number`,
  slot: sql`w.slot`,
}

async function readArrays(
  tx: Kysely<Tables>,
  series: Series[],
  { from, to, values }: WantedSpan,
): Promise<Map<Series, ReadRows>> {
  const ints = (read: (one: Series) => number) => encodeInts(series.map(read))
  const inSpan = sql`time >= ${timestamp(from)} and time < ${timestamp(to)}`
  const samples = sql`select * from (${selectStored(place, inSpan)}) sample where true`
  const { rows } = await sql<ReadArrays & { place: number }>`
    select w.place::int - 1 as place, found.*
    from unnest(${ints(({ tenantNumber }) => tenantNumber)}::int[], ${ints(({ number }) => number)}::int[],
      ${ints(({ streamNumber }) => streamNumber)}::int[], ${ints(({ slot }) => slot)}::int[])
      with ordinality as w (tenant_number, number, stream_number, slot, place)
    cross join lateral (${selectArrays(samples, { values, limits: LIMITS })}) found`.execute(tx)
  const arrays = new Map(rows.map((row) => [row.place, row]))
  return new Map(
    series.flatMap((one, index) => {
      const { isCut, ...read } = unpackArrays(arrays.get(index))
      return isCut ? [] : [[one, { ...read, to }]]
    }),
  )
}
