create table method_templates (
  -- Generated, and text: to access they are provider templates, whose ids are text.
  id text primary key,
  tenant_id text not null references tenants,
  organization_id uuid not null references organizations,
  display_name text not null,
  description text,
  method text not null,
  component_id text,
  payload jsonb,
  timeout_seconds int,
  created_at timestamptz not null default now()
);
create index method_templates_tenant on method_templates (tenant_id, id);
