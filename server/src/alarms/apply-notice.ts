import type { Alarms } from './alarms.ts'
import { forgetAssets } from './watch/forget.ts'
import type { Notice } from './notices.ts'
import { enqueueReevaluation, startReevaluation } from './watch/reevaluate.ts'
import { readChanges } from './statuses/read-changes.ts'
import { findWatch, forgetTenant } from './watch/memory.ts'

/** Applies a commit of another node: memory is read again, and the changes go to the subscribers of this node. */
export async function applyNotice(alarms: Alarms, notice: Notice): Promise<void> {
  const { tenantId, assetIds, statusIds = [], sampledIds = [] } = notice
  if (!assetIds) return forgetTenant(alarms.memory, tenantId)
  forgetAssets(alarms, tenantId, [...assetIds, ...sampledIds])
  const isInMemory = (assetId: string) => findWatch(alarms.memory, tenantId, assetId) !== undefined
  const known = assetIds.filter(isInMemory)
  if (known.length > 0) startReevaluation(alarms, tenantId, known, { endsOnly: true })
  enqueueReevaluation(
    alarms,
    sampledIds.filter(isInMemory).map((assetId) => ({ tenantId, assetId })),
  )
  if (statusIds.length > 0) alarms.push.publishAlarms(await readChanges(alarms.db, tenantId, statusIds))
}
