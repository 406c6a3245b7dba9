/** Reads samples that were stored as one row for each value and are not moved yet. */
import { type RawBuilder, sql } from 'kysely'

type Expression = RawBuilder<unknown>

/** @param series expressions may stand for the numbers, where one statement reads many series */
export const selectFormerSamples = (
  { tenantNumber, number }: { tenantNumber: number | Expression; number: number | Expression },
  condition: Expression,
): Expression => {
  const ofSeries = sql`tenant_number = ${tenantNumber}::int and series_number = ${number}::int and ${condition}`
  return sql`select time, message_id, value as number, null::jsonb as other from samples where ${ofSeries}
    union all select time, message_id, null::float8, value from samples_other where ${ofSeries}`
}
