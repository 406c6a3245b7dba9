import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../database/tables.ts'
import type { LocatedClient } from '../bindings/located-client.ts'
import { type Binding, selectBindings } from '../bindings/store.ts'

/** A client with the fields that decide whether another one can replace it. */
export interface ReplaceableClient extends LocatedClient {
  /** The client's own parser, or else its provider's; null means JSON. */
  parser: unknown
}

/**
 * Locks both clients until the transaction ends, so that no other transaction binds to them. The locks are taken in the
 * order of ids, which avoids deadlocks.
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

/** Lists the bindings to the client, ordered by asset, component, kind and name. */
export const listBindingsTo = (tx: Kysely<Tables>, tenantId: string, clientId: string): Promise<Binding[]> =>
  selectBindings(
    tx,
    sql`(b.asset_number, b.component_id, b.kind, b.name) in (
      select r.asset_number, r.component_id, r.kind, r.name from asset_binding_remotes r
      where r.tenant_id = ${tenantId} and r.instance_type = 'client' and r.instance_id = ${clientId})
    order by a.id, b.component_id, b.kind, b.name`,
  )

/** Updates the remotes of these bindings and clears their errors, which concern the old client. */
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
