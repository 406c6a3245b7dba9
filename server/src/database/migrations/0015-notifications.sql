-- Who is told of an alarm, how, and what became of it.

create table contact_groups (
  id uuid primary key,
  tenant_id text not null references tenants,
  organization_id uuid not null references organizations,
  display_name text not null,
  description text,
  created_at timestamptz not null default now()
);
create index contact_groups_tenant on contact_groups (tenant_id, id);

-- Whoever is deleted leaves the lists by itself. `place`: the order in which they were given.
create table contact_group_users (
  contact_group_id uuid references contact_groups on delete cascade,
  user_id uuid references users on delete cascade,
  place int not null,
  primary key (contact_group_id, user_id)
);
create index contact_group_users_user on contact_group_users (user_id);

create table contact_group_user_groups (
  contact_group_id uuid references contact_groups on delete cascade,
  group_id uuid references groups on delete cascade,
  place int not null,
  primary key (contact_group_id, group_id)
);
create index contact_group_user_groups_group on contact_group_user_groups (group_id);

create table notifications (
  id uuid primary key,
  tenant_id text not null references tenants,
  organization_id uuid not null references organizations,
  display_name text not null,
  description text,
  broadcast boolean not null,
  channels jsonb not null,
  workflow_id text not null,
  trigger_identifier text not null,
  created_at timestamptz not null default now()
);
create index notifications_tenant on notifications (tenant_id, id);

create table notification_alarms (
  notification_id uuid references notifications on delete cascade,
  alarm_id uuid references alarms on delete cascade,
  place int not null,
  primary key (notification_id, alarm_id)
);
create index notification_alarms_alarm on notification_alarms (alarm_id);

create table notification_contact_groups (
  notification_id uuid references notifications on delete cascade,
  contact_group_id uuid references contact_groups on delete cascade,
  place int not null,
  primary key (notification_id, contact_group_id)
);
create index notification_contact_groups_group on notification_contact_groups (contact_group_id);

-- One row a channel of a notification and activation: the text as it was then, and what stands in it. The link to
-- acknowledge is a recipient's own and is not kept.
create table notification_messages (
  id uuid primary key,
  tenant_id text not null references tenants,
  notification_id uuid not null references notifications on delete cascade,
  alarm_status_id uuid not null,
  alarm_id uuid not null,
  asset_id text not null,
  channel text not null check (channel in ('email', 'sms')),
  sender text not null,
  subject text not null,
  template text not null,
  template_values jsonb not null,
  created_at timestamptz not null default now(),
  unique (alarm_status_id, notification_id, channel)
);
create index notification_messages_notification on notification_messages (notification_id);
create index notification_messages_age on notification_messages (created_at);

-- The key is what keeps a repeated job from telling anybody twice.
create table notification_deliveries (
  id uuid primary key,
  message_id uuid not null references notification_messages on delete cascade,
  user_id uuid not null references users on delete cascade,
  address text,
  state text not null check (state in ('queued', 'sent', 'failed', 'skipped', 'not_configured')),
  reason text,
  message text,
  attempts int not null default 0,
  last_attempt_at timestamptz,
  sent_at timestamptz,
  unique (message_id, user_id)
);
create index notification_deliveries_user on notification_deliveries (user_id);
