-- Only a user who owns an email signs in with it. An OIDC user whose email is not verified, or belongs to a user of
-- another tenant, shows the email without owning it, so that it stays free for its real owner.
alter table users add owns_email boolean not null default true;
drop index users_email;
create unique index users_email on users (lower(email)) where owns_email;

-- Whoever made a user knows the first password of that user. Only the first administrator is made by nobody else.
alter table users add made_by_other boolean not null default true;
update users set made_by_other = false where id = (select id from users order by created_at, id limit 1);
