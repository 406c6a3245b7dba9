-- Rollups whose samples are deleted, of tenants with `rollupRetentionDays`: a row for each piece. Those of a stream are complete
-- up to its last one: samples that arrive later for an earlier time are not added to them.
alter table tenants add column rollup_retention_days integer;

create table kept_rollups (
  tenant_number integer not null,
  stream_number integer not null,
  -- Those of the samples.
  first_time timestamptz(3) not null,
  first_message bigint not null,
  last_time timestamptz(3) not null,
  slots integer[] not null,
  -- For each slot and length, the offset after its rollups.
  ends integer[] not null,
  data bytea not null,
  primary key (tenant_number, stream_number, first_time, first_message)
);
create index kept_rollups_age on kept_rollups (tenant_number, last_time);
