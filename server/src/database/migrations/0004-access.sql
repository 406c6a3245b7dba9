-- Groups of users, and the tree of nodes and what they contain.

create table groups (
  id uuid primary key,
  tenant_id text not null references tenants,
  display_name text not null,
  description text,
  created_at timestamptz not null default now()
);
create index groups_tenant on groups (tenant_id, id);

create table tree_nodes (
  id uuid primary key,
  tenant_id text not null references tenants,
  organization_id uuid not null references organizations,
  display_name text not null,
  description text,
  created_at timestamptz not null default now()
);
create index tree_nodes_tenant on tree_nodes (tenant_id, id);

-- What a node hands down follows its `parent` tuples in `relations`; an edge is what the tree shows.
create table tree_edges (
  id uuid primary key,
  tenant_id text not null references tenants,
  from_type text not null check (from_type in ('node', 'asset', 'dashboard')),
  from_id text not null,
  to_type text not null check (to_type in ('node', 'asset', 'dashboard')),
  to_id text not null,
  relation text not null default 'CONTAINS' check (relation = 'CONTAINS'),
  created_at timestamptz not null default now(),
  unique (tenant_id, from_type, from_id, to_type, to_id)
);
create index tree_edges_target on tree_edges (tenant_id, to_type, to_id);
-- It is a tree of nodes: one stands in one other. Assets and dashboards may stand in several.
create unique index tree_edges_node_once on tree_edges (tenant_id, to_id) where to_type = 'node';
