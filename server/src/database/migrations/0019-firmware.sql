create table firmware_releases (
  id uuid primary key,
  tenant_id text not null references tenants,
  organization_id uuid not null references organizations,
  display_name text not null,
  description text,
  -- [{id, displayName}] and [{key, value}], as they were given.
  starting_models jsonb not null default '[]',
  property_values jsonb not null default '[]',
  -- Nothing holds the file back: deleting a resource by force may break what names it. [interface, shared resources]
  file_resource_id uuid,
  file_name text,
  created_at timestamptz not null default now()
);
create index firmware_releases_tenant on firmware_releases (tenant_id, id);
create index firmware_releases_file on firmware_releases (file_resource_id);

create table deployment_templates (
  id uuid primary key,
  tenant_id text not null references tenants,
  organization_id uuid not null references organizations,
  display_name text not null,
  description text,
  version text,
  steps jsonb not null,
  status jsonb not null,
  created_at timestamptz not null default now()
);
create index deployment_templates_tenant on deployment_templates (tenant_id, id);

create table deployments (
  id uuid primary key,
  tenant_id text not null references tenants,
  organization_id uuid not null references organizations,
  display_name text not null,
  description text,
  -- Both may be changed or deleted afterwards: the plan is what they said.
  deployment_template_id uuid not null,
  release_id uuid not null,
  plan jsonb not null,
  rollout jsonb not null,
  timeout_seconds int,
  status text not null check (status in ('Ready', 'Running', 'Paused', 'Stopped', 'Cancelled', 'Completed')),
  status_message text,
  -- The last wave that was begun; 0 before the first.
  wave smallint not null default 0,
  created_at timestamptz not null default now(),
  started_at timestamptz,
  ended_at timestamptz
);
create index deployments_tenant on deployments (tenant_id, id);
create index deployments_going on deployments (id) where ended_at is null;

-- One client's part in a deployment.
create table firmware_updates (
  id uuid primary key,
  tenant_id text not null references tenants,
  deployment_id uuid not null references deployments on delete cascade,
  client_number int not null references provider_clients (number) on delete cascade,
  kind text not null check (kind in ('update', 'rollback')),
  -- The order of the rollout, random and stable. 0 for clients that take no part.
  place int not null,
  wave smallint not null,
  state text not null check (state in ('Ready', 'Running', 'Succeeded', 'Failed', 'Rejected', 'Cancelled')),
  -- Counted from 1; 0 before the first. A step that is due has not been set on the client yet.
  current_step smallint not null default 0,
  step_due boolean not null default false,
  -- What the status property said when the step was set: saying it again says nothing.
  status_before jsonb,
  status_value jsonb,
  logs jsonb not null default '[]',
  -- The desired properties that the update changes, as they were.
  desired_before jsonb,
  -- Of a rollback: the deployment whose release goes back; none where the desired properties do.
  back_to_deployment_id uuid references deployments on delete set null,
  retry_at timestamptz,
  created_at timestamptz not null default now(),
  started_at timestamptz,
  step_set_at timestamptz,
  ended_at timestamptz,
  unique (deployment_id, client_number, kind)
);
-- One at a time on a client; ingest asks it of every client that reports.
create unique index firmware_updates_running on firmware_updates (client_number) where state = 'Running';
create index firmware_updates_deployment on firmware_updates (deployment_id, kind, state, wave, place);
create index firmware_updates_client on firmware_updates (client_number, deployment_id);
