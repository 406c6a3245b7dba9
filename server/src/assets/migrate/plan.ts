import { formatEndpointId, type LocalEndpoint, localEndpointKey } from '../endpoints.ts'
import type { ModelParts } from '../models/model-endpoints.ts'
import { isKept } from './is-kept.ts'
import { formatReaderEndpointId, type Reader, findReaderChanges, formatSourceEndpointId } from './readers.ts'
import type { AssetMigration } from './schema.ts'
import type { MigratingAsset } from './store.ts'
import { listUnknownProperties } from './unknown-properties.ts'

/** The changes of a migration to one asset. */
export interface Plan {
  asset: MigratingAsset
  removedBindings: LocalEndpoint[]
  /** Bindings of other assets to this one. */
  broken: Reader[]
  repaired: Reader[]
  ignored: string[]
  answer: AssetMigration
}

/** @param readers the bindings of other assets to this one */
export function planAsset(
  asset: MigratingAsset,
  readers: Reader[],
  source: ModelParts,
  target: ModelParts,
): Plan {
  const removedBindings = asset.bindings.filter(
    (binding) => !isKept(localEndpointKey(binding), source, target),
  )
  const unknown = [asset.desired, asset.reported].flatMap((properties) =>
    listUnknownProperties(asset.id, properties ?? {}, source, target),
  )
  const { broken, repaired } = findReaderChanges(readers, asset, source, target)
  return {
    asset,
    removedBindings,
    broken,
    repaired,
    ignored: asset.ignored_endpoints.filter((key) => isKept(key, source, target)),
    answer: {
      assetId: asset.id,
      fromModelId: asset.model_id,
      removedBindings: removedBindings.map((binding) =>
        formatEndpointId({ instanceId: asset.id, ...binding }),
      ),
      brokenBindings: broken.map((reader) => ({
        localEndpointId: formatReaderEndpointId(reader),
        remoteEndpointId: formatSourceEndpointId(reader, asset.id),
      })),
      unknownProperties: [...new Set(unknown)].toSorted(),
    },
  }
}

/** Ignores readers that the same migration removes. */
export function ignoreRemovedReaders(plans: Plan[]): Plan[] {
  const gone = new Set(plans.flatMap(({ answer }) => answer.removedBindings))
  return plans.map((plan) => ({
    ...plan,
    broken: plan.broken.filter((reader) => !gone.has(formatReaderEndpointId(reader))),
    answer: {
      ...plan.answer,
      brokenBindings: plan.answer.brokenBindings.filter(({ localEndpointId }) => !gone.has(localEndpointId)),
    },
  }))
}
