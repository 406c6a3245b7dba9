/**
 * Every stored sample as a row of its own, for the assertions of tests, as a table in SQL: series_number, tenant_number,
 * time, message_id, value (jsonb).
 */
export const allSamples = `(
  with entry as materialized (
    select r.tenant_number, r.stream_number, r.time, r.message_id, value.*
    from sample_rows r cross join lateral (
      select (place + array_lower(r.numbers, 1) - 1)::int as slot, to_jsonb(number) as value
      from unnest(r.numbers) with ordinality as element (number, place) where number is not null
      union all select key::int, value from jsonb_each(r.others)
    ) value
  )
  select s.number as series_number, entry.tenant_number, time, message_id, value
  from entry join series s using (stream_number, slot)
  union all select series_number, tenant_number, time, message_id, to_jsonb(value) from samples
  union all select series_number, tenant_number, time, message_id, value from samples_other)`
