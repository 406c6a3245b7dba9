/** The newest sample of each of many series, by its time. */
import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../database/tables.ts'
import { validationError } from '../../http/errors.ts'
import { type Candidates, searchNewest, type Sought } from './newest.ts'
import { readNewestPoints } from './newest-page.ts'

export interface Point {
  /** Milliseconds since 1970. */
  time: number
  value: unknown
}

/** The size of the largest answer, which is built in one piece. */
const MAX_BYTES = 2 * 1024 * 1024

/**
 * @returns the newest points by series number; a series without samples has no entry
 * @throws validation_error if objects and strings are too large together
 */
export async function latestSamples(
  db: Kysely<Tables>,
  tenantNumber: number,
  seriesNumbers: number[],
): Promise<Map<number, Point>> {
  return latestOfPlaces(db, tenantNumber, await listPlaces(db, tenantNumber, [...new Set(seriesNumbers)]))
}

/** The position of a series in the stored data, and the hour in which the search begins. */
export interface LatestPlace {
  number: number
  stream_number: number
  slot: number
  /** null if the series has no rows. */
  hour: number | null
}

/** @param places without duplicate series */
export async function latestOfPlaces(
  db: Kysely<Tables>,
  tenantNumber: number,
  places: LatestPlace[],
): Promise<Map<number, Point>> {
  const latest = new Map<number, Point>()
  const sought = places.map((place): Sought => ({
    place: place.number,
    tenantNumber,
    seriesNumber: place.number,
    streamNumber: place.stream_number,
    slot: place.slot,
    lastHour: place.hour,
    beforeMs: Infinity,
  }))
  await searchNewest(sought, async (candidates) => {
    const points = await readNewest(db, candidates)
    for (const [series, time, value] of points) latest.set(series, { time, value })
    return new Set(points.map(([series]) => series))
  })
  return latest
}

async function listPlaces(
  db: Kysely<Tables>,
  tenantNumber: number,
  seriesNumbers: number[],
): Promise<LatestPlace[]> {
  const { rows } = await sql<LatestPlace>`
    select s.number, s.stream_number, s.slot, st.last_hours[s.slot] as hour
    from series s join streams st on st.number = s.stream_number
    where s.number = any(${seriesNumbers}::int[]) and s.tenant_number = ${tenantNumber}::int`.execute(db)
  return rows
}

async function readNewest(db: Kysely<Tables>, newest: Candidates) {
  const { points, isCut } = await readNewestPoints(db, newest, MAX_BYTES)
  if (isCut)
    throw validationError({
      path: 'items',
      message: 'asks for values that are too large together; ask for fewer',
    })
  return points
}
