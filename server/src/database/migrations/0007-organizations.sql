-- What organizations have besides a name: contacts and templates.

alter table organizations
  add contacts jsonb not null default '{"notifications": {"userGroups": [], "users": []}}';
-- A tenant's root organizations; the oldest is the one that it came with.
create index organizations_roots on organizations (tenant_id, id) where parent_organization_id is null;

create table organization_templates (
  id uuid primary key,
  tenant_id text not null references tenants,
  display_name text not null,
  description text,
  -- null: all that the organization may have where it is created.
  privileges text[],
  contacts jsonb not null default '{"notifications": {"userGroups": [], "users": []}}',
  created_at timestamptz not null default now()
);
create index organization_templates_tenant on organization_templates (tenant_id, id);
