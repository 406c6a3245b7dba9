-- Receivers that did not answer lately: webhooks, mail server, SMS gateway, providers elsewhere, the queue of events.
-- A receiver that answers has no row. `retry_at` is set once it is paused, and passes when one delivery may try again.
create table receiver_circuits (
  receiver text primary key,
  failures int not null,
  reason text not null,
  failing_since timestamptz not null default now(),
  last_failed_at timestamptz not null default now(),
  retry_at timestamptz
);

-- A delivery that is added for a paused receiver waits with the others.
create function receiver_paused_until(name text) returns timestamptz language sql stable as $$
  select retry_at from receiver_circuits where receiver = name and retry_at > now()
$$;
