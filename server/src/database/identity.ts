/**
 * An expression in SQL that identifies the database. A physical copy (of its files, a replica) has the same identity, and a
 * restored backup has another.
 */
export const databaseIdentity = `
  select (select system_identifier from pg_control_system()) || ' ' || oid
  from pg_database where datname = current_database()`
