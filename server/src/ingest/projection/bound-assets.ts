import { type Kysely, sql } from 'kysely'
import { type Binding, selectBindings } from '../../assets/bindings/store.ts'
import { localEndpointKey } from '../../assets/endpoints.ts'
import { findModelParts, type ModelEndpoints } from '../../assets/models/model-endpoints.ts'
import type { Tables } from '../../database/tables.ts'
import type { BoundAssets } from './compile-plan.ts'

/** Lists bindings that read the clients, bindings that read the assets of those, and so on. */
export async function listBoundAssets(
  db: Kysely<Tables>,
  tenantId: string,
  clientIds: string[],
): Promise<BoundAssets> {
  const bindings = new Map<string, Binding>()
  const seen = new Set<string>()
  for (let [type, ids] = ['client', clientIds]; ids.length > 0; type = 'asset') {
    const found = await listReaders(db, tenantId, type, ids)
    // An asset may read both a client and another asset.
    for (const binding of found) bindings.set(bindingKey(binding), binding)
    ids = [...new Set(found.map(({ assetId }) => assetId))].filter((id) => !seen.has(id))
    ids.forEach((id) => seen.add(id))
  }
  const endpoints = await endpointsByAsset(db, tenantId, [...seen])
  return {
    bindings: [...bindings.values()],
    findSchema: (binding) => {
      const content = endpoints.get(binding.assetId)?.get(localEndpointKey(binding))
      return content && content.kind !== 'command' ? content.schema : undefined
    },
  }
}

const bindingKey = (binding: Binding) => `${binding.assetId}/${localEndpointKey(binding)}`

/** Lists the bindings that read these instances, except for commands, which go the other way. */
const listReaders = (db: Kysely<Tables>, tenantId: string, type: string, ids: string[]) =>
  selectBindings(
    db,
    sql`b.kind <> 'command' and (b.asset_number, b.component_id, b.kind, b.name) in (
      select r.asset_number, r.component_id, r.kind, r.name from asset_binding_remotes r
      where r.tenant_id = ${tenantId} and r.instance_type = ${type} and r.instance_id = any(${ids}::text[]))`,
  )

async function endpointsByAsset(
  db: Kysely<Tables>,
  tenantId: string,
  assetIds: string[],
): Promise<Map<string, ModelEndpoints>> {
  if (assetIds.length === 0) return new Map()
  const assets = await db
    .selectFrom('assets')
    .select(['id', 'model_id'])
    .where('tenant_id', '=', tenantId)
    .where('id', '=', sql<string>`any(${assetIds}::text[])`)
    .execute()
  const byModel = new Map<string, ModelEndpoints>()
  for (const modelId of new Set(assets.map((asset) => asset.model_id)))
    byModel.set(modelId, (await findModelParts(db, tenantId, modelId)).endpoints)
  return new Map(assets.map((asset) => [asset.id, byModel.get(asset.model_id)!]))
}
