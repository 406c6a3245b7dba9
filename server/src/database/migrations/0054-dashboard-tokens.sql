-- API tokens that are limited to what one dashboard shows.
alter table api_tokens add column dashboard_id uuid references dashboards on delete cascade;
create index api_tokens_dashboard on api_tokens (dashboard_id, id) where dashboard_id is not null;

-- A changed dashboard may show less than before, also inside of another one: who watches with such a token is checked again.
create function announce_dashboard_access() returns trigger language plpgsql as $$
begin
  perform pg_notify('gangway_access_changed', 'user ' || t.user_id)
    from (select distinct user_id from api_tokens where tenant_id = old.tenant_id and dashboard_id is not null) t;
  return null;
end $$;

create trigger announce_access after delete or update of data on dashboards
  for each row execute function announce_dashboard_access();
