-- The W3C trace that the device named with its message.
alter table dead_letters add column traceparent text;
