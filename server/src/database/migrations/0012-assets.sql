create table assets (
  -- Stands for the asset wherever rows are many.
  number int generated always as identity unique,
  tenant_id text not null references tenants,
  id text not null,
  model_id text not null,
  organization_id uuid not null references organizations,
  display_name text not null,
  description text,
  -- Endpoints that neither autobind nor a binding description binds: `component/kind/name`.
  ignored_endpoints text[] not null default '{}',
  created_at timestamptz not null default now(),
  foreign key (tenant_id, model_id) references models,
  primary key (tenant_id, id)
);
create index assets_model on assets (tenant_id, model_id, id);

-- What an asset is and is to be, as its bindings bring it from its devices and to them.
create table asset_twins (
  asset_number int primary key references assets (number) on delete cascade,
  reported jsonb not null default '{}',
  reported_version bigint not null default 0,
  reported_at timestamptz,
  desired jsonb not null default '{}',
  desired_version bigint not null default 0,
  desired_at timestamptz
);

create table binding_descriptions (
  tenant_id text not null references tenants,
  id text not null,
  organization_id uuid not null references organizations,
  display_name text not null,
  description text,
  model_id text not null,
  bindings jsonb not null,
  -- Made by the platform for an asset model and a type of provider.
  is_generated boolean not null default false,
  created_at timestamptz not null default now(),
  foreign key (tenant_id, model_id) references models,
  primary key (tenant_id, id)
);

-- A local endpoint of an asset, and how its value comes from remote ones. The root component is ''.
create table asset_bindings (
  asset_number int not null references assets (number) on delete cascade,
  component_id text not null,
  kind text not null check (kind in ('telemetry', 'property', 'command')),
  name text not null,
  binding_type text not null default 'default',
  transform jsonb,
  inverse_transform jsonb,
  origin text not null check (origin in ('explicit', 'description', 'autobind')),
  binding_description_id text,
  -- Why its last value could not be kept under the asset; it is under the provider client then.
  error text,
  error_at timestamptz,
  primary key (asset_number, component_id, kind, name)
);

create table asset_binding_remotes (
  asset_number int not null,
  component_id text not null,
  kind text not null,
  name text not null,
  place smallint not null,
  -- What the transforms call its value.
  remote_name text not null,
  tenant_id text not null,
  instance_type text not null check (instance_type in ('client', 'asset')),
  instance_id text not null,
  remote_component_id text not null,
  remote_endpoint_name text not null,
  foreign key (asset_number, component_id, kind, name) references asset_bindings on delete cascade,
  primary key (asset_number, component_id, kind, name, place)
);
create index asset_binding_remotes_instance on asset_binding_remotes (tenant_id, instance_type, instance_id);
