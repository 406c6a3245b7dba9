/** Updates the memory of this node after a commit, and starts the follow-up work. */
import type { Alarms } from './alarms.ts'
import type { AlarmChange } from './statuses/alarm-change.ts'
import { forgetAssets } from './watch/forget.ts'
import { publishSampledAssets } from './notices.ts'
import { startReevaluation, trackFollowUp } from './watch/reevaluate.ts'
import type { Evaluation } from './watch/evaluate.ts'
import { findWatch } from './watch/memory.ts'
import type { AssetWatch } from './watch/model-watch.ts'
import { remember } from './watch/remember.ts'

/**
 * Call after the commit of samples. Memory then holds them, and assets that other batches changed meanwhile are
 * evaluated again.
 */
export function rememberEvaluation(alarms: Alarms, evaluation: Evaluation, changes: AlarmChange[]): void {
  const unsure = remember(alarms.memory, evaluation, changes, alarms.batches)
  alarms.warnOfUnevaluated(evaluation.unevaluated)
  for (const [tenantId, assetIds] of unsure) startReevaluation(alarms, tenantId, assetIds)
  // Another node joined after these samples were evaluated.
  if (!evaluation.sharedAssets && alarms.nodes.peers.exist) publishLate(alarms, evaluation)
}

function publishLate(alarms: Alarms, { samples }: Evaluation): void {
  const sharedAssets = new Map<AssetWatch, string>()
  for (const { tenantId, ownerId } of samples) {
    const asset = findWatch(alarms.memory, tenantId, ownerId)
    if (asset && asset.model.rules.length > 0) sharedAssets.set(asset, tenantId)
  }
  if (sharedAssets.size > 0) trackFollowUp(alarms, publishSampledAssets(alarms, alarms.db, sharedAssets))
}

/** Call after the commit of changes that no sample caused. */
export function afterCommit(alarms: Alarms, changes: AlarmChange[]): void {
  for (const { tenantId, status } of changes) forgetAssets(alarms, tenantId, [status.entityId])
  alarms.push.publishAlarms(changes)
}
