-- A browser that did not receive the answer to a refresh repeats the request. Its token then has two successors, which
-- are found by the token that they replace.
alter table refresh_tokens add parent_hash bytea, add repeated_at timestamptz;
create index refresh_tokens_parent on refresh_tokens (parent_hash) where parent_hash is not null;
-- A sign-in by an OIDC issuer ends at this time, so that a user who was removed there does not stay signed in here.
alter table refresh_token_families add expires_at timestamptz;
