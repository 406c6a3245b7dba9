-- Versions of dashboards, also of deleted ones, and the drafts of their editors.
alter table dashboards add column version integer not null default 1;

create table dashboard_versions (
  -- Refers to no dashboard, since versions outlive it.
  dashboard_id uuid not null,
  version integer not null,
  tenant_id text not null references tenants,
  organization_id uuid not null,
  action text not null check (action in ('create', 'update', 'restore', 'delete')),
  -- Null for dashboards that are older than this table.
  user_id uuid,
  token_id uuid,
  created_at timestamptz not null default now(),
  display_name text not null,
  description text,
  -- Null for a deletion.
  data jsonb,
  data_bytes integer not null generated always as (coalesce(octet_length(data::text), 0)) stored,
  primary key (dashboard_id, version)
);
create index dashboard_versions_tenant on dashboard_versions (tenant_id);
create index dashboard_versions_deleted on dashboard_versions (tenant_id, dashboard_id) where action = 'delete';

insert into dashboard_versions
  (dashboard_id, version, tenant_id, organization_id, action, created_at, display_name, description, data)
  select id, 1, tenant_id, organization_id, 'create', created_at, display_name, description, data from dashboards;

create table dashboard_drafts (
  dashboard_id uuid not null references dashboards on delete cascade,
  user_id uuid not null references users on delete cascade,
  tenant_id text not null references tenants,
  -- The version that the draft changes.
  version integer not null,
  data jsonb not null,
  changed_at timestamptz not null default now(),
  primary key (dashboard_id, user_id)
);
create index dashboard_drafts_user on dashboard_drafts (user_id);
create index dashboard_drafts_tenant on dashboard_drafts (tenant_id);
