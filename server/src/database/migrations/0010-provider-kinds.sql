-- How to reach the hub behind a provider of type iothub.
alter table providers add column connection_string_sealed bytea;
