-- Whoever watches something live hears when somebody may have lost a permission, whichever process took it away.
-- Equal notices of one transaction are one.
create function announce_tenant_access() returns trigger language plpgsql as $$
begin
  perform pg_notify('gangway_access_changed', 'tenant ' || coalesce(to_jsonb(old) ->> 'tenant_id', to_jsonb(old) ->> 'id'));
  return null;
end $$;

create function announce_user_access() returns trigger language plpgsql as $$
begin
  perform pg_notify('gangway_access_changed', 'user ' || coalesce(to_jsonb(old) ->> 'user_id', to_jsonb(old) ->> 'id'));
  return null;
end $$;

create trigger announce_access after delete or update on relations
  for each row execute function announce_tenant_access();
create trigger announce_access after update on organizations
  for each row when (old.privileges is distinct from new.privileges) execute function announce_tenant_access();
create trigger announce_access after update on tenants
  for each row when (old.privileges is distinct from new.privileges) execute function announce_tenant_access();

create trigger announce_access after update on users
  for each row when (old.disabled_at is distinct from new.disabled_at) execute function announce_user_access();
create trigger announce_access_of_deleted after delete on users
  for each row execute function announce_user_access();
create trigger announce_access after update on refresh_token_families
  for each row when (old.revoked_at is distinct from new.revoked_at) execute function announce_user_access();
create trigger announce_access after delete on api_tokens
  for each row execute function announce_user_access();
