import { type RawBuilder, sql } from 'kysely'
import type { SeriesPlace } from '../../query/selection.ts'
import { startAround } from './start-around.ts'

type Expression = RawBuilder<unknown>

interface Bounds {
  after?: Expression | undefined
  /** `from` and `to` are included. */
  from?: Expression | undefined
  to?: Expression | undefined
}

/**
 * Selects the newest sample of a series among the last samples of its pieces, without unpacking them. Samples with
 * later ones in their piece are not found.
 */
export function selectPackedLast(place: SeriesPlace, { after, from = after, to }: Bounds): Expression {
  const { tenantNumber, streamNumber, slot } = place
  const since = from && sql`and first_time >= ${startAround(place, from)}`
  const until = to && sql`and first_time <= ${to}`
  return sql`select * from (
    select last_times[index] as time, last_messages[index] as message_id, last_numbers[index] as number,
      last_others -> (${slot}::int)::text as other
    from (
      select *, array_position(sections, ${slot}::int) as index from packed_rows
      where tenant_number = ${tenantNumber}::int and stream_number = ${streamNumber}::int
        and ${slot}::int = any(sections) ${since ?? sql``} ${until ?? sql``}
    ) piece
    where true ${from ? sql`and last_times[index] ${after ? sql`>` : sql`>=`} ${from}` : sql``} ${to ? sql`and last_times[index] <= ${to}` : sql``}
    order by first_time desc, first_message desc limit 1
  ) packed_last`
}
