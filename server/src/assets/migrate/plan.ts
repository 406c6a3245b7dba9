import { endpointIdOf, type LocalEndpoint, localEndpointKey } from '../endpoints.ts'
import type { ModelParts } from '../models/model-endpoints.ts'
import { isKept } from './is-kept.ts'
import { localEndpointIdOf, type Reader, readerChanges, remoteEndpointIdOf } from './readers.ts'
import type { AssetMigration } from './schema.ts'
import type { MigratingAsset } from './store.ts'
import { listUnknownProperties } from './unknown-properties.ts'

/** What a migration does to one asset. */
export interface Plan {
  asset: MigratingAsset
  goneBindings: LocalEndpoint[]
  /** Of other assets. */
  broken: Reader[]
  mended: Reader[]
  ignored: string[]
  answer: AssetMigration
}

/** @param readers what is bound to the asset */
export function planOf(
  asset: MigratingAsset,
  readers: Reader[],
  source: ModelParts,
  target: ModelParts,
): Plan {
  const goneBindings = asset.bindings.filter((binding) => !isKept(localEndpointKey(binding), source, target))
  const unknown = [asset.desired, asset.reported].flatMap((properties) =>
    listUnknownProperties(asset.id, properties ?? {}, source, target),
  )
  const { broken, mended } = readerChanges(readers, asset, source, target)
  return {
    asset,
    goneBindings,
    broken,
    mended,
    ignored: asset.ignored_endpoints.filter((key) => isKept(key, source, target)),
    answer: {
      assetId: asset.id,
      fromModelId: asset.model_id,
      removedBindings: goneBindings.map((binding) => endpointIdOf({ instanceId: asset.id, ...binding })),
      brokenBindings: broken.map((reader) => ({
        localEndpointId: localEndpointIdOf(reader),
        remoteEndpointId: remoteEndpointIdOf(reader, asset.id),
      })),
      unknownProperties: [...new Set(unknown)].toSorted(),
    },
  }
}

/** A binding that is removed in the same migration reads nothing any more. */
export function withoutGone(plans: Plan[]): Plan[] {
  const gone = new Set(plans.flatMap(({ answer }) => answer.removedBindings))
  return plans.map((plan) => ({
    ...plan,
    broken: plan.broken.filter((reader) => !gone.has(localEndpointIdOf(reader))),
    answer: {
      ...plan.answer,
      brokenBindings: plan.answer.brokenBindings.filter(({ localEndpointId }) => !gone.has(localEndpointId)),
    },
  }))
}
