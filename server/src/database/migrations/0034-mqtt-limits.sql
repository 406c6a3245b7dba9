-- What limits of the MQTT gateway did to a client: one row for each limit and outcome.
create table mqtt_limit_events (
  client_number int not null references provider_clients (number) on delete cascade,
  limit_name text not null,
  -- 'delayed', 'dropped' or 'refused'
  outcome text not null,
  count bigint not null,
  -- The payloads of messages that were dropped or refused.
  bytes bigint not null,
  -- How long the device was not read.
  delay_ms bigint not null,
  first_at timestamptz not null,
  last_at timestamptz not null,
  -- The last event, and what to do about it.
  message text not null,
  primary key (client_number, limit_name, outcome)
);
