-- Revocation lists of authorities.
alter table certificate_authorities
  add column revocation_reason text,
  -- The last list, DER.
  add column crl bytea,
  add column crl_made_at timestamptz,
  add column crl_next_update timestamptz,
  -- Whether a certificate was revoked since.
  add column crl_outdated boolean not null default false;

-- The events that a webhook receives.
alter table provider_webhooks add column events text[] not null default '{device.deleted}';

-- When a sixth of the life of a certificate is left. Times without time zone make the expression immutable.
create index device_certificates_expiring on device_certificates
  (((not_after at time zone 'UTC') - (not_after - not_before) / 6))
  where expiry_announced_at is null and superseded_at is null and revoked_at is null;
-- The certificates of an authority that was revoked, until each is marked.
create index device_certificates_not_revoked on device_certificates (authority_id) where revoked_at is null;
