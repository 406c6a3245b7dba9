/** How a point of an answer is written, as SQL over the columns `time`, `number` and `other` (jsonb) of one row. */
import { type RawBuilder, sql } from 'kysely'

export interface PointFormat {
  point: RawBuilder<unknown>
  /** Between two points. */
  separator: string
}

/** JSON has no word for NaN and infinity; PostgreSQL sorts NaN behind infinity. */
export const jsonValue = sql`case when abs(number) >= 'Infinity' then 'null'
  else coalesce(number::text, other::text, 'null') end`

const restOfTime = sql`to_char(time, '-MM-DD"T"HH24:MI:SS.MS"Z"')`

/** As `Date.toISOString` has it, for buckets that start before the year 1, too. */
export const isoTime = sql`case when time >= '0001-01-01' then to_char(time, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
  when date_part('year', time) = -1 then '0000' || ${restOfTime}
  else to_char(date_part('year', time) + 1, 'FM000000') || ${restOfTime} end`

export const jsonPoints: PointFormat = {
  point: sql`'{"value":' || ${jsonValue} || ',"timestamp":"' || ${isoTime} || '"}'`,
  separator: ',',
}

const milliseconds = sql`round(date_part('epoch', time) * 1000)::int8`

/** `[ms, value]`, for points that are read here. */
export const timedValues: PointFormat = {
  point: sql`'[' || ${milliseconds} || ',' || ${jsonValue} || ']'`,
  separator: ',',
}

/** The same behind the number of the series. */
export const timedValuesOfSeries: PointFormat = {
  point: sql`'[' || series || ',' || ${milliseconds} || ',' || ${jsonValue} || ']'`,
  separator: ',',
}

/** The points of a page in one of the two formats above. */
export const readPoints = <Point>(pieces: string[]) =>
  pieces.flatMap((piece) => JSON.parse(`[${piece}]`) as Point[])
