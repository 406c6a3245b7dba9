/** Marks assets and tenants in memory as outdated: they are read again before their next sample. */
import type { Alarms } from '../alarms.ts'
import { findWatch, forgetTenant, markOutdated } from './memory.ts'

/** For assets whose statuses or model changed. */
export function forgetAssets({ memory, batches }: Alarms, tenantId: string, assetIds: string[]): void {
  markOutdated(memory, tenantId, assetIds)
  for (const assetId of assetIds) {
    const asset = findWatch(memory, tenantId, assetId)
    // Batches that are not committed yet were evaluated without the change: they are reevaluated after their commit.
    if (asset) asset.changedAt = batches
  }
}

export function forgetAll({ memory }: Alarms): void {
  for (const tenantId of memory.tenants.keys()) forgetTenant(memory, tenantId)
}
