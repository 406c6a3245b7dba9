import { expect, test } from 'vitest'
import { emptyDatabase, testDatabase } from '../../test/harness/database.ts'
import { describeSchema } from './describe-schema.ts'

const statements = `
  create type mood as enum ('happy', 'a ''bit'' sad');
  create domain short as text not null check (length(value) < 10);
  create table devices (
    id uuid primary key,
    number int generated always as identity,
    name text collate "C" default 'none' not null,
    long_name text generated always as (name || '!') stored,
    feels mood,
    dropped int,
    unique (name),
    check (name <> '')
  );
  alter table devices drop column dropped;
  create index devices_feels on devices (feels) include (name) where feels is not null;
  create table samples (at timestamptz not null, device uuid references devices on delete cascade, value float8)
    partition by range (at);
  create table samples_rest partition of samples default;
  create table samples_2026 partition of samples for values from ('2026-01-01') to ('2027-01-01');
  create view answers as select 42 as answer;
  create function touch() returns trigger language plpgsql as $$ begin return new; end $$;
  create trigger touched before update on devices for each row execute function touch();`

const described = `create type mood as enum ('happy', 'a ''bit'' sad');

create domain short as text not null CHECK ((length(VALUE) < 10));

create table devices (
  id uuid not null,
  number integer generated always as identity not null,
  name text collate "C" default 'none'::text not null,
  long_name text generated always as ((name || '!'::text)) stored,
  feels mood,
  constraint devices_pkey PRIMARY KEY (id),
  constraint devices_name_check CHECK ((name <> ''::text)),
  constraint devices_name_key UNIQUE (name)
);
CREATE INDEX devices_feels ON devices USING btree (feels) INCLUDE (name) WHERE (feels IS NOT NULL);
CREATE TRIGGER touched BEFORE UPDATE ON devices FOR EACH ROW EXECUTE FUNCTION touch();

create table samples (
  at timestamp with time zone not null,
  device uuid,
  value double precision,
  constraint samples_device_fkey FOREIGN KEY (device) REFERENCES devices(id) ON DELETE CASCADE
) partition by RANGE (at);

create table samples_rest (
  at timestamp with time zone not null,
  device uuid,
  value double precision,
  constraint samples_device_fkey FOREIGN KEY (device) REFERENCES devices(id) ON DELETE CASCADE
); -- partition of samples DEFAULT

create view answers as
 SELECT 42 AS answer;

CREATE OR REPLACE FUNCTION touch()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$ begin return new; end $function$;
`

test('describes everything that migrations made, and no partition that a running server made', async () => {
  await using database = await emptyDatabase()
  await database.pool.query(statements)
  expect(await describeSchema(database.pool)).toBe(described)
})

test('is the same for every database with the same migrations', async () => {
  await using one = await testDatabase()
  await using other = await testDatabase()
  const text = await describeSchema(one.pool)
  expect(text).toContain('create table tenants (')
  expect(await describeSchema(other.pool)).toBe(text)
})
