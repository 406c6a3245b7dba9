/** Creates a second tenant that has the same ids as the first wherever ids are unique within a tenant, and lists the rows of a tenant. */
import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Tables } from '../../src/database/tables.ts'
import { listTenantTables } from '../../src/organizations/tenants/tenant-tables.ts'
import { adminPassword, type Api, logIn, type Platform } from './platform.ts'

/** Part of the names of all objects of the twin. */
export const OF_THE_TWIN = 'Of the twin'

/** Their ids are unique in the installation; the twin gets a row with a new id that refers to the same ids. */
const withNewIds = ['tree_edges', 'audit_log', 'alarm_statuses']

/** What a twin is made at. */
interface Home {
  makeTenant: Platform['makeTenant']
  ctx: { db: Kysely<Tables> }
}

/** A server that runs as a process of its own, as a home of twins. */
export const homeAt = (api: Api, db: Kysely<Tables>): Home => ({
  ctx: { db },
  makeTenant: async (id) => {
    const administrator = { displayName: 'Admin', email: `admin@${id}.example`, password: adminPassword }
    const operator = await logIn(api, 'admin@example.com', adminPassword)
    const { status } = await api(
      'POST',
      '/v1/tenants',
      { id, displayName: id, administrator },
      { token: operator },
    )
    if (status !== 201) throw new Error(`making a tenant answered ${status}`)
    const token = await logIn(api, administrator.email, adminPassword)
    const { body } = await api('GET', '/v1/organizations', undefined, { token })
    return { token, organizationId: body[0].id }
  },
})

/** A twin of the present content of tenant `default`. */
export async function makeTwin(platform: Home, id: string) {
  const { token, organizationId } = await platform.makeTenant(id)
  const { db } = platform.ctx
  const twin = { id, organizationId }
  const names = [...(await listTenantKeyed(db)), ...withNewIds]
  // Its clients are not connected to the broker.
  await sql`update providers set type = 'import' where tenant_id = ${id}`.execute(db)
  for (const { name } of (await listTenantTables(db)).toReversed())
    if (names.includes(name)) await copyRows(db, name, twin)
  await copyOfAssets(db, id)
  return { id, token, organizationId }
}

/** Tables whose key is (tenant, id), except for those that refer to rows of the installation. */
async function listTenantKeyed(db: Kysely<Tables>): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select c.relname as name from pg_constraint k
    join pg_class c on c.oid = k.conrelid
    join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id' and a.attnum = any(k.conkey)
    where k.contype = 'p' and c.relname <> 'alarm_holds'`.execute(db)
  return rows.map(({ name }) => name)
}

async function copyRows(db: Kysely<Tables>, table: string, twin: { id: string; organizationId: string }) {
  const { rows } = await sql<{ name: string }>`
    select attname as name from pg_attribute
    where attrelid = ${table}::regclass and attnum > 0 and not attisdropped and attidentity = '' and attgenerated = ''`.execute(
    db,
  )
  const columns = sql.join(rows.map(({ name }) => sql.ref(name)))
  const values = sql.join(rows.map(({ name }) => valueIn(table, name, twin)))
  // Ids of organizations are unique in the installation: the twin's root replaces all of them.
  const where =
    table === 'relations' ? sql`and resource_type not in ('environment', 'tenant', 'organization')` : sql``
  await sql`insert into ${sql.table(table)} (${columns}) select ${values} from ${sql.table(table)}
    where tenant_id = 'default' ${where} on conflict do nothing`.execute(db)
}

function valueIn(
  table: string,
  column: string,
  twin: { id: string; organizationId: string },
): RawBuilder<unknown> {
  if (column === 'tenant_id') return sql`${twin.id}::text`
  if (column === 'organization_id') return sql`${twin.organizationId}::uuid`
  if (column === 'display_name') return sql`${OF_THE_TWIN}::text`
  // Ids of clients of the broker are unique in the installation.
  if (column === 'on_broker') return sql`false`
  // Sealed values are bound to their row.
  if (column.endsWith('_sealed')) return sql`null::bytea`
  // Records before and after a change contain ids of the first tenant only.
  if (table === 'audit_log' && ['before', 'after'].includes(column)) return sql`null::jsonb`
  if (column === 'id' && withNewIds.includes(table)) return sql`gen_random_uuid()`
  if (column === 'subject_id')
    return sql`case subject_type when 'organization' then ${twin.organizationId} when 'tenant' then ${twin.id} else subject_id end`
  return sql.ref(column)
}

/** Tables that refer to the number of an asset, which differs in the twin. */
async function copyOfAssets(db: Kysely<Tables>, tenantId: string) {
  await sql`
    insert into asset_bindings (asset_number, component_id, kind, name, origin)
    select own.number, b.component_id, b.kind, b.name, b.origin from asset_bindings b
    join assets a on a.number = b.asset_number and a.tenant_id = 'default'
    join assets own on own.tenant_id = ${tenantId} and own.id = a.id`.execute(db)
  await sql`
    insert into asset_binding_remotes (asset_number, component_id, kind, name, place, remote_name, tenant_id,
      instance_type, instance_id, remote_component_id, remote_endpoint_name)
    select own.number, r.component_id, r.kind, r.name, r.place, r.remote_name, ${tenantId},
      r.instance_type, r.instance_id, r.remote_component_id, r.remote_endpoint_name from asset_binding_remotes r
    join assets a on a.number = r.asset_number and a.tenant_id = 'default'
    join assets own on own.tenant_id = ${tenantId} and own.id = a.id`.execute(db)
  await sql`
    insert into streams (tenant_number, owner_type, owner_id, type, series_count)
    select t.number, s.owner_type, s.owner_id, s.type, s.series_count from streams s
    join tenants d on d.number = s.tenant_number and d.id = 'default', tenants t
    where t.id = ${tenantId}`.execute(db)
  await sql`
    insert into series (tenant_number, owner_type, owner_id, component_id, name, type, stream_number, slot)
    select t.number, s.owner_type, s.owner_id, s.component_id, s.name, s.type, own.number, s.slot from series s
    join tenants d on d.number = s.tenant_number and d.id = 'default' join tenants t on t.id = ${tenantId}
    join streams own on own.tenant_number = t.number and own.owner_type = s.owner_type
      and own.owner_id = s.owner_id and own.type = s.type`.execute(db)
}

/** All rows of a tenant, by table; tables without any are left out. */
export async function readTenant(db: Kysely<Tables>, id: string): Promise<Record<string, string[]>> {
  const { number } = await db
    .selectFrom('tenants')
    .select('number')
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  return readRows(db, { id, number })
}

/** The same for a deleted tenant. The tables are read from the catalogue; partitions are read through their root. */
export async function readRows(db: Kysely<Tables>, { id, number }: { id: string; number: number }) {
  const { rows: tables } = await sql<{ name: string; column: string }>`
    select c.relname as name, a.attname as column from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attname in ('tenant_id', 'tenant_number')
    where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
    order by 1`.execute(db)
  const found: Record<string, string[]> = {}
  for (const { name, column } of tables) {
    const { rows } = await sql<{ text: string }>`
      select to_jsonb(t)::text as text from ${sql.table(name)} t
      where t.${sql.ref(column)} = ${column === 'tenant_id' ? id : number} order by 1`.execute(db)
    if (rows.length > 0) found[name] = rows.map(({ text }) => text)
  }
  return found
}
