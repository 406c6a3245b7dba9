/** Lists tables from the catalogs, so that no table is forgotten and a backup works at any migration. */
import type pg from 'pg'

/** The second one belongs to graphile-worker. */
export const schemas = ['public', 'graphile_worker']

export interface Table {
  /** Quoted name with its schema. */
  name: string
  /** Quoted names, without generated columns. */
  columns: string[]
  /** The rows are in the partitions. */
  isPartitioned: boolean
  /** Set for a partition, which is created at run time and not by a migration. */
  partition: Partition | null
}

export interface Partition {
  parent: string
  /** `FOR VALUES …` or `DEFAULT`. */
  bound: string
  /** Partition key, such as `RANGE (time)`, if the partition has partitions itself. */
  key: string | null
  /** Indexes that the parent table does not have. */
  indexes: string[]
}

/** Lists parents before their partitions, and default partitions after the others. */
export async function listTables(client: pg.ClientBase): Promise<Table[]> {
  const { rows } = await client.query<Table>(
    `select format('%I.%I', n.nspname, c.relname) as name, c.relkind = 'p' as "isPartitioned",
       (select coalesce(array_agg(quote_ident(a.attname) order by a.attnum), '{}') from pg_attribute a
        where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '') as columns,
       case when c.relispartition then json_build_object(
         'parent', (select format('%I.%I', pn.nspname, p.relname) from pg_inherits i
           join pg_class p on p.oid = i.inhparent join pg_namespace pn on pn.oid = p.relnamespace where i.inhrelid = c.oid),
         'bound', pg_get_expr(c.relpartbound, c.oid),
         'key', pg_get_partkeydef(c.oid),
         'indexes', (select coalesce(json_agg(pg_get_indexdef(x.indexrelid)), '[]') from pg_index x
           where x.indrelid = c.oid and not exists (select from pg_inherits i where i.inhrelid = x.indexrelid))) end as partition
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname = any ($1) and c.relkind in ('r', 'p') and (n.nspname, c.relname) <> ('graphile_worker', 'migrations')
       and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')
     order by (select count(*) from pg_partition_ancestors(c.oid)), pg_get_expr(c.relpartbound, c.oid) is not distinct from 'DEFAULT', 1`,
    [schemas],
  )
  return rows
}
