import { endpointIdOf, type LocalEndpoint, localEndpointKey } from '../endpoints.ts'
import type { ModelParts } from '../models/model-endpoints.ts'
import { isKept } from './is-kept.ts'
import type { AssetMigration } from './schema.ts'
import type { MigratingAsset } from './store.ts'
import { listUnknownProperties } from './unknown-properties.ts'

/** What a migration does to one asset. */
export interface Plan {
  asset: MigratingAsset
  goneBindings: LocalEndpoint[]
  ignored: string[]
  answer: AssetMigration
}

export function planOf(asset: MigratingAsset, source: ModelParts, target: ModelParts): Plan {
  const goneBindings = asset.bindings.filter((binding) => !isKept(localEndpointKey(binding), source, target))
  const unknown = [asset.desired, asset.reported].flatMap((properties) =>
    listUnknownProperties(asset.id, properties ?? {}, source, target),
  )
  return {
    asset,
    goneBindings,
    ignored: asset.ignored_endpoints.filter((key) => isKept(key, source, target)),
    answer: {
      assetId: asset.id,
      fromModelId: asset.model_id,
      removedBindings: goneBindings.map((binding) => endpointIdOf({ instanceId: asset.id, ...binding })),
      unknownProperties: [...new Set(unknown)].toSorted(),
    },
  }
}
