-- Onboarding: from the factory to the first connection.

create table routing_targets (
  id uuid primary key,
  tenant_id text not null references tenants,
  name text not null,
  brokers jsonb not null,
  broker_selection text not null default 'first' check (broker_selection in ('first', 'spread')),
  provider_base_url text not null,
  provider_api_key_sealed bytea not null,
  webhook_secret_sealed bytea not null,
  created_at timestamptz not null default now()
);
create index routing_targets_tenant on routing_targets (tenant_id, id);

create table enrollment_groups (
  id uuid primary key,
  tenant_id text not null references tenants,
  name text not null,
  auth_method text not null default 'shared_key' check (auth_method = 'shared_key'),
  routing_target_id uuid not null references routing_targets,
  status text not null default 'enabled' check (status in ('enabled', 'disabled')),
  -- json, not jsonb: a template keeps the order in which it was written.
  response_template json not null,
  primary_key_sealed bytea,
  secondary_key_sealed bytea,
  created_at timestamptz not null default now(),
  check (secondary_key_sealed is null or primary_key_sealed is not null)
);
create index enrollment_groups_tenant on enrollment_groups (tenant_id, id);
create index enrollment_groups_target on enrollment_groups (routing_target_id);

-- One row a device and group, however often the device comes back: a soft-deleted one is taken up again.
create table onboarding_devices (
  tenant_id text not null references tenants,
  enrollment_group_id uuid not null references enrollment_groups,
  device_id text collate "C" not null,
  status text not null default 'registered' check (status in ('registered', 'provisioned', 'deleted')),
  -- When the present registration began.
  created_at timestamptz not null default now(),
  provisioned_at timestamptz,
  last_settings_at timestamptz,
  last_key_slot text check (last_key_slot in ('primary', 'secondary')),
  deleted_at timestamptz,
  primary key (enrollment_group_id, device_id)
) with (fillfactor = 80);
create index onboarding_devices_device_id on onboarding_devices (device_id) where status <> 'deleted';

-- Every event is done once, however often it comes.
create table provider_events (
  routing_target_id uuid not null references routing_targets on delete cascade,
  id text not null,
  event text not null,
  device_id text,
  received_at timestamptz not null default now(),
  primary key (routing_target_id, id)
);
