-- Tenants that sign in with an issuer of their own.
alter table tenants add oidc_issuer text, add oidc_audience text, add oidc_client_id text;
-- A token names issuer and audience, and with them its tenant.
create unique index tenants_oidc on tenants (oidc_issuer, oidc_audience);

-- Who the issuer's user is here. An issuer need not tell an email.
alter table users add oidc_issuer text, add oidc_subject text, alter email drop not null;
create unique index users_oidc on users (tenant_id, oidc_issuer, oidc_subject);
