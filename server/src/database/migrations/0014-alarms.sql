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
  severity smallint not null check (severity between 1 and 5),
  for_seconds int not null default 0,
  no_data_seconds int not null default 0,
  max_lateness_seconds int not null default 0,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  foreign key (tenant_id, entity_type_id) references models
);
create index alarms_tenant on alarms (tenant_id, id);
create index alarms_entity_type on alarms (tenant_id, entity_type_id);

-- One row an activation. It outlives its alarm and its asset, as history.
create table alarm_statuses (
  id uuid primary key,
  tenant_id text not null references tenants,
  alarm_id uuid not null,
  alarm_name text not null,
  severity smallint not null,
  asset_id text not null,
  asset_name text not null,
  state text not null check (state in ('active_unacknowledged', 'active_acknowledged', 'inactive_unacknowledged', 'cleared')),
  activated_at timestamptz not null,
  acknowledged_at timestamptz,
  acknowledged_by text,
  inactive_at timestamptz,
  cleared_at timestamptz,
  -- Of the sample that activated it.
  value jsonb,
  time timestamptz not null
);
create unique index alarm_statuses_open on alarm_statuses (tenant_id, alarm_id, asset_id) where state <> 'cleared';
create index alarm_statuses_asset on alarm_statuses (tenant_id, asset_id, id);
create index alarm_statuses_history on alarm_statuses (tenant_id, id) where state = 'cleared';
