create table simulations (
  id uuid primary key,
  tenant_id text not null references tenants,
  -- What it made belongs to the organization too, and keeps that from being deleted.
  organization_id uuid not null references organizations on delete cascade,
  display_name text not null,
  description text,
  provider_id text not null,
  model_id text,
  device_count int not null,
  device_id_prefix text not null,
  interval_seconds float8 not null,
  signals jsonb not null,
  state text not null default 'stopped' check (state in ('stopped', 'starting', 'running', 'stopping', 'deleting')),
  -- Who started it: devices and assets are made with that caller's rights.
  started_by jsonb,
  started_at timestamptz,
  faults jsonb not null default '[]',
  -- The process that runs it, for as long as it says so.
  lease_node uuid,
  lease_until timestamptz,
  connected int not null default 0,
  sent bigint not null default 0,
  acknowledged bigint not null default 0,
  errors bigint not null default 0,
  last_error text,
  created_at timestamptz not null default now(),
  unique (tenant_id, device_id_prefix)
);
create index simulations_tenant on simulations (tenant_id, id);
create index simulations_organization on simulations (organization_id);
create index simulations_at_work on simulations (id) where state <> 'stopped';

-- What it made goes with it; what was there before stays. Written before the thing itself, so that no crash leaves one over.
create table simulation_devices (
  simulation_id uuid not null references simulations on delete cascade,
  client_id text not null,
  made_client boolean not null,
  made_asset boolean not null,
  primary key (simulation_id, client_id)
);
