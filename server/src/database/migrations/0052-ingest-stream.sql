-- How far the batches of the ingest stream are stored (GANGWAY_INGEST=stream), and which node stores them. The number of
-- partitions is the number of rows of a lane.
create table ingest_partitions (
  partition int not null,
  lane text not null check (lane in ('telemetry', 'reported', 'dead_letters')),
  -- The stream that the position is in: its name and the time of its creation. Empty before the first one.
  stream text not null default '',
  -- The next message to store: the sequence number of its batch, and its place in the batch.
  sequence bigint not null default 1,
  part int not null default 0,
  -- When the stream stored the batch of the last message that is stored, in nanoseconds since 1970. A stream that lost its
  -- end gives the same sequence numbers again, to later batches.
  batch_time bigint not null default 0,
  node_id uuid,
  -- Grows with each node that takes the partition.
  fence bigint not null default 0,
  primary key (partition, lane)
) with (fillfactor = 50);

-- Nodes that store batches.
create table ingest_nodes (
  node_id uuid primary key,
  seen_until timestamptz not null
);

-- What was found in the stream and is no batch.
create table unreadable_batches (
  stream text not null,
  sequence bigint not null,
  partition int not null,
  lane text not null,
  received_at timestamptz not null,
  reason text not null,
  payload bytea not null,
  primary key (stream, sequence)
);
