create table models (
  tenant_id text not null references tenants,
  id text not null,
  organization_id uuid not null references organizations,
  display_name text not null,
  description text,
  -- json, not jsonb: it comes back as it was written, its keys in their order.
  definition json not null,
  definition_bytes integer not null,
  created_at timestamptz not null default now(),
  primary key (tenant_id, id)
);

-- What a definition names in `extends` and as the schema of components.
create table model_references (
  tenant_id text not null,
  model_id text not null,
  used_model_id text not null,
  primary key (tenant_id, model_id, used_model_id),
  foreign key (tenant_id, model_id) references models on delete cascade,
  foreign key (tenant_id, used_model_id) references models
);
create index model_references_used on model_references (tenant_id, used_model_id);
