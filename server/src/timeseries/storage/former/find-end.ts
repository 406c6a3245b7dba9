import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Tables } from '../../../database/tables.ts'
import { estimatedSize, exactSize } from '../estimated-size.ts'

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

/** SQL condition for the samples that are moved, after another condition. */
export const isUpTo = (end: MoveEnd | undefined): RawBuilder<unknown> =>
  end ? sql`and (time, message_id) <= (${end.time}, ${end.messageId}::bigint)` : sql``

/**
 * The samples of one message stay together, since they become one row. The sizes of values are estimated: measuring them
 * would decompress all values of the day for each part of it.
 * @param condition the samples that are left
 * @returns undefined if all of them fit
 */
export async function findEnd(
  tx: Kysely<Tables>,
  condition: RawBuilder<unknown>,
  limits: MoveLimits,
): Promise<MoveEnd | undefined> {
  const { rows } = await sql<MoveEnd>`
    select time, message_id as "messageId" from (
      (select time, message_id from samples where ${condition} order by time, message_id offset ${limits.samples} limit 1)
      union all
      (${selectTextEnd(condition, estimatedSize('value'), limits)})
    ) ends where time is not null order by time, message_id limit 1`.execute(tx)
  return rows[0]
}

/**
 * Values may be many times as large as estimated, so that those that fit by the estimate are measured.
 * @param end by the estimate
 */
export async function findMeasuredEnd(
  tx: Kysely<Tables>,
  condition: RawBuilder<unknown>,
  { end, limits }: { end: MoveEnd | undefined; limits: MoveLimits },
): Promise<MoveEnd | undefined> {
  const select = selectTextEnd(sql`${condition} ${isUpTo(end)}`, exactSize('value'), limits)
  const { rows } =
    await sql<MoveEnd>`select time, message_id as "messageId" from (${select}) text_end`.execute(tx)
  return rows[0]?.time ? rows[0] : end
}

/** Selects the last value that is not a number and fits; no row if all of them do. */
function selectTextEnd(
  condition: RawBuilder<unknown>,
  size: RawBuilder<number>,
  { samples, bytes }: MoveLimits,
): RawBuilder<unknown> {
  const lastThatFits = (column: string) =>
    sql`(array_agg(${sql.ref(column)} order by place desc) filter (where fits))[1] as ${sql.ref(column)}`
  return sql`
    select ${lastThatFits('time')}, ${lastThatFits('message_id')} from (
      select *, place = 1 or bytes <= ${bytes} as fits from (
        select time, message_id, row_number() over ordered as place, sum(size) over ordered as bytes
        from (
          select time, message_id, ${size} as size from samples_other where ${condition}
          order by time, message_id limit ${samples + 1}
        ) first
        window ordered as (order by time, message_id rows unbounded preceding)
      ) measured
    ) checked having bool_or(not fits) or count(*) > ${samples}`
}
