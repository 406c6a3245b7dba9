/** Bindings connect an asset's endpoints to endpoints of provider clients and other assets. */
import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../database/tables.ts'
import type { Endpoint, LocalEndpoint } from '../endpoints.ts'

export type InstanceType = 'client' | 'asset'
export type BindingOrigin = 'explicit' | 'description' | 'autobind'

export interface Remote extends Endpoint {
  /** The name of its value in the transforms. */
  remoteName: string
  instanceType: InstanceType
}

export interface Binding extends LocalEndpoint {
  assetNumber: number
  assetId: string
  bindingType: string
  /** JSONLogic over the remote values; null passes the value on unchanged. */
  transform: unknown
  inverseTransform: unknown
  origin: BindingOrigin
  bindingDescriptionId: string | null
  /** At least one remote, in the order of the request. */
  remotes: Remote[]
  error: string | null
  errorAt: Date | null
}

interface BindingRow {
  asset_number: number
  asset_id: string
  component_id: string
  kind: Binding['kind']
  name: string
  binding_type: string
  transform: unknown
  inverse_transform: unknown
  origin: BindingOrigin
  binding_description_id: string | null
  error: string | null
  error_at: Date | null
  remotes: Remote[]
}

/** Lists the bindings of an asset, ordered by component, kind and name. */
export const listBindings = (db: Kysely<Tables>, tenantId: string, assetId: string): Promise<Binding[]> =>
  selectBindings(
    db,
    sql`a.tenant_id = ${tenantId} and a.id = ${assetId} order by b.component_id, b.kind, b.name`,
  )

/** @param which a condition over `a` (the asset) and `b` (the binding), and an order */
export async function selectBindings(db: Kysely<Tables>, which: ReturnType<typeof sql>): Promise<Binding[]> {
  const { rows } = await sql<BindingRow>`
    select b.*, a.id as asset_id, (
      select json_agg(json_build_object('remoteName', r.remote_name, 'instanceType', r.instance_type,
        'instanceId', r.instance_id, 'componentId', r.remote_component_id, 'kind', r.kind,
        'name', r.remote_endpoint_name) order by r.place)
      from asset_binding_remotes r
      where (r.asset_number, r.component_id, r.kind, r.name) = (b.asset_number, b.component_id, b.kind, b.name)
    ) as remotes
    from asset_bindings b join assets a on a.number = b.asset_number where ${which}`.execute(db)
  return rows.map(toBinding)
}

const toBinding = (row: BindingRow): Binding => ({
  assetNumber: row.asset_number,
  assetId: row.asset_id,
  componentId: row.component_id,
  kind: row.kind,
  name: row.name,
  bindingType: row.binding_type,
  transform: row.transform,
  inverseTransform: row.inverse_transform,
  origin: row.origin,
  bindingDescriptionId: row.binding_description_id,
  remotes: row.remotes,
  error: row.error,
  errorAt: row.error_at,
})

/** A binding before it is written. */
export type NewBinding = Omit<Binding, 'assetNumber' | 'assetId' | 'error' | 'errorAt'>

/** @param tx a transaction that holds the asset's lock */
export async function deleteBindings(
  tx: Kysely<Tables>,
  assetNumber: number,
  endpoints: LocalEndpoint[],
): Promise<void> {
  if (endpoints.length === 0) return
  await sql`
    delete from asset_bindings b
    using unnest(
      ${endpoints.map(({ componentId }) => componentId)}::text[],
      ${endpoints.map(({ kind }) => kind)}::text[],
      ${endpoints.map(({ name }) => name)}::text[]
    ) as gone (component_id, kind, name)
    where b.asset_number = ${assetNumber}
      and (b.component_id, b.kind, b.name) = (gone.component_id, gone.kind, gone.name)`.execute(tx)
}

/** @param tx a transaction that holds the asset's lock; the endpoints must be unbound */
export async function insertBindings(
  tx: Kysely<Tables>,
  tenantId: string,
  assetNumber: number,
  bindings: NewBinding[],
): Promise<void> {
  if (bindings.length === 0) return
  const rows = bindings.map((binding) => ({
    component_id: binding.componentId,
    kind: binding.kind,
    name: binding.name,
    binding_type: binding.bindingType,
    transform: binding.transform,
    inverse_transform: binding.inverseTransform,
    origin: binding.origin,
    binding_description_id: binding.bindingDescriptionId,
  }))
  await sql`
    insert into asset_bindings (asset_number, component_id, kind, name, binding_type, transform,
      inverse_transform, origin, binding_description_id)
    select ${assetNumber}::int, new.* from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as new (
      component_id text, kind text, name text, binding_type text, transform jsonb,
      inverse_transform jsonb, origin text, binding_description_id text)`.execute(tx)
  const remotes = bindings.flatMap(({ componentId, kind, name, remotes: list }) =>
    list.map((remote, place) => ({
      component_id: componentId,
      kind,
      name,
      place,
      remote_name: remote.remoteName,
      instance_type: remote.instanceType,
      instance_id: remote.instanceId,
      remote_component_id: remote.componentId,
      remote_endpoint_name: remote.name,
    })),
  )
  await sql`
    insert into asset_binding_remotes (asset_number, tenant_id, component_id, kind, name, place, remote_name,
      instance_type, instance_id, remote_component_id, remote_endpoint_name)
    select ${assetNumber}::int, ${tenantId}::text, new.*
    from jsonb_to_recordset(${JSON.stringify(remotes)}::jsonb) as new (
      component_id text, kind text, name text, place smallint, remote_name text,
      instance_type text, instance_id text, remote_component_id text, remote_endpoint_name text)`.execute(tx)
}
