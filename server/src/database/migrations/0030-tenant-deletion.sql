-- A tenant whose deletion has begun: nobody signs in to it any more, and a job deletes what belongs to it.
alter table tenants
  add column deletion_started_at timestamptz,
  -- From then on nothing is left but what was on its way; it is deleted for good a while later.
  add column deletion_cleared_at timestamptz,
  add column deletion_rows bigint not null default 0,
  add column deletion_error text;
