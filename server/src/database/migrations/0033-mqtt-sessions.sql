-- MQTT sessions that outlive their connection. Everything belongs to a client's number, since an id may be used again by
-- another client.
create table mqtt_sessions (
  number bigint generated always as identity primary key,
  client_number int not null references provider_clients (number) on delete cascade,
  client_id text not null,
  -- The node that owns the session; null while the device is disconnected.
  node_id uuid,
  -- Grows with each opening, so that writes of a former owner are recognized.
  generation int not null default 1,
  subscriptions jsonb not null default '[]',
  -- How long the session is kept after its connection ended, or after its node died.
  expiry_seconds bigint not null,
  disconnected_at timestamptz,
  expires_at timestamptz
);
-- By digest, since a client id may be longer than an entry of an index.
create unique index mqtt_sessions_client_id on mqtt_sessions (client_number, md5(client_id));
create index mqtt_sessions_node on mqtt_sessions (node_id) where node_id is not null;
create index mqtt_sessions_expiry on mqtt_sessions (expires_at) where expires_at is not null;

-- Messages for a session, in the order of their numbers. One that was never sent may have no packet identifier yet.
create table mqtt_session_messages (
  number bigint generated always as identity primary key,
  session_number bigint not null references mqtt_sessions on delete cascade,
  packet_id int,
  topic text not null,
  payload bytea not null,
  qos smallint not null,
  retain boolean not null,
  -- As text, since the order of user properties counts.
  properties json,
  expires_at timestamptz,
  -- The device acknowledged the receipt of a message with QoS 2: only the packet identifier is needed.
  is_released boolean not null default false,
  unique (session_number, packet_id)
);
create index mqtt_session_messages_expiry on mqtt_session_messages (expires_at) where expires_at is not null;

-- Packet identifiers of messages with QoS 2 that arrived and are not released.
create table mqtt_session_received (
  session_number bigint not null references mqtt_sessions on delete cascade,
  packet_id int not null,
  primary key (session_number, packet_id)
);

create table mqtt_retained_messages (
  client_number int not null references provider_clients (number) on delete cascade,
  topic text not null,
  payload bytea not null,
  qos smallint not null,
  properties json,
  expires_at timestamptz
);
create unique index mqtt_retained_messages_topic on mqtt_retained_messages (client_number, md5(topic));
create index mqtt_retained_messages_expiry on mqtt_retained_messages (expires_at) where expires_at is not null;
