/** Memory after a commit, and what follows from it on this node. */
import type { Alarms } from './alarms.ts'
import type { AlarmChange } from './statuses/alarm-change.ts'
import { forgetAssets } from './watch/forget.ts'
import { tellOfSamples } from './notices.ts'
import { startReevaluation, trackFollowUp } from './watch/reevaluate.ts'
import type { Evaluation } from './watch/evaluate.ts'
import { findWatch } from './watch/memory.ts'
import type { AssetWatch } from './watch/model-watch.ts'
import { remember } from './watch/remember.ts'

/** After the commit of samples: memory holds them, and what other batches changed meanwhile is evaluated again. */
export function rememberEvaluation(alarms: Alarms, evaluation: Evaluation, changes: AlarmChange[]): void {
  const unsure = remember(alarms.memory, evaluation, changes, alarms.batches)
  alarms.warnOfUnjudged(evaluation.unjudged)
  for (const [tenantId, assetIds] of unsure) startReevaluation(alarms, tenantId, assetIds)
  // Another node joined while these samples were on their way.
  if (!evaluation.told && alarms.peers.areThere) tellLate(alarms, evaluation)
}

function tellLate(alarms: Alarms, { samples }: Evaluation): void {
  const told = new Map<AssetWatch, string>()
  for (const { tenantId, ownerId } of samples) {
    const asset = findWatch(alarms.memory, tenantId, ownerId)
    if (asset && asset.model.rules.length > 0) told.set(asset, tenantId)
  }
  if (told.size > 0) trackFollowUp(alarms, tellOfSamples(alarms.db, alarms.nodeId, told))
}

/** After the commit of changes that no sample caused. */
export function afterCommit(alarms: Alarms, changes: AlarmChange[]): void {
  for (const { tenantId, status } of changes) forgetAssets(alarms, tenantId, [status.entityId])
  alarms.push.publishAlarms(changes)
}
