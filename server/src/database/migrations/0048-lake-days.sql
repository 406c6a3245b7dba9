-- The days that this database has written to the lake. Files of other days there belong to a database that was lost or
-- restored to an earlier state, and are kept.
create table lake_days (
  tenant_number int not null references tenants (number) on delete cascade,
  day date not null,
  primary key (tenant_number, day)
);
