-- An API token that was made with another one ends with it. Each deleted child is announced like its parent.
alter table api_tokens add parent_id uuid references api_tokens on delete cascade;
create index api_tokens_parent on api_tokens (parent_id) where parent_id is not null;
