import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Tables } from '../../../database/tables.ts'
import { estimatedSize } from '../estimated-size.ts'

/** Limits of one transaction. */
export interface MoveLimits {
  samples: number
  /** Estimated bytes of values that are not numbers. */
  bytes: number
}

/** The last message that one transaction moves. */
export interface MoveEnd {
  time: Date
  messageId: string
}

/**
 * The samples of one message stay together, since they become one row. The sizes of values are estimated: measuring them
 * would decompress all values of the day for each part of it.
 * @param condition the samples that are left
 * @returns undefined if all of them fit
 */
export async function findEnd(
  tx: Kysely<Tables>,
  condition: RawBuilder<unknown>,
  { samples, bytes }: MoveLimits,
): Promise<MoveEnd | undefined> {
  const lastThatFits = (column: string) =>
    sql`(array_agg(${sql.ref(column)} order by place desc) filter (where fits))[1] as ${sql.ref(column)}`
  const { rows } = await sql<MoveEnd>`
    select time, message_id as "messageId" from (
      (select time, message_id from samples where ${condition} order by time, message_id offset ${samples} limit 1)
      union all
      (select ${lastThatFits('time')}, ${lastThatFits('message_id')} from (
        select *, place = 1 or bytes <= ${bytes} as fits from (
          select time, message_id, row_number() over ordered as place, sum(size) over ordered as bytes
          from (
            select time, message_id, ${estimatedSize('value')} as size from samples_other where ${condition}
            order by time, message_id limit ${samples + 1}
          ) first
          window ordered as (order by time, message_id rows unbounded preceding)
        ) measured
      ) checked having bool_or(not fits) or count(*) > ${samples})
    ) ends where time is not null order by time, message_id limit 1`.execute(tx)
  return rows[0]
}
