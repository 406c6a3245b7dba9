/** Empties a database table by table, since one statement cannot lock thousands of partitions. */
import type pg from 'pg'
import { unfinishedRestore } from '../../database/unfinished-restore.ts'
import { listTables } from './list-tables.ts'

export async function isEmpty(client: pg.ClientBase): Promise<boolean> {
  return (await listTables(client)).length === 0
}

/** Only a database of Gangway may be emptied: DATABASE_URL may point to that of another application by mistake. */
export async function belongsToGangway(client: pg.ClientBase): Promise<boolean> {
  const tables = (await listTables(client)).map(({ name }) => name)
  const own = ['public.schema_migrations', 'public.tenants', 'public.signing_keys']
  return own.every((name) => tables.includes(name))
}

/** Drops everything except the mark of an unfinished restore. */
export async function wipeDatabase(client: pg.ClientBase): Promise<void> {
  for (const { name } of (await listTables(client)).toReversed())
    if (name !== unfinishedRestore) await client.query(`drop table if exists ${name} cascade`)
  await client.query('drop schema if exists graphile_worker cascade')
  const { rows } = await client.query<{ statement: string }>(remains)
  for (const { statement } of rows) await client.query(statement)
}

const isOwn = (catalog: string, oid: string) =>
  `not exists (select from pg_depend d where d.classid = '${catalog}'::regclass and d.objid = ${oid} and d.deptype in ('e', 'i', 'a'))`

const remains = `
  select format('drop %s if exists public.%I cascade',
           case relkind when 'v' then 'view' when 'm' then 'materialized view' else 'sequence' end, relname) as statement
  from pg_class where relnamespace = 'public'::regnamespace and relkind in ('v', 'm', 'S') and ${isOwn('pg_class', 'pg_class.oid')}
  union all
  select format('drop routine if exists %s cascade', oid::regprocedure)
  from pg_proc where pronamespace = 'public'::regnamespace and ${isOwn('pg_proc', 'pg_proc.oid')}
  union all
  select format('drop type if exists public.%I cascade', typname)
  from pg_type where typnamespace = 'public'::regnamespace and typtype in ('e', 'd') and ${isOwn('pg_type', 'pg_type.oid')}`
