-- Attempts of devices to fetch settings, to be provisioned, to enrol a certificate or to sign in over MQTT. Equal attempts
-- in a row share one row. There is no foreign key, because checking it for each row would cost more than writing the row.
create table onboarding_attempts (
  id uuid primary key,
  -- Null if the device id belongs to no tenant, or to several.
  tenant_id text,
  enrollment_group_id uuid,
  device_id text collate "C" not null,
  -- 'settings', 'provisioning', 'certificate' or 'mqtt_sign_in'
  kind text not null,
  -- 'succeeded', 'refused' or 'failed'
  outcome text not null,
  address text,
  -- [{code, message?}] of the latest attempt, in order.
  steps json not null,
  count int not null,
  first_at timestamptz not null,
  last_at timestamptz not null,
  -- The duration of the latest attempt.
  duration_ms int not null
);
create index onboarding_attempts_device on onboarding_attempts (device_id, last_at);
create index onboarding_attempts_outcome on onboarding_attempts (tenant_id, outcome, last_at);

-- While the provider is unavailable, devices of the group are answered with its last known keys.
alter table enrollment_groups
  add column offline_settings boolean not null default false,
  add column offline_settings_max_age_seconds int not null default 2592000
    check (offline_settings_max_age_seconds > 0);

-- The keys with which the provider answered last, for devices of groups with offline_settings.
create table onboarding_credentials (
  tenant_id text not null references tenants,
  enrollment_group_id uuid not null,
  device_id text collate "C" not null,
  -- The routing target and address that answered. The keys of another one are not used.
  provider text not null,
  credentials_sealed bytea not null,
  -- When the provider confirmed them. Not written with each confirmation.
  received_at timestamptz not null,
  primary key (enrollment_group_id, device_id),
  foreign key (enrollment_group_id, device_id) references onboarding_devices on delete cascade
);
create index onboarding_credentials_tenant on onboarding_credentials (tenant_id);
