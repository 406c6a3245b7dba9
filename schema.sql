create extension pg_trgm;

create table alarm_holds (
  tenant_id text not null,
  alarm_id uuid not null,
  asset_id text not null,
  since timestamp with time zone not null,
  due_at timestamp with time zone not null,
  constraint alarm_holds_pkey PRIMARY KEY (tenant_id, alarm_id, asset_id),
  constraint alarm_holds_alarm_id_fkey FOREIGN KEY (alarm_id) REFERENCES alarms(id) ON DELETE CASCADE,
  constraint alarm_holds_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id)
);
CREATE INDEX alarm_holds_asset ON alarm_holds USING btree (tenant_id, asset_id);

create table alarm_statuses (
  id uuid not null,
  tenant_id text not null,
  alarm_id uuid not null,
  alarm_name text not null,
  severity smallint not null,
  asset_id text not null,
  asset_name text not null,
  organization_id uuid,
  asset_organization_id uuid,
  state text not null,
  activated_at timestamp with time zone not null,
  acknowledged_at timestamp with time zone,
  acknowledged_by text,
  inactive_at timestamp with time zone,
  cleared_at timestamp with time zone,
  cleared_reason text,
  value jsonb,
  "time" timestamp with time zone not null,
  moved_by_time timestamp with time zone default now() not null,
  acknowledge_comment text,
  constraint alarm_statuses_pkey PRIMARY KEY (id),
  constraint alarm_statuses_state_check CHECK ((state = ANY (ARRAY['active_unacknowledged'::text, 'active_acknowledged'::text, 'inactive_unacknowledged'::text, 'cleared'::text]))),
  constraint alarm_statuses_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id)
);
CREATE INDEX alarm_statuses_active ON alarm_statuses USING btree (tenant_id, id) WHERE (state <> 'cleared'::text);
CREATE INDEX alarm_statuses_alarm ON alarm_statuses USING btree (tenant_id, alarm_id, asset_id, moved_by_time);
CREATE INDEX alarm_statuses_asset ON alarm_statuses USING btree (tenant_id, asset_id, id);
CREATE INDEX alarm_statuses_history ON alarm_statuses USING btree (tenant_id, id) WHERE (state = 'cleared'::text);
CREATE UNIQUE INDEX alarm_statuses_open ON alarm_statuses USING btree (tenant_id, alarm_id, asset_id) WHERE (state <> 'cleared'::text);

create table alarms (
  id uuid not null,
  tenant_id text not null,
  organization_id uuid not null,
  name text not null,
  description text,
  type text,
  entity_type_id text,
  entity_ids text[] default '{}'::text[] not null,
  condition text,
  clear_condition text,
  signals jsonb default '[]'::jsonb not null,
  severity smallint not null,
  for_seconds integer default 0 not null,
  no_data_seconds integer default 0 not null,
  max_lateness_seconds integer default 0 not null,
  revision integer default 1 not null,
  created_at timestamp with time zone default now() not null,
  updated_at timestamp with time zone default now() not null,
  constraint alarms_pkey PRIMARY KEY (id),
  constraint alarms_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  constraint alarms_severity_check CHECK (((severity >= 1) AND (severity <= 5))),
  constraint alarms_tenant_id_entity_type_id_fkey FOREIGN KEY (tenant_id, entity_type_id) REFERENCES models(tenant_id, id),
  constraint alarms_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id)
);
CREATE INDEX alarms_entity_type ON alarms USING btree (tenant_id, entity_type_id);
CREATE INDEX alarms_no_data ON alarms USING btree (id) WHERE (no_data_seconds > 0);
CREATE INDEX alarms_tenant ON alarms USING btree (tenant_id, id);

create table api_tokens (
  id uuid not null,
  tenant_id text not null,
  user_id uuid not null,
  display_name text not null,
  secret_hash bytea not null,
  privileges text[],
  expires_at timestamp with time zone,
  created_at timestamp with time zone default now() not null,
  parent_id uuid,
  dashboard_id uuid,
  constraint api_tokens_pkey PRIMARY KEY (id),
  constraint api_tokens_dashboard_id_fkey FOREIGN KEY (dashboard_id) REFERENCES dashboards(id) ON DELETE CASCADE,
  constraint api_tokens_parent_id_fkey FOREIGN KEY (parent_id) REFERENCES api_tokens(id) ON DELETE CASCADE,
  constraint api_tokens_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id),
  constraint api_tokens_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE
);
CREATE INDEX api_tokens_dashboard ON api_tokens USING btree (dashboard_id, id) WHERE (dashboard_id IS NOT NULL);
CREATE INDEX api_tokens_parent ON api_tokens USING btree (parent_id) WHERE (parent_id IS NOT NULL);
CREATE INDEX api_tokens_tenant ON api_tokens USING btree (tenant_id);
CREATE INDEX api_tokens_user ON api_tokens USING btree (user_id, id);
CREATE TRIGGER announce_access AFTER DELETE ON api_tokens FOR EACH ROW EXECUTE FUNCTION announce_user_access();

create table asset_binding_remotes (
  asset_number integer not null,
  component_id text not null,
  kind text not null,
  name text not null,
  place smallint not null,
  remote_name text not null,
  tenant_id text not null,
  instance_type text not null,
  instance_id text not null,
  remote_component_id text not null,
  remote_endpoint_name text not null,
  constraint asset_binding_remotes_pkey PRIMARY KEY (asset_number, component_id, kind, name, place),
  constraint asset_binding_remotes_asset_number_component_id_kind_name_fkey FOREIGN KEY (asset_number, component_id, kind, name) REFERENCES asset_bindings(asset_number, component_id, kind, name) ON DELETE CASCADE,
  constraint asset_binding_remotes_instance_type_check CHECK ((instance_type = ANY (ARRAY['client'::text, 'asset'::text])))
);
CREATE INDEX asset_binding_remotes_instance ON asset_binding_remotes USING btree (tenant_id, instance_type, instance_id);

create table asset_bindings (
  asset_number integer not null,
  component_id text not null,
  kind text not null,
  name text not null,
  binding_type text default 'default'::text not null,
  transform jsonb,
  inverse_transform jsonb,
  origin text not null,
  binding_description_id text,
  error text,
  error_at timestamp with time zone,
  constraint asset_bindings_pkey PRIMARY KEY (asset_number, component_id, kind, name),
  constraint asset_bindings_asset_number_fkey FOREIGN KEY (asset_number) REFERENCES assets(number) ON DELETE CASCADE,
  constraint asset_bindings_kind_check CHECK ((kind = ANY (ARRAY['telemetry'::text, 'property'::text, 'command'::text]))),
  constraint asset_bindings_origin_check CHECK ((origin = ANY (ARRAY['explicit'::text, 'description'::text, 'autobind'::text])))
);

create table asset_commands (
  id uuid not null,
  asset_number integer not null,
  component_id text not null,
  name text not null,
  status text not null,
  status_message text,
  request_payload jsonb,
  response_payload jsonb,
  correlation_id uuid not null,
  requested_at timestamp with time zone default now() not null,
  responded_at timestamp with time zone,
  client_number integer,
  method_component_id text,
  method text,
  method_payload jsonb,
  expires_after_seconds integer not null,
  expires_at timestamp with time zone not null,
  timeout_seconds integer not null,
  started_at timestamp with time zone,
  constraint asset_commands_pkey PRIMARY KEY (id),
  constraint asset_commands_asset_number_fkey FOREIGN KEY (asset_number) REFERENCES assets(number) ON DELETE CASCADE,
  constraint asset_commands_status_check CHECK ((status = ANY (ARRAY['queued'::text, 'running'::text, 'succeeded'::text, 'failed'::text, 'timed_out'::text, 'expired'::text, 'cancelled'::text])))
);
CREATE INDEX asset_commands_of ON asset_commands USING btree (asset_number, component_id, name, id);
CREATE INDEX asset_commands_queued ON asset_commands USING btree (client_number, id) WHERE (status = 'queued'::text);
CREATE INDEX asset_commands_requested ON asset_commands USING btree (requested_at);

create table asset_twins (
  asset_number integer not null,
  reported jsonb default '{}'::jsonb not null,
  reported_version bigint default 0 not null,
  reported_at timestamp with time zone,
  desired jsonb default '{}'::jsonb not null,
  desired_version bigint default 0 not null,
  desired_at timestamp with time zone,
  constraint asset_twins_pkey PRIMARY KEY (asset_number),
  constraint asset_twins_asset_number_fkey FOREIGN KEY (asset_number) REFERENCES assets(number) ON DELETE CASCADE
);

create table assets (
  number integer generated always as identity not null,
  tenant_id text not null,
  id text not null,
  model_id text not null,
  organization_id uuid not null,
  display_name text not null,
  description text,
  ignored_endpoints text[] default '{}'::text[] not null,
  created_at timestamp with time zone default now() not null,
  constraint assets_pkey PRIMARY KEY (tenant_id, id),
  constraint assets_number_key UNIQUE (number),
  constraint assets_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  constraint assets_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id),
  constraint assets_tenant_id_model_id_fkey FOREIGN KEY (tenant_id, model_id) REFERENCES models(tenant_id, id)
);
CREATE INDEX assets_model ON assets USING btree (tenant_id, model_id, id);
CREATE INDEX assets_search ON assets USING gin (id gin_trgm_ops, display_name gin_trgm_ops);

create table audit_log (
  id uuid not null,
  tenant_id text not null,
  at timestamp with time zone default now() not null,
  actor_type text not null,
  actor_id text,
  action text not null,
  resource_type text not null,
  resource_id text not null,
  before jsonb,
  after jsonb,
  request_id text,
  constraint audit_log_pkey PRIMARY KEY (id),
  constraint audit_log_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id)
);
CREATE INDEX audit_log_resource ON audit_log USING btree (tenant_id, resource_type, resource_id, id DESC);
CREATE INDEX audit_log_tenant ON audit_log USING btree (tenant_id, id DESC);

create table binding_descriptions (
  tenant_id text not null,
  id text not null,
  organization_id uuid not null,
  display_name text not null,
  description text,
  model_id text not null,
  bindings jsonb not null,
  is_generated boolean default false not null,
  created_at timestamp with time zone default now() not null,
  constraint binding_descriptions_pkey PRIMARY KEY (tenant_id, id),
  constraint binding_descriptions_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  constraint binding_descriptions_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id),
  constraint binding_descriptions_tenant_id_model_id_fkey FOREIGN KEY (tenant_id, model_id) REFERENCES models(tenant_id, id)
);

create table bootstrap_keys (
  id uuid not null,
  tenant_id text not null,
  enrollment_group_id uuid not null,
  created_at timestamp with time zone default now(),
  last_used_at timestamp with time zone,
  constraint bootstrap_keys_pkey PRIMARY KEY (id),
  constraint bootstrap_keys_enrollment_group_id_fkey FOREIGN KEY (enrollment_group_id) REFERENCES enrollment_groups(id) ON DELETE CASCADE,
  constraint bootstrap_keys_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id)
);
CREATE INDEX bootstrap_keys_group ON bootstrap_keys USING btree (enrollment_group_id);

create table certificate_authorities (
  id uuid not null,
  tenant_id text not null,
  kind text not null,
  origin text default 'built_in'::text not null,
  subject text not null,
  certificate bytea not null,
  chain bytea[] default '{}'::bytea[] not null,
  key_sealed bytea,
  not_before timestamp with time zone not null,
  not_after timestamp with time zone not null,
  status text default 'active'::text not null,
  crl_number bigint default 0 not null,
  created_at timestamp with time zone default now() not null,
  retired_at timestamp with time zone,
  revoked_at timestamp with time zone,
  revocation_reason text,
  crl bytea,
  crl_made_at timestamp with time zone,
  crl_next_update timestamp with time zone,
  crl_outdated boolean default false not null,
  constraint certificate_authorities_pkey PRIMARY KEY (id),
  constraint certificate_authorities_kind_check CHECK ((kind = ANY (ARRAY['root'::text, 'issuing'::text]))),
  constraint certificate_authorities_origin_check CHECK ((origin = ANY (ARRAY['built_in'::text, 'imported'::text]))),
  constraint certificate_authorities_status_check CHECK ((status = ANY (ARRAY['active'::text, 'retired'::text, 'revoked'::text]))),
  constraint certificate_authorities_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id)
);
CREATE UNIQUE INDEX certificate_authorities_active ON certificate_authorities USING btree (tenant_id, kind) WHERE (status = 'active'::text);
CREATE INDEX certificate_authorities_tenant ON certificate_authorities USING btree (tenant_id, id);

create table certificate_settings (
  enrollment_group_id uuid not null,
  tenant_id text not null,
  enabled boolean not null,
  minimum_tier integer not null,
  manufacturer_cas text[] not null,
  validity_days integer not null,
  renewal_grace_days integer default 0 not null,
  constraint certificate_settings_pkey PRIMARY KEY (enrollment_group_id),
  constraint certificate_settings_enrollment_group_id_fkey FOREIGN KEY (enrollment_group_id) REFERENCES enrollment_groups(id) ON DELETE CASCADE,
  constraint certificate_settings_minimum_tier_check CHECK (((minimum_tier >= 1) AND (minimum_tier <= 3))),
  constraint certificate_settings_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id)
);
CREATE INDEX certificate_settings_tenant ON certificate_settings USING btree (tenant_id);

create table client_activity (
  client_number integer not null,
  last_message_at timestamp with time zone not null,
  constraint client_activity_pkey PRIMARY KEY (client_number),
  constraint client_activity_client_number_fkey FOREIGN KEY (client_number) REFERENCES provider_clients(number) ON DELETE CASCADE
);

create table client_connections (
  client_number integer not null,
  connected_at timestamp with time zone,
  remote_address text,
  disconnected_at timestamp with time zone,
  disconnect_reason text,
  disconnect_message text,
  refused_at timestamp with time zone,
  refused_reason text,
  node_ids uuid[] default '{}'::uuid[] not null,
  constraint client_connections_pkey PRIMARY KEY (client_number),
  constraint client_connections_client_number_fkey FOREIGN KEY (client_number) REFERENCES provider_clients(number) ON DELETE CASCADE
);

create table client_twins (
  client_number integer not null,
  reported jsonb default '{}'::jsonb not null,
  reported_version bigint default 0 not null,
  reported_at timestamp with time zone,
  reported_message_ids bigint[] default '{}'::bigint[] not null,
  desired jsonb default '{}'::jsonb not null,
  desired_version bigint default 0 not null,
  desired_at timestamp with time zone,
  constraint client_twins_pkey PRIMARY KEY (client_number),
  constraint client_twins_client_number_fkey FOREIGN KEY (client_number) REFERENCES provider_clients(number) ON DELETE CASCADE
);

create table connection_events (
  id uuid not null,
  client_number integer not null,
  event text not null,
  at timestamp with time zone not null,
  reason text,
  message text,
  protocol text,
  transport text,
  tls_version text,
  address text,
  client_id text,
  resumed boolean,
  constraint connection_events_pkey PRIMARY KEY (id),
  constraint connection_events_client_number_fkey FOREIGN KEY (client_number) REFERENCES provider_clients(number) ON DELETE CASCADE
);
CREATE INDEX connection_events_client ON connection_events USING btree (client_number, id DESC);

create table contact_group_user_groups (
  contact_group_id uuid not null,
  group_id uuid not null,
  place integer not null,
  constraint contact_group_user_groups_pkey PRIMARY KEY (contact_group_id, group_id),
  constraint contact_group_user_groups_contact_group_id_fkey FOREIGN KEY (contact_group_id) REFERENCES contact_groups(id) ON DELETE CASCADE,
  constraint contact_group_user_groups_group_id_fkey FOREIGN KEY (group_id) REFERENCES groups(id) ON DELETE CASCADE
);
CREATE INDEX contact_group_user_groups_group ON contact_group_user_groups USING btree (group_id);

create table contact_group_users (
  contact_group_id uuid not null,
  user_id uuid not null,
  place integer not null,
  constraint contact_group_users_pkey PRIMARY KEY (contact_group_id, user_id),
  constraint contact_group_users_contact_group_id_fkey FOREIGN KEY (contact_group_id) REFERENCES contact_groups(id) ON DELETE CASCADE,
  constraint contact_group_users_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE
);
CREATE INDEX contact_group_users_user ON contact_group_users USING btree (user_id);

create table contact_groups (
  id uuid not null,
  tenant_id text not null,
  organization_id uuid not null,
  display_name text not null,
  description text,
  created_at timestamp with time zone default now() not null,
  constraint contact_groups_pkey PRIMARY KEY (id),
  constraint contact_groups_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  constraint contact_groups_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id)
);
CREATE INDEX contact_groups_tenant ON contact_groups USING btree (tenant_id, id);

create table dashboard_drafts (
  dashboard_id uuid not null,
  user_id uuid not null,
  tenant_id text not null,
  version integer not null,
  data jsonb not null,
  changed_at timestamp with time zone default now() not null,
  constraint dashboard_drafts_pkey PRIMARY KEY (dashboard_id, user_id),
  constraint dashboard_drafts_dashboard_id_fkey FOREIGN KEY (dashboard_id) REFERENCES dashboards(id) ON DELETE CASCADE,
  constraint dashboard_drafts_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id),
  constraint dashboard_drafts_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE
);
CREATE INDEX dashboard_drafts_tenant ON dashboard_drafts USING btree (tenant_id);
CREATE INDEX dashboard_drafts_user ON dashboard_drafts USING btree (user_id);

create table dashboard_versions (
  dashboard_id uuid not null,
  version integer not null,
  tenant_id text not null,
  organization_id uuid not null,
  action text not null,
  user_id uuid,
  token_id uuid,
  created_at timestamp with time zone default now() not null,
  display_name text not null,
  description text,
  data jsonb,
  data_bytes integer generated always as (COALESCE(octet_length((data)::text), 0)) stored not null,
  constraint dashboard_versions_pkey PRIMARY KEY (dashboard_id, version),
  constraint dashboard_versions_action_check CHECK ((action = ANY (ARRAY['create'::text, 'update'::text, 'restore'::text, 'delete'::text]))),
  constraint dashboard_versions_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id)
);
CREATE INDEX dashboard_versions_deleted ON dashboard_versions USING btree (tenant_id, dashboard_id) WHERE (action = 'delete'::text);
CREATE INDEX dashboard_versions_tenant ON dashboard_versions USING btree (tenant_id);

create table dashboards (
  id uuid not null,
  tenant_id text not null,
  organization_id uuid not null,
  display_name text not null,
  description text,
  data jsonb default '{}'::jsonb not null,
  created_at timestamp with time zone default now() not null,
  data_bytes integer generated always as (octet_length((data)::text)) stored not null,
  version integer default 1 not null,
  constraint dashboards_pkey PRIMARY KEY (id),
  constraint dashboards_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  constraint dashboards_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id)
);
CREATE INDEX dashboards_organization ON dashboards USING btree (organization_id, id);
CREATE INDEX dashboards_tenant ON dashboards USING btree (tenant_id, id);
CREATE TRIGGER announce_access AFTER DELETE OR UPDATE OF data ON dashboards FOR EACH ROW EXECUTE FUNCTION announce_dashboard_access();

create table dead_letters (
  id uuid not null,
  client_number integer not null,
  received_at timestamp with time zone default now() not null,
  topic text not null,
  payload bytea not null,
  reason text not null,
  message text not null,
  traceparent text,
  constraint dead_letters_pkey PRIMARY KEY (id),
  constraint dead_letters_client_number_fkey FOREIGN KEY (client_number) REFERENCES provider_clients(number) ON DELETE CASCADE
);
CREATE INDEX dead_letters_client ON dead_letters USING btree (client_number, id DESC);

create table deployment_templates (
  id uuid not null,
  tenant_id text not null,
  organization_id uuid not null,
  display_name text not null,
  description text,
  version text,
  steps jsonb not null,
  status jsonb not null,
  created_at timestamp with time zone default now() not null,
  constraint deployment_templates_pkey PRIMARY KEY (id),
  constraint deployment_templates_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  constraint deployment_templates_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id)
);
CREATE INDEX deployment_templates_tenant ON deployment_templates USING btree (tenant_id, id);

create table deployments (
  id uuid not null,
  tenant_id text not null,
  organization_id uuid not null,
  display_name text not null,
  description text,
  deployment_template_id uuid not null,
  release_id uuid not null,
  plan jsonb not null,
  rollout jsonb not null,
  timeout_seconds integer,
  status text not null,
  status_message text,
  wave smallint default 0 not null,
  created_at timestamp with time zone default now() not null,
  started_at timestamp with time zone,
  ended_at timestamp with time zone,
  constraint deployments_pkey PRIMARY KEY (id),
  constraint deployments_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  constraint deployments_status_check CHECK ((status = ANY (ARRAY['Ready'::text, 'Running'::text, 'Paused'::text, 'Stopped'::text, 'Cancelled'::text, 'Completed'::text]))),
  constraint deployments_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id)
);
CREATE INDEX deployments_going ON deployments USING btree (id) WHERE (ended_at IS NULL);
CREATE INDEX deployments_tenant ON deployments USING btree (tenant_id, id);

create table desired_deliveries (
  client_number integer not null,
  component_id text not null,
  patch jsonb not null,
  revision uuid not null,
  sending_until timestamp with time zone,
  constraint desired_deliveries_pkey PRIMARY KEY (client_number, component_id),
  constraint desired_deliveries_client_number_fkey FOREIGN KEY (client_number) REFERENCES provider_clients(number) ON DELETE CASCADE
);

create table device_certificates (
  id uuid not null,
  tenant_id text not null,
  enrollment_group_id uuid,
  device_id text collate "C" not null,
  authority_id uuid not null,
  serial_number text collate "C" not null,
  fingerprint bytea not null,
  public_key_fingerprint bytea not null,
  request_fingerprint bytea,
  certificate bytea not null,
  tier integer not null,
  not_before timestamp with time zone not null,
  not_after timestamp with time zone not null,
  issued_at timestamp with time zone default now() not null,
  connected_at timestamp with time zone,
  superseded_at timestamp with time zone,
  revoked_at timestamp with time zone,
  revocation_reason text,
  expiry_announced_at timestamp with time zone,
  constraint device_certificates_pkey PRIMARY KEY (id),
  constraint device_certificates_authority_id_fkey FOREIGN KEY (authority_id) REFERENCES certificate_authorities(id),
  constraint device_certificates_enrollment_group_id_fkey FOREIGN KEY (enrollment_group_id) REFERENCES enrollment_groups(id) ON DELETE SET NULL,
  constraint device_certificates_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id),
  constraint device_certificates_tier_check CHECK (((tier >= 1) AND (tier <= 3)))
);
CREATE INDEX device_certificates_device ON device_certificates USING btree (tenant_id, device_id, issued_at);
CREATE INDEX device_certificates_expiring ON device_certificates USING btree ((((not_after AT TIME ZONE 'UTC'::text) - ((not_after - not_before) / (6)::double precision)))) WHERE ((expiry_announced_at IS NULL) AND (superseded_at IS NULL) AND (revoked_at IS NULL));
CREATE INDEX device_certificates_expiry ON device_certificates USING btree (tenant_id, not_after);
CREATE UNIQUE INDEX device_certificates_fingerprint ON device_certificates USING btree (fingerprint);
CREATE INDEX device_certificates_group ON device_certificates USING btree (enrollment_group_id);
CREATE INDEX device_certificates_key ON device_certificates USING btree (tenant_id, public_key_fingerprint);
CREATE INDEX device_certificates_not_revoked ON device_certificates USING btree (authority_id) WHERE (revoked_at IS NULL);
CREATE INDEX device_certificates_revoked ON device_certificates USING btree (authority_id) WHERE (revoked_at IS NOT NULL);
CREATE UNIQUE INDEX device_certificates_serial_number ON device_certificates USING btree (authority_id, serial_number);

create table enrollment_groups (
  id uuid not null,
  tenant_id text not null,
  name text not null,
  auth_method text default 'shared_key'::text not null,
  routing_target_id uuid not null,
  status text default 'enabled'::text not null,
  response_template json not null,
  primary_key_sealed bytea,
  secondary_key_sealed bytea,
  created_at timestamp with time zone default now() not null,
  key_policy text default 'any'::text not null,
  primary_key_id uuid,
  secondary_key_id uuid,
  offline_settings boolean default false not null,
  offline_settings_max_age_seconds integer default 2592000 not null,
  constraint enrollment_groups_pkey PRIMARY KEY (id),
  constraint enrollment_groups_auth_method_check CHECK ((auth_method = 'shared_key'::text)),
  constraint enrollment_groups_check CHECK (((secondary_key_sealed IS NULL) OR (primary_key_sealed IS NOT NULL))),
  constraint enrollment_groups_check1 CHECK (((primary_key_id IS NULL) = (primary_key_sealed IS NULL))),
  constraint enrollment_groups_check2 CHECK (((secondary_key_id IS NULL) = (secondary_key_sealed IS NULL))),
  constraint enrollment_groups_key_policy_check CHECK ((key_policy = ANY (ARRAY['any'::text, 'derived_only'::text]))),
  constraint enrollment_groups_offline_settings_max_age_seconds_check CHECK ((offline_settings_max_age_seconds > 0)),
  constraint enrollment_groups_routing_target_id_fkey FOREIGN KEY (routing_target_id) REFERENCES routing_targets(id),
  constraint enrollment_groups_status_check CHECK ((status = ANY (ARRAY['enabled'::text, 'disabled'::text]))),
  constraint enrollment_groups_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id)
);
CREATE INDEX enrollment_groups_target ON enrollment_groups USING btree (routing_target_id);
CREATE INDEX enrollment_groups_tenant ON enrollment_groups USING btree (tenant_id, id);

create table firmware_releases (
  id uuid not null,
  tenant_id text not null,
  organization_id uuid not null,
  display_name text not null,
  description text,
  starting_models jsonb default '[]'::jsonb not null,
  property_values jsonb default '[]'::jsonb not null,
  file_resource_id uuid,
  file_name text,
  created_at timestamp with time zone default now() not null,
  constraint firmware_releases_pkey PRIMARY KEY (id),
  constraint firmware_releases_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  constraint firmware_releases_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id)
);
CREATE INDEX firmware_releases_file ON firmware_releases USING btree (file_resource_id);
CREATE INDEX firmware_releases_tenant ON firmware_releases USING btree (tenant_id, id);

create table firmware_updates (
  id uuid not null,
  tenant_id text not null,
  deployment_id uuid not null,
  client_number integer not null,
  kind text not null,
  place integer not null,
  wave smallint not null,
  state text not null,
  current_step smallint default 0 not null,
  step_due boolean default false not null,
  status_before jsonb,
  status_value jsonb,
  logs jsonb default '[]'::jsonb not null,
  desired_before jsonb,
  back_to_deployment_id uuid,
  retry_at timestamp with time zone,
  created_at timestamp with time zone default now() not null,
  started_at timestamp with time zone,
  step_set_at timestamp with time zone,
  ended_at timestamp with time zone,
  constraint firmware_updates_pkey PRIMARY KEY (id),
  constraint firmware_updates_back_to_deployment_id_fkey FOREIGN KEY (back_to_deployment_id) REFERENCES deployments(id) ON DELETE SET NULL,
  constraint firmware_updates_client_number_fkey FOREIGN KEY (client_number) REFERENCES provider_clients(number) ON DELETE CASCADE,
  constraint firmware_updates_deployment_id_client_number_kind_key UNIQUE (deployment_id, client_number, kind),
  constraint firmware_updates_deployment_id_fkey FOREIGN KEY (deployment_id) REFERENCES deployments(id) ON DELETE CASCADE,
  constraint firmware_updates_kind_check CHECK ((kind = ANY (ARRAY['update'::text, 'rollback'::text]))),
  constraint firmware_updates_state_check CHECK ((state = ANY (ARRAY['Ready'::text, 'Running'::text, 'Succeeded'::text, 'Failed'::text, 'Rejected'::text, 'Cancelled'::text]))),
  constraint firmware_updates_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id)
);
CREATE INDEX firmware_updates_client ON firmware_updates USING btree (client_number, deployment_id);
CREATE INDEX firmware_updates_deployment ON firmware_updates USING btree (deployment_id, kind, state, wave, place);
CREATE UNIQUE INDEX firmware_updates_running ON firmware_updates USING btree (client_number) WHERE (state = 'Running'::text);

create table groups (
  id uuid not null,
  tenant_id text not null,
  display_name text not null,
  description text,
  created_at timestamp with time zone default now() not null,
  constraint groups_pkey PRIMARY KEY (id),
  constraint groups_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id)
);
CREATE INDEX groups_tenant ON groups USING btree (tenant_id, id);

create table handovers (
  id uuid not null,
  body text not null,
  created_at timestamp with time zone default now() not null,
  constraint handovers_pkey PRIMARY KEY (id)
);

create table ingest_nodes (
  node_id uuid not null,
  seen_until timestamp with time zone not null,
  constraint ingest_nodes_pkey PRIMARY KEY (node_id)
);

create table ingest_partitions (
  partition integer not null,
  lane text not null,
  stream text default ''::text not null,
  sequence bigint default 1 not null,
  part integer default 0 not null,
  batch_time bigint default 0 not null,
  node_id uuid,
  fence bigint default 0 not null,
  constraint ingest_partitions_pkey PRIMARY KEY (partition, lane),
  constraint ingest_partitions_lane_check CHECK ((lane = ANY (ARRAY['telemetry'::text, 'reported'::text, 'dead_letters'::text])))
);

create table ingest_rates (
  tenant_number integer not null,
  node_id uuid not null,
  messages integer not null,
  seconds real not null,
  ended_at timestamp with time zone not null,
  constraint ingest_rates_pkey PRIMARY KEY (tenant_number, node_id),
  constraint ingest_rates_tenant_number_fkey FOREIGN KEY (tenant_number) REFERENCES tenants(number) ON DELETE CASCADE
);

create table ingest_session_openings (
  session_number bigint not null,
  lane text not null,
  partition integer not null,
  generation integer not null,
  seen_at timestamp with time zone not null,
  constraint ingest_session_openings_pkey PRIMARY KEY (partition, lane, session_number),
  constraint ingest_session_openings_lane_check CHECK ((lane = ANY (ARRAY['telemetry'::text, 'reported'::text, 'dead_letters'::text])))
);

create table job_workers (
  worker_id text not null,
  node_id uuid not null,
  constraint job_workers_pkey PRIMARY KEY (worker_id)
);
CREATE INDEX job_workers_node ON job_workers USING btree (node_id);

create table kept_rollups (
  tenant_number integer not null,
  stream_number integer not null,
  first_time timestamp(3) with time zone not null,
  first_message bigint not null,
  last_time timestamp(3) with time zone not null,
  slots integer[] not null,
  ends integer[] not null,
  data bytea not null,
  constraint kept_rollups_pkey PRIMARY KEY (tenant_number, stream_number, first_time, first_message)
);
CREATE INDEX kept_rollups_age ON kept_rollups USING btree (tenant_number, last_time);

create table lake_days (
  tenant_number integer not null,
  day date not null,
  constraint lake_days_pkey PRIMARY KEY (tenant_number, day),
  constraint lake_days_tenant_number_fkey FOREIGN KEY (tenant_number) REFERENCES tenants(number) ON DELETE CASCADE
);

create table login_failures (
  key text not null,
  failures integer not null,
  last_failure_at timestamp with time zone not null,
  constraint login_failures_pkey PRIMARY KEY (key)
);

create table method_templates (
  id text not null,
  tenant_id text not null,
  organization_id uuid not null,
  display_name text not null,
  description text,
  method text not null,
  component_id text,
  payload jsonb,
  timeout_seconds integer,
  created_at timestamp with time zone default now() not null,
  constraint method_templates_pkey PRIMARY KEY (id),
  constraint method_templates_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  constraint method_templates_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id)
);
CREATE INDEX method_templates_tenant ON method_templates USING btree (tenant_id, id);

create table model_references (
  tenant_id text not null,
  model_id text not null,
  used_model_id text not null,
  constraint model_references_pkey PRIMARY KEY (tenant_id, model_id, used_model_id),
  constraint model_references_tenant_id_model_id_fkey FOREIGN KEY (tenant_id, model_id) REFERENCES models(tenant_id, id) ON DELETE CASCADE,
  constraint model_references_tenant_id_used_model_id_fkey FOREIGN KEY (tenant_id, used_model_id) REFERENCES models(tenant_id, id)
);
CREATE INDEX model_references_used ON model_references USING btree (tenant_id, used_model_id);

create table models (
  tenant_id text not null,
  id text not null,
  organization_id uuid not null,
  display_name text not null,
  description text,
  definition json not null,
  definition_bytes integer not null,
  created_at timestamp with time zone default now() not null,
  constraint models_pkey PRIMARY KEY (tenant_id, id),
  constraint models_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  constraint models_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id)
);

create table mqtt_limit_events (
  client_number integer not null,
  limit_name text not null,
  outcome text not null,
  count bigint not null,
  bytes bigint not null,
  delay_ms bigint not null,
  first_at timestamp with time zone not null,
  last_at timestamp with time zone not null,
  message text not null,
  constraint mqtt_limit_events_pkey PRIMARY KEY (client_number, limit_name, outcome),
  constraint mqtt_limit_events_client_number_fkey FOREIGN KEY (client_number) REFERENCES provider_clients(number) ON DELETE CASCADE
);

create table mqtt_retained_messages (
  client_number integer not null,
  topic text not null,
  payload bytea not null,
  qos smallint not null,
  properties json,
  expires_at timestamp with time zone,
  constraint mqtt_retained_messages_client_number_fkey FOREIGN KEY (client_number) REFERENCES provider_clients(number) ON DELETE CASCADE
);
CREATE INDEX mqtt_retained_messages_expiry ON mqtt_retained_messages USING btree (expires_at) WHERE (expires_at IS NOT NULL);
CREATE UNIQUE INDEX mqtt_retained_messages_topic ON mqtt_retained_messages USING btree (client_number, md5(topic));

create table mqtt_session_messages (
  number bigint generated always as identity not null,
  session_number bigint not null,
  packet_id integer,
  topic text not null,
  payload bytea not null,
  qos smallint not null,
  retain boolean not null,
  properties json,
  expires_at timestamp with time zone,
  is_released boolean default false not null,
  constraint mqtt_session_messages_pkey PRIMARY KEY (number),
  constraint mqtt_session_messages_session_number_fkey FOREIGN KEY (session_number) REFERENCES mqtt_sessions(number) ON DELETE CASCADE,
  constraint mqtt_session_messages_session_number_packet_id_key UNIQUE (session_number, packet_id)
);
CREATE INDEX mqtt_session_messages_expiry ON mqtt_session_messages USING btree (expires_at) WHERE (expires_at IS NOT NULL);

create table mqtt_session_received (
  session_number bigint not null,
  packet_id integer not null,
  constraint mqtt_session_received_pkey PRIMARY KEY (session_number, packet_id),
  constraint mqtt_session_received_session_number_fkey FOREIGN KEY (session_number) REFERENCES mqtt_sessions(number) ON DELETE CASCADE
);

create table mqtt_sessions (
  number bigint generated always as identity not null,
  client_number integer not null,
  client_id text not null,
  node_id uuid,
  generation integer default 1 not null,
  subscriptions jsonb default '[]'::jsonb not null,
  expiry_seconds bigint not null,
  disconnected_at timestamp with time zone,
  expires_at timestamp with time zone,
  constraint mqtt_sessions_pkey PRIMARY KEY (number),
  constraint mqtt_sessions_client_number_fkey FOREIGN KEY (client_number) REFERENCES provider_clients(number) ON DELETE CASCADE
);
CREATE UNIQUE INDEX mqtt_sessions_client_id ON mqtt_sessions USING btree (client_number, md5(client_id));
CREATE INDEX mqtt_sessions_expiry ON mqtt_sessions USING btree (expires_at) WHERE (expires_at IS NOT NULL);
CREATE INDEX mqtt_sessions_node ON mqtt_sessions USING btree (node_id) WHERE (node_id IS NOT NULL);

create table notification_alarms (
  notification_id uuid not null,
  alarm_id uuid not null,
  place integer not null,
  constraint notification_alarms_pkey PRIMARY KEY (notification_id, alarm_id),
  constraint notification_alarms_alarm_id_fkey FOREIGN KEY (alarm_id) REFERENCES alarms(id) ON DELETE CASCADE,
  constraint notification_alarms_notification_id_fkey FOREIGN KEY (notification_id) REFERENCES notifications(id) ON DELETE CASCADE
);
CREATE INDEX notification_alarms_alarm ON notification_alarms USING btree (alarm_id);

create table notification_contact_groups (
  notification_id uuid not null,
  contact_group_id uuid not null,
  place integer not null,
  constraint notification_contact_groups_pkey PRIMARY KEY (notification_id, contact_group_id),
  constraint notification_contact_groups_contact_group_id_fkey FOREIGN KEY (contact_group_id) REFERENCES contact_groups(id) ON DELETE CASCADE,
  constraint notification_contact_groups_notification_id_fkey FOREIGN KEY (notification_id) REFERENCES notifications(id) ON DELETE CASCADE
);
CREATE INDEX notification_contact_groups_group ON notification_contact_groups USING btree (contact_group_id);

create table notification_deliveries (
  id uuid not null,
  message_id uuid not null,
  user_id uuid not null,
  address text,
  state text not null,
  reason text,
  message text,
  attempts integer default 0 not null,
  last_attempt_at timestamp with time zone,
  sent_at timestamp with time zone,
  constraint notification_deliveries_pkey PRIMARY KEY (id),
  constraint notification_deliveries_message_id_fkey FOREIGN KEY (message_id) REFERENCES notification_messages(id) ON DELETE CASCADE,
  constraint notification_deliveries_message_id_user_id_key UNIQUE (message_id, user_id),
  constraint notification_deliveries_state_check CHECK ((state = ANY (ARRAY['queued'::text, 'sent'::text, 'failed'::text, 'skipped'::text, 'not_configured'::text]))),
  constraint notification_deliveries_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE
);
CREATE INDEX notification_deliveries_user ON notification_deliveries USING btree (user_id);

create table notification_messages (
  id uuid not null,
  tenant_id text not null,
  notification_id uuid not null,
  alarm_status_id uuid not null,
  alarm_id uuid not null,
  asset_id text not null,
  channel text not null,
  sender text not null,
  subject text not null,
  template text not null,
  template_values jsonb not null,
  created_at timestamp with time zone default now() not null,
  constraint notification_messages_pkey PRIMARY KEY (id),
  constraint notification_messages_alarm_status_id_notification_id_chann_key UNIQUE (alarm_status_id, notification_id, channel),
  constraint notification_messages_channel_check CHECK ((channel = ANY (ARRAY['email'::text, 'sms'::text]))),
  constraint notification_messages_notification_id_fkey FOREIGN KEY (notification_id) REFERENCES notifications(id) ON DELETE CASCADE,
  constraint notification_messages_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id)
);
CREATE INDEX notification_messages_age ON notification_messages USING btree (created_at);
CREATE INDEX notification_messages_notification ON notification_messages USING btree (notification_id);

create table notifications (
  id uuid not null,
  tenant_id text not null,
  organization_id uuid not null,
  display_name text not null,
  description text,
  broadcast boolean not null,
  channels jsonb not null,
  workflow_id text not null,
  trigger_identifier text not null,
  created_at timestamp with time zone default now() not null,
  constraint notifications_pkey PRIMARY KEY (id),
  constraint notifications_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  constraint notifications_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id)
);
CREATE INDEX notifications_tenant ON notifications USING btree (tenant_id, id);

create table onboarding_attempts (
  id uuid not null,
  tenant_id text,
  enrollment_group_id uuid,
  device_id text collate "C" not null,
  kind text not null,
  outcome text not null,
  address text,
  steps json not null,
  count integer not null,
  first_at timestamp with time zone not null,
  last_at timestamp with time zone not null,
  duration_ms integer not null,
  proven boolean default true not null,
  constraint onboarding_attempts_pkey PRIMARY KEY (id)
);
CREATE INDEX onboarding_attempts_device ON onboarding_attempts USING btree (device_id, last_at);
CREATE INDEX onboarding_attempts_outcome ON onboarding_attempts USING btree (tenant_id, outcome, last_at);

create table onboarding_credentials (
  tenant_id text not null,
  enrollment_group_id uuid not null,
  device_id text collate "C" not null,
  provider text not null,
  credentials_sealed bytea not null,
  received_at timestamp with time zone not null,
  constraint onboarding_credentials_pkey PRIMARY KEY (enrollment_group_id, device_id),
  constraint onboarding_credentials_enrollment_group_id_device_id_fkey FOREIGN KEY (enrollment_group_id, device_id) REFERENCES onboarding_devices(enrollment_group_id, device_id) ON DELETE CASCADE,
  constraint onboarding_credentials_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id)
);
CREATE INDEX onboarding_credentials_tenant ON onboarding_credentials USING btree (tenant_id);

create table onboarding_devices (
  tenant_id text not null,
  enrollment_group_id uuid not null,
  device_id text collate "C" not null,
  status text default 'registered'::text not null,
  created_at timestamp with time zone default now() not null,
  provisioned_at timestamp with time zone,
  last_settings_at timestamp with time zone,
  deleted_at timestamp with time zone,
  last_key_id uuid,
  last_key_kind text,
  constraint onboarding_devices_pkey PRIMARY KEY (enrollment_group_id, device_id),
  constraint onboarding_devices_enrollment_group_id_fkey FOREIGN KEY (enrollment_group_id) REFERENCES enrollment_groups(id),
  constraint onboarding_devices_last_key_kind_check CHECK ((last_key_kind = ANY (ARRAY['bootstrap'::text, 'derived'::text]))),
  constraint onboarding_devices_status_check CHECK ((status = ANY (ARRAY['registered'::text, 'provisioned'::text, 'deleted'::text]))),
  constraint onboarding_devices_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id)
);
CREATE INDEX onboarding_devices_device_id ON onboarding_devices USING btree (device_id) WHERE (status <> 'deleted'::text);
CREATE INDEX onboarding_devices_search ON onboarding_devices USING gin (device_id gin_trgm_ops);

create table organization_templates (
  id uuid not null,
  tenant_id text not null,
  display_name text not null,
  description text,
  privileges text[],
  contacts jsonb default '{"notifications": {"users": [], "userGroups": []}}'::jsonb not null,
  created_at timestamp with time zone default now() not null,
  constraint organization_templates_pkey PRIMARY KEY (id),
  constraint organization_templates_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id)
);
CREATE INDEX organization_templates_tenant ON organization_templates USING btree (tenant_id, id);

create table organizations (
  id uuid not null,
  tenant_id text not null,
  parent_organization_id uuid,
  display_name text not null,
  description text,
  privileges text[] not null,
  created_at timestamp with time zone default now() not null,
  contacts jsonb default '{"notifications": {"users": [], "userGroups": []}}'::jsonb not null,
  constraint organizations_pkey PRIMARY KEY (id),
  constraint organizations_parent_organization_id_fkey FOREIGN KEY (parent_organization_id) REFERENCES organizations(id),
  constraint organizations_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id)
);
CREATE INDEX organizations_roots ON organizations USING btree (tenant_id, id) WHERE (parent_organization_id IS NULL);
CREATE INDEX organizations_tenant ON organizations USING btree (tenant_id);
CREATE TRIGGER announce_access AFTER UPDATE ON organizations FOR EACH ROW WHEN ((old.privileges IS DISTINCT FROM new.privileges)) EXECUTE FUNCTION announce_tenant_access();

create table outbox (
  id bigint generated always as identity not null,
  subject text not null,
  payload jsonb not null,
  created_at timestamp with time zone default now() not null,
  constraint outbox_pkey PRIMARY KEY (id)
);

create table packed_rows (
  tenant_number integer not null,
  stream_number integer not null,
  first_time timestamp(3) with time zone not null,
  first_message bigint not null,
  last_time timestamp(3) with time zone not null,
  row_count integer not null,
  value_count integer not null,
  sections integer[] not null,
  ends integer[] not null,
  last_times timestamp(3) with time zone[] not null,
  last_messages bigint[] not null,
  last_numbers double precision[] not null,
  last_others jsonb,
  data bytea not null,
  rollup_ends integer[],
  rollups bytea,
  day_values smallint[],
  constraint packed_rows_pkey PRIMARY KEY (tenant_number, stream_number, first_time, first_message)
);
CREATE INDEX packed_rows_age ON packed_rows USING btree (tenant_number, last_time, first_time);

create table password_resets (
  user_id uuid not null,
  token_hash bytea not null,
  created_at timestamp with time zone default now() not null,
  expires_at timestamp with time zone not null,
  constraint password_resets_pkey PRIMARY KEY (user_id),
  constraint password_resets_token_hash_key UNIQUE (token_hash),
  constraint password_resets_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE
);

create table provider_clients (
  number integer generated always as identity not null,
  tenant_id text not null,
  provider_id text not null,
  id text not null,
  organization_id uuid not null,
  display_name text not null,
  description text,
  enabled boolean default true not null,
  template_id text,
  template_applied timestamp with time zone,
  provider_data jsonb default '{}'::jsonb not null,
  on_broker boolean not null,
  primary_key_sealed bytea,
  secondary_key_sealed bytea,
  primary_key_hash text,
  secondary_key_hash text,
  created_at timestamp with time zone default now() not null,
  updated_at timestamp with time zone default now() not null,
  constraint provider_clients_pkey PRIMARY KEY (tenant_id, id),
  constraint provider_clients_number_key UNIQUE (number),
  constraint provider_clients_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  constraint provider_clients_tenant_id_provider_id_fkey FOREIGN KEY (tenant_id, provider_id) REFERENCES providers(tenant_id, id)
);
CREATE UNIQUE INDEX provider_clients_broker_id ON provider_clients USING btree (id) WHERE on_broker;
CREATE INDEX provider_clients_provider ON provider_clients USING btree (tenant_id, provider_id, id);
CREATE INDEX provider_clients_search ON provider_clients USING gin (id gin_trgm_ops, display_name gin_trgm_ops);

create table provider_events (
  routing_target_id uuid not null,
  id text not null,
  event text not null,
  device_id text,
  received_at timestamp with time zone default now() not null,
  constraint provider_events_pkey PRIMARY KEY (routing_target_id, id),
  constraint provider_events_routing_target_id_fkey FOREIGN KEY (routing_target_id) REFERENCES routing_targets(id) ON DELETE CASCADE
);

create table provider_templates (
  tenant_id text not null,
  id text not null,
  display_name text not null,
  description text,
  enabled boolean default true not null,
  tags jsonb default '{}'::jsonb not null,
  options jsonb default '{}'::jsonb not null,
  organization_id uuid not null,
  created_at timestamp with time zone default now() not null,
  constraint provider_templates_pkey PRIMARY KEY (tenant_id, id),
  constraint provider_templates_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  constraint provider_templates_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id)
);

create table provider_webhooks (
  id uuid not null,
  tenant_id text not null,
  provider_id text not null,
  url text not null,
  routing_target_id uuid,
  secret_sealed bytea not null,
  created_at timestamp with time zone default now() not null,
  events text[] default '{device.deleted}'::text[] not null,
  constraint provider_webhooks_pkey PRIMARY KEY (id),
  constraint provider_webhooks_tenant_id_provider_id_fkey FOREIGN KEY (tenant_id, provider_id) REFERENCES providers(tenant_id, id) ON DELETE CASCADE
);
CREATE INDEX provider_webhooks_provider ON provider_webhooks USING btree (tenant_id, provider_id, id);

create table providers (
  tenant_id text not null,
  id text not null,
  type text not null,
  display_name text not null,
  description text,
  organization_id uuid not null,
  provider_data jsonb default '{}'::jsonb not null,
  created_at timestamp with time zone default now() not null,
  connection_string_sealed bytea,
  constraint providers_pkey PRIMARY KEY (tenant_id, id),
  constraint providers_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  constraint providers_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id),
  constraint providers_type_check CHECK ((type = ANY (ARRAY['mqtt'::text, 'import'::text, 'iothub'::text])))
);

create table rate_windows (
  key text not null,
  starts_at timestamp with time zone not null,
  drawn integer not null,
  last_share integer not null,
  constraint rate_windows_pkey PRIMARY KEY (key, starts_at)
);

create table receiver_circuits (
  receiver text not null,
  failures integer not null,
  reason text not null,
  failing_since timestamp with time zone default now() not null,
  last_failed_at timestamp with time zone default now() not null,
  retry_at timestamp with time zone,
  constraint receiver_circuits_pkey PRIMARY KEY (receiver)
);

create table refresh_token_families (
  id uuid not null,
  user_id uuid not null,
  created_at timestamp with time zone default now() not null,
  revoked_at timestamp with time zone,
  network text,
  expires_at timestamp with time zone,
  constraint refresh_token_families_pkey PRIMARY KEY (id),
  constraint refresh_token_families_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE
);
CREATE INDEX refresh_token_families_user ON refresh_token_families USING btree (user_id);
CREATE TRIGGER announce_access AFTER UPDATE ON refresh_token_families FOR EACH ROW WHEN ((old.revoked_at IS DISTINCT FROM new.revoked_at)) EXECUTE FUNCTION announce_user_access();

create table refresh_tokens (
  token_hash bytea not null,
  family_id uuid not null,
  expires_at timestamp with time zone not null,
  used_at timestamp with time zone,
  parent_hash bytea,
  repeated_at timestamp with time zone,
  constraint refresh_tokens_pkey PRIMARY KEY (token_hash),
  constraint refresh_tokens_family_id_fkey FOREIGN KEY (family_id) REFERENCES refresh_token_families(id) ON DELETE CASCADE
);
CREATE INDEX refresh_tokens_family ON refresh_tokens USING btree (family_id);
CREATE INDEX refresh_tokens_parent ON refresh_tokens USING btree (parent_hash) WHERE (parent_hash IS NOT NULL);

create table relations (
  tenant_id text not null,
  subject_type text not null,
  subject_id text not null,
  resource_type text not null,
  resource_id text not null,
  relation text not null,
  created_at timestamp with time zone default now() not null,
  constraint relations_pkey PRIMARY KEY (tenant_id, resource_type, resource_id, subject_type, subject_id, relation),
  constraint relations_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id)
);
CREATE INDEX relations_parent ON relations USING btree (tenant_id, resource_type, resource_id) INCLUDE (subject_type, subject_id) WHERE (relation = 'parent'::text);
CREATE INDEX relations_subject ON relations USING btree (tenant_id, subject_type, subject_id, resource_type, relation, resource_id);
CREATE TRIGGER announce_access AFTER DELETE OR UPDATE ON relations FOR EACH ROW EXECUTE FUNCTION announce_tenant_access();

create table resource_items (
  id uuid not null,
  tenant_id text not null,
  organization_id uuid not null,
  display_name text not null,
  description text,
  tags jsonb default '{}'::jsonb not null,
  document json,
  file_key uuid,
  original_file_name text,
  content_type text not null,
  size bigint not null,
  sha256 text not null,
  created_at timestamp with time zone default now() not null,
  created_by uuid not null,
  changed_at timestamp with time zone default now() not null,
  changed_by uuid not null,
  constraint resource_items_pkey PRIMARY KEY (id),
  constraint resource_items_check CHECK (((document IS NULL) <> (file_key IS NULL))),
  constraint resource_items_check1 CHECK (((file_key IS NULL) = (original_file_name IS NULL))),
  constraint resource_items_file_key_key UNIQUE (file_key),
  constraint resource_items_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  constraint resource_items_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id)
);
CREATE INDEX resource_items_organization ON resource_items USING btree (organization_id, id);
CREATE INDEX resource_items_tags ON resource_items USING gin (tags jsonb_path_ops);
CREATE INDEX resource_items_tenant ON resource_items USING btree (tenant_id, id);
CREATE INDEX resource_items_themes ON resource_items USING btree (tenant_id, organization_id, id) WHERE ((tags ? 'theme'::text) AND (document IS NOT NULL));

create table routing_targets (
  id uuid not null,
  tenant_id text not null,
  name text not null,
  brokers jsonb not null,
  broker_selection text default 'first'::text not null,
  provider_base_url text not null,
  provider_api_key_sealed bytea not null,
  webhook_secret_sealed bytea not null,
  created_at timestamp with time zone default now() not null,
  constraint routing_targets_pkey PRIMARY KEY (id),
  constraint routing_targets_broker_selection_check CHECK ((broker_selection = ANY (ARRAY['first'::text, 'spread'::text]))),
  constraint routing_targets_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id)
);
CREATE INDEX routing_targets_tenant ON routing_targets USING btree (tenant_id, id);

create table sample_rows (
  tenant_number integer not null,
  stream_number integer not null,
  "time" timestamp(3) with time zone not null,
  message_id bigint not null,
  numbers double precision[],
  others jsonb
) partition by RANGE ("time");
CREATE UNIQUE INDEX sample_rows_key ON ONLY sample_rows USING btree (tenant_number, stream_number, "time", message_id);

create table samples (
  tenant_number integer not null,
  series_number integer not null,
  "time" timestamp(3) with time zone not null,
  message_id bigint not null,
  value double precision not null
) partition by LIST (tenant_number);
CREATE UNIQUE INDEX samples_key ON ONLY samples USING btree (tenant_number, series_number, "time", message_id) INCLUDE (value);

create table samples_other (
  tenant_number integer not null,
  series_number integer not null,
  "time" timestamp(3) with time zone not null,
  message_id bigint not null,
  value jsonb not null
) partition by LIST (tenant_number);
CREATE UNIQUE INDEX samples_other_key ON ONLY samples_other USING btree (tenant_number, series_number, "time", message_id);

create table schema_migrations (
  number integer not null,
  name text not null,
  applied_at timestamp with time zone default now() not null,
  checksum text not null,
  constraint schema_migrations_pkey PRIMARY KEY (number)
);

create table series (
  number integer generated always as identity not null,
  tenant_number integer not null,
  owner_type text not null,
  owner_id text not null,
  component_id text default ''::text not null,
  name text not null,
  type text not null,
  created_at timestamp with time zone default now() not null,
  stream_number integer not null,
  slot integer not null,
  constraint series_pkey PRIMARY KEY (number),
  constraint series_owner_type_check CHECK ((owner_type = ANY (ARRAY['client'::text, 'asset'::text]))),
  constraint series_stream_number_fkey FOREIGN KEY (stream_number) REFERENCES streams(number),
  constraint series_tenant_number_fkey FOREIGN KEY (tenant_number) REFERENCES tenants(number),
  constraint series_tenant_number_owner_type_owner_id_component_id_name__key UNIQUE (tenant_number, owner_type, owner_id, component_id, name, type),
  constraint series_type_check CHECK ((type = ANY (ARRAY['telemetry'::text, 'propertyReported'::text])))
);
CREATE UNIQUE INDEX series_slot ON series USING btree (stream_number, slot);

create table server_nodes (
  id uuid not null,
  beat bigint default 0 not null,
  died_at timestamp with time zone,
  constraint server_nodes_pkey PRIMARY KEY (id)
);

create table signing_keys (
  id text not null,
  public_jwk jsonb not null,
  private_jwk_sealed bytea not null,
  created_at timestamp with time zone default now() not null,
  constraint signing_keys_pkey PRIMARY KEY (id)
);

create table simulation_devices (
  simulation_id uuid not null,
  client_id text not null,
  made_client boolean not null,
  made_asset boolean not null,
  constraint simulation_devices_pkey PRIMARY KEY (simulation_id, client_id),
  constraint simulation_devices_simulation_id_fkey FOREIGN KEY (simulation_id) REFERENCES simulations(id) ON DELETE CASCADE
);

create table simulations (
  id uuid not null,
  tenant_id text not null,
  organization_id uuid not null,
  display_name text not null,
  description text,
  provider_id text not null,
  model_id text,
  device_count integer not null,
  device_id_prefix text not null,
  interval_seconds double precision not null,
  signals jsonb not null,
  state text default 'stopped'::text not null,
  started_by jsonb,
  started_at timestamp with time zone,
  faults jsonb default '[]'::jsonb not null,
  lease_node uuid,
  lease_until timestamp with time zone,
  connected integer default 0 not null,
  sent bigint default 0 not null,
  acknowledged bigint default 0 not null,
  errors bigint default 0 not null,
  last_error text,
  created_at timestamp with time zone default now() not null,
  methods jsonb default '[]'::jsonb not null,
  firmware jsonb,
  constraint simulations_pkey PRIMARY KEY (id),
  constraint simulations_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id) ON DELETE CASCADE,
  constraint simulations_state_check CHECK ((state = ANY (ARRAY['stopped'::text, 'starting'::text, 'running'::text, 'stopping'::text, 'deleting'::text]))),
  constraint simulations_tenant_id_device_id_prefix_key UNIQUE (tenant_id, device_id_prefix),
  constraint simulations_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id)
);
CREATE INDEX simulations_at_work ON simulations USING btree (id) WHERE (state <> 'stopped'::text);
CREATE INDEX simulations_organization ON simulations USING btree (organization_id);
CREATE INDEX simulations_tenant ON simulations USING btree (tenant_id, id);

create table streams (
  number integer generated always as identity not null,
  tenant_number integer not null,
  owner_type text not null,
  owner_id text not null,
  type text not null,
  series_count integer default 0 not null,
  last_hours integer[] default '{}'::integer[] not null,
  constraint streams_pkey PRIMARY KEY (number),
  constraint streams_owner_type_check CHECK ((owner_type = ANY (ARRAY['client'::text, 'asset'::text]))),
  constraint streams_tenant_number_fkey FOREIGN KEY (tenant_number) REFERENCES tenants(number),
  constraint streams_tenant_number_owner_type_owner_id_type_key UNIQUE (tenant_number, owner_type, owner_id, type),
  constraint streams_type_check CHECK ((type = ANY (ARRAY['telemetry'::text, 'propertyReported'::text])))
);

create table tenants (
  id text not null,
  number integer generated always as identity not null,
  display_name text not null,
  plan text default 'standard'::text not null,
  privileges text[] not null,
  telemetry_retention_days integer,
  created_at timestamp with time zone default now() not null,
  oidc_issuer text,
  oidc_audience text,
  oidc_client_id text,
  deletion_started_at timestamp with time zone,
  deletion_cleared_at timestamp with time zone,
  deletion_rows bigint default 0 not null,
  deletion_error text,
  rollup_retention_days integer,
  constraint tenants_pkey PRIMARY KEY (id),
  constraint tenants_number_key UNIQUE (number),
  constraint tenants_plan_check CHECK ((plan = ANY (ARRAY['standard'::text, 'enterprise'::text]))),
  constraint tenants_telemetry_retention_days_check CHECK ((telemetry_retention_days > 0))
);
CREATE UNIQUE INDEX tenants_oidc ON tenants USING btree (oidc_issuer, oidc_audience);
CREATE TRIGGER announce_access AFTER UPDATE ON tenants FOR EACH ROW WHEN ((old.privileges IS DISTINCT FROM new.privileges)) EXECUTE FUNCTION announce_tenant_access();

create table tree_edges (
  id uuid not null,
  tenant_id text not null,
  from_type text not null,
  from_id text not null,
  to_type text not null,
  to_id text not null,
  relation text default 'CONTAINS'::text not null,
  created_at timestamp with time zone default now() not null,
  constraint tree_edges_pkey PRIMARY KEY (id),
  constraint tree_edges_from_type_check CHECK ((from_type = ANY (ARRAY['node'::text, 'asset'::text, 'dashboard'::text]))),
  constraint tree_edges_relation_check CHECK ((relation = 'CONTAINS'::text)),
  constraint tree_edges_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id),
  constraint tree_edges_tenant_id_from_type_from_id_to_type_to_id_key UNIQUE (tenant_id, from_type, from_id, to_type, to_id),
  constraint tree_edges_to_type_check CHECK ((to_type = ANY (ARRAY['node'::text, 'asset'::text, 'dashboard'::text])))
);
CREATE UNIQUE INDEX tree_edges_node_once ON tree_edges USING btree (tenant_id, to_id) WHERE (to_type = 'node'::text);
CREATE INDEX tree_edges_target ON tree_edges USING btree (tenant_id, to_type, to_id);

create table tree_nodes (
  id uuid not null,
  tenant_id text not null,
  organization_id uuid not null,
  display_name text not null,
  description text,
  created_at timestamp with time zone default now() not null,
  constraint tree_nodes_pkey PRIMARY KEY (id),
  constraint tree_nodes_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  constraint tree_nodes_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id)
);
CREATE INDEX tree_nodes_tenant ON tree_nodes USING btree (tenant_id, id);

create table unreadable_batches (
  stream text not null,
  sequence bigint not null,
  partition integer not null,
  lane text not null,
  received_at timestamp with time zone not null,
  reason text not null,
  payload bytea not null,
  constraint unreadable_batches_pkey PRIMARY KEY (stream, sequence)
);

create table users (
  id uuid not null,
  tenant_id text not null,
  display_name text not null,
  email text,
  phone_number text,
  password_hash text,
  disabled_at timestamp with time zone,
  created_at timestamp with time zone default now() not null,
  oidc_issuer text,
  oidc_subject text,
  owns_email boolean default true not null,
  made_by_other boolean default true not null,
  constraint users_pkey PRIMARY KEY (id),
  constraint users_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id)
);
CREATE UNIQUE INDEX users_email ON users USING btree (lower(email)) WHERE owns_email;
CREATE UNIQUE INDEX users_oidc ON users USING btree (tenant_id, oidc_issuer, oidc_subject);
CREATE INDEX users_tenant ON users USING btree (tenant_id);
CREATE TRIGGER announce_access AFTER UPDATE ON users FOR EACH ROW WHEN ((old.disabled_at IS DISTINCT FROM new.disabled_at)) EXECUTE FUNCTION announce_user_access();
CREATE TRIGGER announce_access_of_deleted AFTER DELETE ON users FOR EACH ROW EXECUTE FUNCTION announce_user_access();

CREATE OR REPLACE FUNCTION announce_dashboard_access()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform pg_notify('gangway_access_changed', 'user ' || t.user_id)
    from (select distinct user_id from api_tokens where tenant_id = old.tenant_id and dashboard_id is not null) t;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION announce_tenant_access()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform pg_notify('gangway_access_changed', 'tenant ' || coalesce(to_jsonb(old) ->> 'tenant_id', to_jsonb(old) ->> 'id'));
  return null;
end $function$;

CREATE OR REPLACE FUNCTION announce_user_access()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform pg_notify('gangway_access_changed', 'user ' || coalesce(to_jsonb(old) ->> 'user_id', to_jsonb(old) ->> 'id'));
  return null;
end $function$;

CREATE OR REPLACE FUNCTION receiver_paused_until(name text)
 RETURNS timestamp with time zone
 LANGUAGE sql
 STABLE
AS $function$
  select retry_at from receiver_circuits where receiver = name and retry_at > now()
$function$;
