create table alarms (
  id uuid primary key,
  tenant_id text not null references tenants,
  organization_id uuid not null references organizations,
  name text not null,
  description text,
  type text,
  -- The model whose assets it watches, and which of them; all where the list is empty.
  entity_type_id text,
  entity_ids text[] not null default '{}',
  condition text,
  clear_condition text,
  -- What the variables of both are, as the model had them when it was saved: [{variable, componentId, name}].
  signals jsonb not null default '[]',
  severity smallint not null check (severity between 1 and 5),
  for_seconds int not null default 0,
  no_data_seconds int not null default 0,
  max_lateness_seconds int not null default 0,
  -- Grows with each change of what it watches: whoever evaluated an older one decides nothing any more.
  revision int not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  foreign key (tenant_id, entity_type_id) references models
);
create index alarms_tenant on alarms (tenant_id, id);
create index alarms_entity_type on alarms (tenant_id, entity_type_id);
create index alarms_no_data on alarms (id) where no_data_seconds > 0;

-- One row an activation. It outlives its alarm and its asset, as history.
create table alarm_statuses (
  id uuid primary key,
  tenant_id text not null references tenants,
  alarm_id uuid not null,
  alarm_name text not null,
  severity smallint not null,
  asset_id text not null,
  asset_name text not null,
  -- Of the alarm and of the asset, by which the history is seen when they are gone. Neither ever changes.
  organization_id uuid,
  asset_organization_id uuid,
  state text not null check (state in ('active_unacknowledged', 'active_acknowledged', 'inactive_unacknowledged', 'cleared')),
  activated_at timestamptz not null,
  acknowledged_at timestamptz,
  acknowledged_by text,
  inactive_at timestamptz,
  cleared_at timestamptz,
  -- Where no acknowledgement and no sample cleared it.
  cleared_reason text,
  -- Of the sample that activated it.
  value jsonb,
  time timestamptz not null,
  -- Of the newest sample that moved it, at most the time of its arrival: an older one moves it no more.
  moved_by_time timestamptz not null default now()
);
-- Decides among any number of processes: one open status an alarm and asset.
create unique index alarm_statuses_open on alarm_statuses (tenant_id, alarm_id, asset_id) where state <> 'cleared';
create index alarm_statuses_alarm on alarm_statuses (tenant_id, alarm_id, asset_id, moved_by_time);
create index alarm_statuses_asset on alarm_statuses (tenant_id, asset_id, id);
create index alarm_statuses_active on alarm_statuses (tenant_id, id) where state <> 'cleared';
create index alarm_statuses_history on alarm_statuses (tenant_id, id) where state = 'cleared';

-- Conditions that hold, but not yet for as long as their alarm wants.
create table alarm_holds (
  tenant_id text not null references tenants,
  alarm_id uuid not null references alarms on delete cascade,
  asset_id text not null,
  -- By the time of the sample that began it.
  since timestamptz not null,
  -- By the clock, where no further sample comes.
  due_at timestamptz not null,
  primary key (tenant_id, alarm_id, asset_id)
);
create index alarm_holds_asset on alarm_holds (tenant_id, asset_id);
