create table dashboards (
  id uuid primary key,
  tenant_id text not null references tenants,
  organization_id uuid not null references organizations,
  display_name text not null,
  description text,
  data jsonb not null default '{}',
  created_at timestamptz not null default now()
);
create index dashboards_tenant on dashboards (tenant_id, id);
create index dashboards_organization on dashboards (organization_id, id);
