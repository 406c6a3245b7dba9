/**
 * Lists the tables with rows of tenants, in an order in which they can be deleted. They are read from the catalog, so
 * that a new table is not forgotten. Tables without a tenant column are deleted through their foreign keys.
 */
import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Tables } from '../../database/tables.ts'

export interface TenantTable {
  name: string
  column: 'tenant_id' | 'tenant_number'
  /** Foreign keys within the table: the referring column and the referenced one. */
  self: { from: string; to: string }[]
  /** Other tables that its rows reference. */
  refersTo: string[]
}

/** Identifies a tenant for both kinds of columns. */
export interface TenantKey {
  id: string
  number: number
}

const tenantKey = (table: TenantTable, tenant: TenantKey) =>
  table.column === 'tenant_id' ? tenant.id : tenant.number

/**
 * Lists each table before the tables that it references. Partitioned tables are left out; `listPartitions` lists their
 * partitions.
 */
export async function listTenantTables(db: Kysely<Tables>): Promise<TenantTable[]> {
  const { rows } = await sql<TenantTable>`
    select c.relname as name, a.attname as column,
      array(select f.confrelid::regclass::text from pg_constraint f
        where f.contype = 'f' and f.conrelid = c.oid and f.confrelid <> c.oid) as "refersTo",
      coalesce((select json_agg(json_build_object('from', l.attname, 'to', r.attname)) from pg_constraint f
        join pg_attribute l on l.attrelid = c.oid and l.attnum = f.conkey[1]
        join pg_attribute r on r.attrelid = c.oid and r.attnum = f.confkey[1]
        where f.contype = 'f' and f.conrelid = c.oid and f.confrelid = c.oid), '[]') as self
    from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attname in ('tenant_id', 'tenant_number') and not a.attisdropped
    where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r' and not c.relispartition
    order by c.relname`.execute(db)
  const ordered: TenantTable[] = []
  for (let left = rows; left.length > 0;) {
    const next = left.find((table) => !left.some((other) => other.refersTo.includes(table.name)))
    if (!next)
      throw new Error(`tables reference each other in a cycle: ${left.map(({ name }) => name).join(', ')}`)
    ordered.push(next)
    left = left.filter((table) => table !== next)
  }
  return ordered
}

/** @returns the number of deleted rows; fewer than the limit if none is left */
export async function deleteRows(
  tx: Kysely<Tables>,
  table: TenantTable,
  tenant: TenantKey,
  limit: number,
): Promise<number> {
  // Rows that other rows of the table reference are deleted after these.
  const isReferred = table.self.map(
    ({ from, to }) => sql`and not exists (select from ${sql.table(table.name)} other
      where other.${sql.ref(from)} = t.${sql.ref(to)} and other.ctid <> t.ctid)`,
  )
  const { numAffectedRows } = await sql`
    delete from ${sql.table(table.name)} where ctid = any(array(
      select t.ctid from ${sql.table(table.name)} t
      where t.${sql.ref(table.column)} = ${tenantKey(table, tenant)} ${joinConditions(isReferred)} limit ${limit}))`.execute(
    tx,
  )
  return Number(numAffectedRows)
}

const joinConditions = (parts: RawBuilder<unknown>[]) => (parts.length > 0 ? sql.join(parts, sql` `) : sql``)

/** @param atMost the greatest number of rows to count */
export async function countRows(
  db: Kysely<Tables>,
  table: TenantTable,
  tenant: TenantKey,
  atMost: number,
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from (
      select from ${sql.table(table.name)} t where t.${sql.ref(table.column)} = ${tenantKey(table, tenant)} limit ${atMost}
    ) found`.execute(db)
  return rows[0]!.count
}

/** Lists partitions that hold rows of all tenants. */
export async function listSharedPartitions(db: Kysely<Tables>): Promise<TenantTable[]> {
  const { rows } = await sql<{ name: string }>`
    select c.relname as name from pg_inherits i
    join pg_class c on c.oid = i.inhrelid and c.relkind = 'r'
    join pg_partitioned_table p on p.partrelid = i.inhparent and p.partstrat = 'r'
    join pg_class parent on parent.oid = i.inhparent and not parent.relispartition
    join pg_attribute a on a.attrelid = i.inhparent and a.attname = 'tenant_number'
    where parent.relnamespace = current_schema()::regnamespace order by 1`.execute(db)
  return rows.map(({ name }) => ({ name, column: 'tenant_number', self: [], refersTo: [] }))
}

/** Partitions that hold rows of this tenant alone. */
export async function listPartitions(db: Kysely<Tables>, { number }: TenantKey): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select c.relname as name from pg_inherits i
    join pg_class c on c.oid = i.inhrelid
    join pg_attribute a on a.attrelid = i.inhparent and a.attname = 'tenant_number'
    join pg_class p on p.oid = i.inhparent
    where p.relnamespace = current_schema()::regnamespace
      and pg_get_expr(c.relpartbound, c.oid) = ${`FOR VALUES IN (${number})`}
    order by 1`.execute(db)
  return rows.map(({ name }) => name)
}
