-- Requests of a principal in an hour. Servers draw shares of it, so that no request needs a write.
create table rate_windows (
  key text not null,
  starts_at timestamptz not null,
  drawn int not null,
  last_share int not null,
  primary key (key, starts_at)
);
