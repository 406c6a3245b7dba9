-- A piece with few rows is packed again each day. With the usual settings, the space of its former versions would be free
-- for others once a fifth of all pieces is dead: where most pieces are those of fast series, that takes weeks.
alter table packed_rows set (
  autovacuum_vacuum_threshold = 500, autovacuum_vacuum_scale_factor = 0.02,
  toast.autovacuum_vacuum_threshold = 500, toast.autovacuum_vacuum_scale_factor = 0.02
);
