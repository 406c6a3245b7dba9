import { type RawBuilder, sql } from 'kysely'

/** Reads only the part of the data that holds the section. @param index from 1 */
export const section = (index: RawBuilder<unknown>) => sql`substr(data, coalesce(ends[${index} - 1], 0) + 1,
  ends[${index}] - coalesce(ends[${index} - 1], 0))`
