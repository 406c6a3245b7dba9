-- Aggregates of buckets of 5 minutes and of an hour, for each series of a piece that has many numbers and nothing else.
-- `rollup_ends` has two entries for each entry of `sections`: the offsets after its buckets of 5 minutes and after those of
-- an hour. Both columns are null where no series of the piece has rollups, and in pieces that were packed earlier.
alter table packed_rows add column rollup_ends int[], add column rollups bytea;
-- They are compressed already, and those of one series can be read alone.
alter table packed_rows alter rollups set storage external;
