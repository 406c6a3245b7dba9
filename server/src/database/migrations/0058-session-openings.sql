-- Openings of sessions that an ingest node had seen in the last minutes when it released their partitions: the node that takes
-- the partitions reads them. The number of a session is that of `mqtt_sessions`; a row outlives its session by minutes.
create table ingest_session_openings (
  session_number bigint not null,
  lane text not null check (lane in ('telemetry', 'reported', 'dead_letters')),
  partition integer not null,
  generation integer not null,
  -- When the opening was first seen in a message that was stored.
  seen_at timestamptz not null,
  primary key (partition, lane, session_number)
);
