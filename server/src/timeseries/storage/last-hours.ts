/**
 * Knows for each series an hour after which it has no rows, so that the newest value of a rare signal is found without
 * reading all rows of its stream. The hour is raised and committed before the rows are; it is never lowered, so that it may
 * be too late where rows were deleted or not stored in the end.
 */
import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../database/tables.ts'
import type { SampleRow } from './sample-row.ts'
import type { Stream } from './series-registry.ts'

export const HOUR_MS = 3_600_000

/** Hours since 1970, UTC. */
const hourNumber = (timeMs: number) => Math.floor(timeMs / HOUR_MS)

interface RowOfStream extends Pick<SampleRow, 'timeMs' | 'slots'> {
  stream: Stream
}

/** Call it before the transaction that stores the rows. It usually needs no statement: an hour advances once an hour. */
export async function raiseLastHours(db: Kysely<Tables>, rows: RowOfStream[]): Promise<void> {
  const raised = listRaised(rows)
  if (raised.size === 0) return
  await updateLastHours(db, new Map([...raised].map(([number, { hours }]) => [number, hours])))
  for (const { stream, hours } of raised.values()) mergeHours(stream.lastHours, hours)
}

interface Raised {
  stream: Stream
  /** The new hours by slot; holes for the other slots. */
  hours: number[]
}

function listRaised(rows: RowOfStream[]): Map<number, Raised> {
  const raised = new Map<number, Raised>()
  for (const { stream, timeMs, slots } of rows) {
    const hour = hourNumber(timeMs)
    const { lastHours } = stream
    // Compared in this direction, since an unknown hour is undefined.
    for (const slot of slots) if (!(lastHours[slot - 1]! >= hour)) raise(raised, stream, slot, hour)
  }
  return raised
}

function raise(all: Map<number, Raised>, stream: Stream, slot: number, hour: number): void {
  let raised = all.get(stream.number)
  if (!raised) all.set(stream.number, (raised = { stream, hours: [] }))
  raiseHour(raised.hours, slot - 1, hour)
}

function raiseHour(hours: number[], index: number, hour: number): void {
  if (!(hours[index]! >= hour)) hours[index] = hour
}

const mergeHours = (known: number[], raised: number[]): void =>
  // Holes are left out.
  raised.forEach((hour, index) => raiseHour(known, index, hour))

/** Returns the hours of rows of one stream, by slot. */
export function listHours(rows: Pick<SampleRow, 'timeMs' | 'slots'>[]): number[] {
  const hours: number[] = []
  for (const { timeMs, slots } of rows)
    for (const slot of slots) raiseHour(hours, slot - 1, hourNumber(timeMs))
  return hours
}

/** @param raised the hours of each stream by slot, with holes for slots whose hour stays */
export async function updateLastHours(db: Kysely<Tables>, raised: Map<number, number[]>): Promise<void> {
  const hours = [...raised.values()].map((one) => `{${Array.from(one, (hour) => hour ?? 'null').join()}}`)
  // Rows are locked in the same order everywhere, to avoid a deadlock between two nodes.
  await sql`
    with raised as materialized (
      select number, hours::int[] from unnest(${[...raised.keys()]}::int[], ${hours}::text[]) as r (number, hours)
    ), locked as materialized (
      select st.number from streams st join raised using (number) order by st.number for no key update of st
    )
    update streams st set last_hours = (
      select coalesce(array_agg(greatest(known, raised) order by slot), '{}')
      from unnest(st.last_hours, r.hours) with ordinality as hour (known, raised, slot))
    from raised r join locked using (number) where st.number = r.number`.execute(db)
}
