-- Files and JSON documents. A document is json, not jsonb: it comes back as it was written, its keys in their order.
create table resource_items (
  id uuid primary key,
  tenant_id text not null references tenants,
  organization_id uuid not null references organizations,
  display_name text not null,
  description text,
  tags jsonb not null default '{}',
  document json,
  -- Where the file's bytes are; another file is another key.
  file_key uuid unique,
  original_file_name text,
  content_type text not null,
  size bigint not null,
  sha256 text not null,
  created_at timestamptz not null default now(),
  created_by uuid not null,
  changed_at timestamptz not null default now(),
  changed_by uuid not null,
  check ((document is null) <> (file_key is null)),
  check ((file_key is null) = (original_file_name is null))
);
create index resource_items_tenant on resource_items (tenant_id, id);
create index resource_items_organization on resource_items (organization_id, id);
create index resource_items_tags on resource_items using gin (tags jsonb_path_ops);
create index resource_items_themes on resource_items (tenant_id, organization_id, id)
  where tags ? 'theme' and document is not null;
