-- Pages of dashboards end by their size, without reading the data of those that do not fit.
alter table dashboards add column data_bytes integer not null generated always as (octet_length(data::text)) stored;
