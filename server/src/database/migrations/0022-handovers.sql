-- What one process hands over to another: too large for a notice, and taken by one alone. Rows live for seconds.
create table handovers (
  id uuid primary key,
  -- The message of a direct method for a device whose session another process holds, or the device's response to it.
  body text not null,
  created_at timestamptz not null default now()
);
