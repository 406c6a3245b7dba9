import { type RawBuilder, sql } from 'kysely'

interface StreamPlace {
  tenantNumber: number | RawBuilder<unknown>
  streamNumber: number | RawBuilder<unknown>
}

/**
 * SQL for the start of the piece around a time, or a time before it: since the pieces of a stream do not overlap, none
 * that begins earlier reaches the time.
 */
export const startAround = (
  { tenantNumber, streamNumber }: StreamPlace,
  time: RawBuilder<unknown>,
): RawBuilder<unknown> => sql`coalesce((
  select earlier.first_time from packed_rows earlier
  where earlier.tenant_number = ${tenantNumber}::int and earlier.stream_number = ${streamNumber}::int
    and earlier.first_time < ${time}
  order by earlier.first_time desc limit 1), ${time})`
