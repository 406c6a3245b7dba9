-- A key is always looked up within a tenant. Without the tenant in the index, a plan made before the table has statistics
-- may read all certificates of the tenant for each key.
create index device_certificates_key on device_certificates (tenant_id, public_key_fingerprint);
drop index device_certificates_public_key;
