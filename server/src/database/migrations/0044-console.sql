-- Long lists are searched by a part of an id or name. The extension comes with PostgreSQL, but an installation may lack it
-- or not permit it; a search then reads the rows of the tenant.
do $$
begin
  create extension if not exists pg_trgm;
  create index provider_clients_search on provider_clients using gin (id gin_trgm_ops, display_name gin_trgm_ops);
  create index onboarding_devices_search on onboarding_devices using gin (device_id gin_trgm_ops);
  create index assets_search on assets using gin (id gin_trgm_ops, display_name gin_trgm_ops);
exception
  when feature_not_supported or undefined_file or insufficient_privilege or undefined_object then
    raise notice 'pg_trgm is not available: %', sqlerrm;
end
$$;

-- When a client was last heard, to within some minutes: a row is written at most that often.
create table client_activity (
  client_number int primary key references provider_clients (number) on delete cascade,
  last_message_at timestamptz not null
);

-- Messages that each node committed for a tenant in its last interval.
create table ingest_rates (
  tenant_number int not null references tenants (number) on delete cascade,
  node_id uuid not null,
  messages int not null,
  seconds real not null,
  ended_at timestamptz not null,
  primary key (tenant_number, node_id)
);

-- The last connections of a client, and how they ended.
create table connection_events (
  -- UUID v7: in the order of time.
  id uuid primary key,
  client_number int not null references provider_clients (number) on delete cascade,
  -- 'connected' or 'disconnected'
  event text not null,
  -- When the server noticed it.
  at timestamptz not null,
  -- Why it ended, as a code and a sentence.
  reason text,
  message text,
  -- '3.1', '3.1.1' or '5'
  protocol text,
  -- 'tcp', 'tls' or 'websocket'
  transport text,
  tls_version text,
  address text,
  client_id text,
  -- Whether a kept session was resumed.
  resumed boolean
);
create index connection_events_client on connection_events (client_number, id desc);
