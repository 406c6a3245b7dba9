-- Rollups whose samples are deleted, of tenants with `rollupRetentionDays`: a row for each piece.
alter table tenants add column rollup_retention_days integer;
-- The rollups of earlier days are complete: samples that arrive later for these days are not added to them.
alter table tenants add column rolled_up_before timestamptz;
-- The same for the run that is under way; null between two runs.
alter table tenants add column rolling_up_before timestamptz;

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
