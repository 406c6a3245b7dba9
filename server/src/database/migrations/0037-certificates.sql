-- Certificates of devices, and the authorities that issue them.

-- Each tenant has a root and an issuing authority. Retired issuing authorities stay trusted until they expire.
create table certificate_authorities (
  id uuid primary key,
  tenant_id text not null references tenants,
  kind text not null check (kind in ('root', 'issuing')),
  origin text not null default 'built_in' check (origin in ('built_in', 'imported')),
  subject text not null,
  certificate bytea not null,
  -- The certificates above it, up to the root. DER, like all certificates here.
  chain bytea[] not null default '{}',
  -- PKCS #8 in base64. Null for an imported root.
  key_sealed bytea,
  not_before timestamptz not null,
  not_after timestamptz not null,
  status text not null default 'active' check (status in ('active', 'retired', 'revoked')),
  -- Number of the last revocation list.
  crl_number bigint not null default 0,
  created_at timestamptz not null default now(),
  retired_at timestamptz,
  revoked_at timestamptz
);
create unique index certificate_authorities_active on certificate_authorities (tenant_id, kind)
  where status = 'active';
create index certificate_authorities_tenant on certificate_authorities (tenant_id, id);

create table certificate_settings (
  enrollment_group_id uuid primary key references enrollment_groups on delete cascade,
  tenant_id text not null references tenants,
  enabled boolean not null,
  minimum_tier int not null check (minimum_tier between 1 and 3),
  -- PEM, one certificate each.
  manufacturer_cas text[] not null,
  validity_days int not null,
  renewal_grace_days int not null default 0
);
create index certificate_settings_tenant on certificate_settings (tenant_id);

create table device_certificates (
  id uuid primary key,
  tenant_id text not null references tenants,
  -- Null after the group was deleted: the certificate stays on the revocation list.
  enrollment_group_id uuid references enrollment_groups on delete set null,
  device_id text collate "C" not null,
  authority_id uuid not null references certificate_authorities,
  -- Lower-case hexadecimal.
  serial_number text collate "C" not null,
  -- SHA-256 of the certificate.
  fingerprint bytea not null,
  -- SHA-256 of the SubjectPublicKeyInfo.
  public_key_fingerprint bytea not null,
  -- SHA-256 of the certificate request, so that a repeated request gets the same certificate.
  request_fingerprint bytea,
  certificate bytea not null,
  -- How the device proved its identity: 1 bootstrap key, 2 derived key, 3 manufacturer certificate.
  tier int not null check (tier between 1 and 3),
  not_before timestamptz not null,
  not_after timestamptz not null,
  issued_at timestamptz not null default now(),
  -- The first connection with it.
  connected_at timestamptz,
  -- Another certificate of the device has connected since.
  superseded_at timestamptz,
  revoked_at timestamptz,
  revocation_reason text,
  expiry_announced_at timestamptz
) with (fillfactor = 90);
create unique index device_certificates_fingerprint on device_certificates (fingerprint);
create unique index device_certificates_serial_number on device_certificates (authority_id, serial_number);
create index device_certificates_device on device_certificates (tenant_id, device_id, issued_at);
create index device_certificates_public_key on device_certificates (public_key_fingerprint);
create index device_certificates_expiry on device_certificates (tenant_id, not_after);
create index device_certificates_group on device_certificates (enrollment_group_id);
create index device_certificates_revoked on device_certificates (authority_id) where revoked_at is not null;
