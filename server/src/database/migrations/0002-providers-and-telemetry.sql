-- Providers, their clients, and what the clients say.

create table providers (
  tenant_id text not null references tenants,
  id text not null,
  type text not null check (type in ('mqtt', 'import', 'iothub')),
  display_name text not null,
  description text,
  organization_id uuid not null references organizations,
  provider_data jsonb not null default '{}',
  created_at timestamptz not null default now(),
  primary key (tenant_id, id)
);

create table provider_templates (
  tenant_id text not null references tenants,
  id text not null,
  display_name text not null,
  description text,
  enabled boolean not null default true,
  tags jsonb not null default '{}',
  options jsonb not null default '{}',
  organization_id uuid not null references organizations,
  created_at timestamptz not null default now(),
  primary key (tenant_id, id)
);

create table provider_clients (
  -- Stands for the client wherever rows are many (twins, connections, dead letters).
  number int generated always as identity unique,
  tenant_id text not null,
  provider_id text not null,
  id text not null,
  organization_id uuid not null references organizations,
  display_name text not null,
  description text,
  enabled boolean not null default true,
  template_id text,
  template_applied timestamptz,
  provider_data jsonb not null default '{}',
  -- Clients of a provider of type mqtt: their ids are unique in the installation, since they are MQTT user names.
  on_broker boolean not null,
  primary_key_sealed bytea,
  secondary_key_sealed bytea,
  primary_key_hash text,
  secondary_key_hash text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  foreign key (tenant_id, provider_id) references providers,
  -- Known before the row is written: its keys are sealed for this place.
  primary key (tenant_id, id)
);
create unique index provider_clients_broker_id on provider_clients (id) where on_broker;
create index provider_clients_provider on provider_clients (tenant_id, provider_id, id);

-- Online state. One row per client that ever came.
create table client_connections (
  client_number int primary key references provider_clients (number) on delete cascade,
  connected boolean not null,
  node_id uuid,
  connected_at timestamptz,
  remote_address text,
  disconnected_at timestamptz,
  disconnect_reason text,
  disconnect_message text,
  refused_at timestamptz,
  refused_reason text
);
create index client_connections_node on client_connections (node_id) where connected;

create table client_twins (
  client_number int not null references provider_clients (number) on delete cascade,
  component_id text not null default '',
  reported jsonb not null default '{}',
  reported_version bigint not null default 0,
  reported_at timestamptz,
  -- Of the last few reported messages, so that a QoS 1 repeat is stored once.
  reported_message_ids bigint[] not null default '{}',
  desired jsonb not null default '{}',
  desired_version bigint not null default 0,
  desired_at timestamptz,
  primary key (client_number, component_id)
);

create table provider_webhooks (
  id uuid primary key,
  tenant_id text not null,
  provider_id text not null,
  url text not null,
  routing_target_id uuid,
  secret_sealed bytea not null,
  created_at timestamptz not null default now(),
  foreign key (tenant_id, provider_id) references providers on delete cascade
);
create index provider_webhooks_provider on provider_webhooks (tenant_id, provider_id, id);

-- A series is one signal of one owner: a provider client, or an asset.
create table series (
  number int generated always as identity primary key,
  tenant_number int not null references tenants (number),
  owner_type text not null check (owner_type in ('client', 'asset')),
  owner_id text not null,
  component_id text not null default '',
  name text not null,
  type text not null check (type in ('telemetry', 'propertyReported')),
  created_at timestamptz not null default now(),
  unique (tenant_number, owner_type, owner_id, component_id, name, type)
);

-- Numbers and everything else are kept apart, so that a number's row is small and its index holds all of it.
-- Partitioned by tenant, then by day: retention is a drop. The message id makes a repeat fall out and keeps two
-- messages with one timestamp apart. Partitions are made on demand
-- (timeseries/partitions.ts), so that a tenant without samples has none. Times have milliseconds and no more: they go
-- to JavaScript and come back as the place where a page of samples ended.
create table samples (
  tenant_number int not null,
  series_number int not null,
  time timestamptz(3) not null,
  message_id bigint not null,
  value double precision not null
) partition by list (tenant_number);
create unique index samples_key on samples (tenant_number, series_number, time, message_id) include (value);

create table samples_other (
  tenant_number int not null,
  series_number int not null,
  time timestamptz(3) not null,
  message_id bigint not null,
  value jsonb not null
) partition by list (tenant_number);
create unique index samples_other_key on samples_other (tenant_number, series_number, time, message_id);

-- What was acknowledged and could not be read. Kept with the reason, never dropped in silence.
create table dead_letters (
  id uuid primary key,
  client_number int not null references provider_clients (number) on delete cascade,
  received_at timestamptz not null default now(),
  topic text not null,
  payload bytea not null,
  reason text not null,
  message text not null
);
create index dead_letters_client on dead_letters (client_number, id desc);

-- Messages for the outside, written in the transaction that caused them, delivered in order by a job.
create table outbox (
  id bigint generated always as identity primary key,
  subject text not null,
  payload jsonb not null,
  created_at timestamptz not null default now()
);
