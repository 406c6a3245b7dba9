-- The server processes on this database.
create table server_nodes (
  id uuid primary key,
  -- Grows while the node works and there are others.
  beat bigint not null default 0,
  -- When the node left, or others found that it does not work any more: from then on its devices count as disconnected.
  -- The row is deleted once their rows say so too.
  died_at timestamptz
);

-- No server runs during a migration.
update client_connections set disconnected_at = now(), disconnect_reason = 'server_stopped',
  disconnect_message = 'The server stopped without closing its connections.' where connected;
alter table client_connections
  drop column connected,
  drop column node_id,
  -- The nodes with a session of the client. Each node changes its own entry only; those of dead nodes do not count.
  add column node_ids uuid[] not null default '{}';
