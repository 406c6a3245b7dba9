/** Reads the newest samples of many series with one statement. */
import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Tables } from '../../database/tables.ts'
import { estimatedSize } from '../storage/estimated-size.ts'
import type { Candidates } from './newest.ts'

export type NewestPoint = [series: number, timeMs: number, value: unknown]

export interface NewestPoints {
  points: NewestPoint[]
  /** Whether values were left out because all are too large together. */
  isCut: boolean
}

/** The value of a candidate. JSON cannot express NaN and infinity, so they become null. PostgreSQL sorts NaN after infinity. */
export const jsonValue = sql`case when abs(number) >= 'Infinity' then 'null' else coalesce(number::text, other::text, 'null') end`
const point = sql`'[' || series || ',' || round(date_part('epoch', time) * 1000)::int8 || ',' || ${jsonValue} || ']'`
const sumBefore = (bytes: RawBuilder<unknown>) => sql`coalesce(
  sum(${bytes}) over (order by series rows between unbounded preceding and 1 preceding), 0)`

/** @param maxBytes size of the texts of all points together */
export async function readNewestPoints(
  db: Kysely<Tables>,
  newest: Candidates,
  maxBytes: number,
): Promise<NewestPoints> {
  // `offset 0` makes the database build the text once, not at each use of its name.
  const { rows } = await sql<{ text: string | null; isCut: boolean }>`
    select string_agg(text, ',') filter (where ${isWithin('bytes_before', maxBytes)}) as text,
      count(*) > count(text) filter (where ${isWithin('bytes_before', maxBytes)}) as "isCut"
    from (
      select *, ${sumBefore(sql`octet_length(text)`)} as bytes_before
      from (
        select *, case when ${isWithin('estimate_before', maxBytes)} then ${point} end as text
        from (
          select *, ${sumBefore(estimatedSize('other'))} as estimate_before
          from (select place as series, time, number, other from (${newest}) newest) candidate
        ) estimated offset 0
      ) written
    ) measured`.execute(db)
  const { text, isCut } = rows[0]!
  return { points: text === null ? [] : (JSON.parse(`[${text}]`) as NewestPoint[]), isCut }
}

const isWithin = (column: string, maxBytes: number) => sql`${sql.ref(column)} < ${maxBytes}::int8`
