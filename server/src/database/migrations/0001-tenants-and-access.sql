-- Tenants, organizations, users and what they may do.

create table tenants (
  id text primary key,
  -- A small number stands for the tenant wherever rows are many (samples, series).
  number int generated always as identity unique,
  display_name text not null,
  plan text not null default 'standard' check (plan in ('standard', 'enterprise')),
  privileges text[] not null,
  telemetry_retention_days int check (telemetry_retention_days > 0),
  created_at timestamptz not null default now()
);

create table organizations (
  id uuid primary key,
  tenant_id text not null references tenants,
  parent_organization_id uuid references organizations,
  display_name text not null,
  description text,
  privileges text[] not null,
  created_at timestamptz not null default now()
);
create index organizations_tenant on organizations (tenant_id);

create table users (
  id uuid primary key,
  tenant_id text not null references tenants,
  display_name text not null,
  email text not null,
  phone_number text,
  password_hash text,
  disabled_at timestamptz,
  created_at timestamptz not null default now()
);
-- An email belongs to one user of the installation.
create unique index users_email on users (lower(email));
create index users_tenant on users (tenant_id);

-- Who stands in which relation to what. Ids that clients supply are unique within a tenant only, so every key begins
-- with it. The columns of the primary key follow the question "how does this subject stand to this object?".
create table relations (
  tenant_id text not null references tenants,
  subject_type text not null,
  subject_id text not null,
  resource_type text not null,
  resource_id text not null,
  relation text not null,
  created_at timestamptz not null default now(),
  primary key (tenant_id, resource_type, resource_id, subject_type, subject_id, relation)
);
-- Downwards: everything that a subject is related to.
create index relations_subject on relations (tenant_id, subject_type, subject_id, resource_type, relation, resource_id);
-- Upwards: what an object is in, however many relations it has. Also every object of a type, in the order of ids.
create index relations_parent on relations (tenant_id, resource_type, resource_id) include (subject_type, subject_id)
  where relation = 'parent';

create table refresh_token_families (
  id uuid primary key,
  user_id uuid not null references users on delete cascade,
  created_at timestamptz not null default now(),
  revoked_at timestamptz
);
create index refresh_token_families_user on refresh_token_families (user_id);
create table refresh_tokens (
  token_hash bytea primary key,
  family_id uuid not null references refresh_token_families on delete cascade,
  expires_at timestamptz not null,
  used_at timestamptz
);
create index refresh_tokens_family on refresh_tokens (family_id);

create table api_tokens (
  id uuid primary key,
  tenant_id text not null references tenants,
  user_id uuid not null references users on delete cascade,
  display_name text not null,
  secret_hash bytea not null,
  privileges text[],
  expires_at timestamptz,
  created_at timestamptz not null default now()
);
create index api_tokens_tenant on api_tokens (tenant_id);
create index api_tokens_user on api_tokens (user_id, id);

create table signing_keys (
  id text primary key,
  public_jwk jsonb not null,
  private_jwk_sealed bytea not null,
  created_at timestamptz not null default now()
);

-- Wrong passwords, counted per account and per address.
create table login_failures (
  key text primary key,
  failures int not null,
  last_failure_at timestamptz not null
);

create table audit_log (
  id uuid primary key,
  tenant_id text not null references tenants,
  at timestamptz not null default now(),
  actor_type text not null,
  actor_id text,
  action text not null,
  resource_type text not null,
  resource_id text not null,
  before jsonb,
  after jsonb,
  request_id text
);
create index audit_log_tenant on audit_log (tenant_id, id desc);
create index audit_log_resource on audit_log (tenant_id, resource_type, resource_id, id desc);
