import { type Kysely, sql } from 'kysely'
import { type Binding, selectBindings } from '../../assets/bindings/store.ts'
import { localEndpointKey } from '../../assets/endpoints.ts'
import { listModelContents } from '../../assets/models/contents.ts'
import type { DataSchema } from '../../assets/models/dtdl/data-schema.ts'
import type { ModelContent } from '../../assets/models/resolve.ts'
import type { Tables } from '../../database/tables.ts'
import type { BoundAssets } from './compile-plan.ts'

/** Bindings that read the clients, those that read the assets of those, and so on. */
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
    for (const binding of found) bindings.set(keyOf(binding), binding)
    ids = [...new Set(found.map(({ assetId }) => assetId))].filter((id) => !seen.has(id))
    ids.forEach((id) => seen.add(id))
  }
  const schemas = await schemasByAsset(db, tenantId, [...seen])
  return {
    bindings: [...bindings.values()],
    schemaOf: (binding) => schemas.get(binding.assetId)?.get(localEndpointKey(binding)),
  }
}

const keyOf = (binding: Binding) => `${binding.assetId}/${localEndpointKey(binding)}`

/** Commands go the other way. */
const listReaders = (db: Kysely<Tables>, tenantId: string, type: string, ids: string[]) =>
  selectBindings(
    db,
    sql`b.kind <> 'command' and (b.asset_number, b.component_id, b.kind, b.name) in (
      select r.asset_number, r.component_id, r.kind, r.name from asset_binding_remotes r
      where r.tenant_id = ${tenantId} and r.instance_type = ${type} and r.instance_id = any(${ids}::text[]))`,
  )

/** By `component/kind/name`. */
type Schemas = Map<string, DataSchema>

async function schemasByAsset(
  db: Kysely<Tables>,
  tenantId: string,
  assetIds: string[],
): Promise<Map<string, Schemas>> {
  if (assetIds.length === 0) return new Map()
  const assets = await db
    .selectFrom('assets')
    .select(['id', 'model_id'])
    .where('tenant_id', '=', tenantId)
    .where('id', '=', sql<string>`any(${assetIds}::text[])`)
    .execute()
  const models = await db
    .selectFrom('models')
    .select(['tenant_id', 'id', 'definition'])
    .where('tenant_id', '=', tenantId)
    .where('id', 'in', [...new Set(assets.map((asset) => asset.model_id))])
    .execute()
  const schemas = new Map<string, Schemas>()
  for (const model of models) schemas.set(model.id, schemasOf(await listModelContents(db, model)))
  return new Map(assets.map((asset) => [asset.id, schemas.get(asset.model_id) ?? new Map()]))
}

function schemasOf(contents: ModelContent[]): Schemas {
  const schemas: Schemas = new Map()
  for (const content of contents) {
    if (content.kind !== 'telemetry' && content.kind !== 'property') continue
    const { kind, name, componentId } = content
    schemas.set(localEndpointKey({ componentId: componentId ?? '', kind, name }), content.schema)
  }
  return schemas
}
