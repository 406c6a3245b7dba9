-- Pieces: rows of one stream, near each other in time, as columns: one for the times, one for the messages, and one for each
-- series. Those of a stream do not overlap in the order of time and message. `sections` names the columns in `data` (-1 times,
-- -2 messages, -3 a filter of the messages, otherwise the slot of the series), and `ends` has the offset after each of them.
-- The last sample of each series is also stored as it is, so that the newest value is found without unpacking.
create table packed_rows (
  tenant_number int not null,
  stream_number int not null,
  first_time timestamptz(3) not null,
  first_message bigint not null,
  last_time timestamptz(3) not null,
  row_count int not null,
  value_count int not null,
  sections int[] not null,
  ends int[] not null,
  last_times timestamptz(3)[] not null,
  last_messages bigint[] not null,
  last_numbers double precision[] not null,
  last_others jsonb,
  data bytea not null,
  primary key (tenant_number, stream_number, first_time, first_message)
);
-- The columns are compressed already, and a part of an uncompressed value can be read alone.
alter table packed_rows alter data set storage external;
create index packed_rows_age on packed_rows (tenant_number, last_time, first_time);
