import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../database/tables.ts'
import type { LocatedClient } from '../bindings/located-client.ts'
import { type Binding, selectBindings } from '../bindings/store.ts'

/** A client as far as it matters whether another can take its place. */
export interface ReplaceableClient extends LocatedClient {
  /** Its own, else its provider's; null: JSON. */
  parser: unknown
}

/**
 * Both stay as they are until the transaction ends, and nobody binds to them meanwhile. In the order of their ids, as
 * everybody who locks several.
 */
export async function listClientsForReplacement(
  tx: Kysely<Tables>,
  tenantId: string,
  ids: string[],
): Promise<ReplaceableClient[]> {
  const { rows } = await sql<ReplaceableClient>`
    select c.number, c.id, c.tenant_id, c.provider_id, c.on_broker, p.type as provider_type,
      coalesce(c.provider_data -> 'parser', p.provider_data -> 'parser') as parser
    from provider_clients c join providers p on p.tenant_id = c.tenant_id and p.id = c.provider_id
    where c.tenant_id = ${tenantId} and c.id = any(${ids}::text[])
    order by c.id for no key update of c`.execute(tx)
  return rows
}

/** Ordered by asset, component, kind and name. */
export const listBindingsTo = (tx: Kysely<Tables>, tenantId: string, clientId: string): Promise<Binding[]> =>
  selectBindings(
    tx,
    sql`(b.asset_number, b.component_id, b.kind, b.name) in (
      select r.asset_number, r.component_id, r.kind, r.name from asset_binding_remotes r
      where r.tenant_id = ${tenantId} and r.instance_type = 'client' and r.instance_id = ${clientId})
    order by a.id, b.component_id, b.kind, b.name`,
  )

/** Of these bindings; what they could not read of the old client says nothing of the new one. */
export async function updateRemotes(
  tx: Kysely<Tables>,
  bindings: Binding[],
  { from, to }: { from: string; to: string },
): Promise<void> {
  const keys = sql`select * from unnest(${bindings.map(({ assetNumber }) => assetNumber)}::int[],
    ${bindings.map(({ componentId }) => componentId)}::text[], ${bindings.map(({ kind }) => kind)}::text[],
    ${bindings.map(({ name }) => name)}::text[])`
  await sql`
    update asset_binding_remotes set instance_id = ${to}
    where instance_type = 'client' and instance_id = ${from}
      and (asset_number, component_id, kind, name) in (${keys})`.execute(tx)
  await sql`
    update asset_bindings set error = null, error_at = null
    where error is not null and (asset_number, component_id, kind, name) in (${keys})`.execute(tx)
}
