-- How its devices play firmware updates; without it they only report what is desired of them.
alter table simulations add column firmware jsonb;
