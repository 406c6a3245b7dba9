/** The formats of a point in an answer, as SQL over the columns `time`, `number` and `other` (jsonb) of one row. */
import { type RawBuilder, sql } from 'kysely'

export interface PointFormat {
  point: RawBuilder<unknown>
  /** The text between two points. */
  separator: string
}

/** JSON cannot express NaN and infinity, so they become null. PostgreSQL sorts NaN after infinity. */
export const jsonValue = sql`case when abs(number) >= 'Infinity' then 'null'
  else coalesce(number::text, other::text, 'null') end`

const restOfTime = sql`to_char(time, '-MM-DD"T"HH24:MI:SS.MS"Z"')`

/** The same text as from `Date.toISOString`, also for buckets that start before the year 1. */
export const isoTime = sql`case when time >= '0001-01-01' then to_char(time, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
  when date_part('year', time) = -1 then '0000' || ${restOfTime}
  else to_char(date_part('year', time) + 1, 'FM000000') || ${restOfTime} end`

export const jsonPoints: PointFormat = {
  point: sql`'{"value":' || ${jsonValue} || ',"timestamp":"' || ${isoTime} || '"}'`,
  separator: ',',
}

const milliseconds = sql`round(date_part('epoch', time) * 1000)::int8`

/** `[ms, value]`, for points that this process reads itself. */
export const timedValues: PointFormat = {
  point: sql`'[' || ${milliseconds} || ',' || ${jsonValue} || ']'`,
  separator: ',',
}

/** `[series, ms, value]`, with the number of the series. */
export const timedValuesOfSeries: PointFormat = {
  point: sql`'[' || series || ',' || ${milliseconds} || ',' || ${jsonValue} || ']'`,
  separator: ',',
}

/** Reads the points of a page in one of the two formats above. */
export const readPoints = <Point>(pieces: string[]) =>
  pieces.flatMap((piece) => JSON.parse(`[${piece}]`) as Point[])
