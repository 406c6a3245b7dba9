-- Commands to assets, each with what became of it. [interface, Asset command status]
create table asset_commands (
  id uuid primary key,
  asset_number int not null references assets (number) on delete cascade,
  component_id text not null,
  name text not null,
  status text not null
    check (status in ('queued', 'running', 'succeeded', 'failed', 'timed_out', 'expired', 'cancelled')),
  status_message text,
  request_payload jsonb,
  response_payload jsonb,
  correlation_id uuid not null,
  requested_at timestamptz not null default now(),
  responded_at timestamptz,
  -- Where it goes, as the bindings were when it was sent. The client may be gone by now, so that nothing refers to it.
  client_number int,
  method_component_id text,
  method text,
  method_payload jsonb,
  expires_after_seconds int not null,
  expires_at timestamptz not null,
  timeout_seconds int not null,
  -- Of the process that sent it: it alone hears the answer.
  started_at timestamptz
);
create index asset_commands_of on asset_commands (asset_number, component_id, name, id);
create index asset_commands_queued on asset_commands (client_number, id) where status = 'queued';
create index asset_commands_requested on asset_commands (requested_at);

-- Desired properties on their way to clients that somebody else keeps: merged, until they are there.
create table desired_deliveries (
  client_number int not null references provider_clients (number) on delete cascade,
  component_id text not null,
  patch jsonb not null,
  -- Another one with each change, so that who has sent one patch does not take the next one for sent.
  revision uuid not null,
  -- One at a time sends, or an older patch might come after a newer one.
  sending_until timestamptz,
  primary key (client_number, component_id)
);
