-- A stream is what one client or asset sends of one type. Its series have slots 1, 2, 3 … in the order in which they were
-- made; a slot is never used again. `last_hours` has for each slot an hour (since 1970) after which it has no rows in
-- `sample_rows`; null where it has none at all.
create table streams (
  number int generated always as identity primary key,
  tenant_number int not null references tenants (number),
  owner_type text not null check (owner_type in ('client', 'asset')),
  owner_id text not null,
  type text not null check (type in ('telemetry', 'propertyReported')),
  series_count int not null default 0,
  last_hours int[] not null default '{}',
  unique (tenant_number, owner_type, owner_id, type)
) with (fillfactor = 70);

insert into streams (tenant_number, owner_type, owner_id, type, series_count)
  select tenant_number, owner_type, owner_id, type, count(*) from series group by 1, 2, 3, 4 order by 1, 2, 3, 4;

alter table series add stream_number int references streams, add slot int;
update series s set stream_number = n.stream_number, slot = n.slot
  from (
    select series.number, streams.number as stream_number,
      row_number() over (partition by streams.number order by series.number) as slot
    from series join streams using (tenant_number, owner_type, owner_id, type)
  ) n where n.number = s.number;
alter table series alter stream_number set not null, alter slot set not null;
create unique index series_slot on series (stream_number, slot);

-- One row for each message and stream. `numbers` has the number of each slot, null where there is none; its bounds are
-- the first and the last slot with a number. `others` has all values that are not numbers, by slot: {"4": "on"}. A row
-- without values says that the message was stored, with all its values under assets. Partitioned by day; partitions are
-- made on demand (timeseries/storage/partitions.ts). The tables `samples` and `samples_other` hold what was stored before;
-- a job moves it here.
create table sample_rows (
  tenant_number int not null,
  stream_number int not null,
  time timestamptz(3) not null,
  message_id bigint not null,
  numbers double precision[],
  others jsonb
) partition by range (time);
create unique index sample_rows_key on sample_rows (tenant_number, stream_number, time, message_id);
