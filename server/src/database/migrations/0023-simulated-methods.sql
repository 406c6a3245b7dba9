-- What its devices answer to direct methods, by name; to any other they answer what they were asked with.
alter table simulations add column methods jsonb not null default '[]';
