-- A piece may have the rows of several days, where they are few. `day_values` then has the number of values of each day (UTC)
-- from that of `first_time` on; it is null in a piece of one day.
alter table packed_rows add column day_values smallint[];
