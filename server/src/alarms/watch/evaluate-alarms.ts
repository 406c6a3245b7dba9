/**
 * Evaluates samples against the alarms of their assets. The evaluation leaves no trace if the samples are not stored.
 */
import type { StoredSample } from '../../timeseries/storage/stored-sample.ts'
import type { Alarms } from '../alarms.ts'
import { groupByTenant } from './asset-key.ts'
import { evaluate, type Evaluation } from './evaluate.ts'
import type { FindAsset } from './shares.ts'
import { type AlarmMemory, findWatch, isReady, load, markOutdated } from './memory.ts'

/** Runs before the samples are committed. `applyAlarms` decides in their transaction which statuses really change. */
export async function evaluateAlarms(alarms: Alarms, samples: StoredSample[]): Promise<Evaluation> {
  await loadMissing(alarms, samples)
  const evaluation = await evaluateInMemory(alarms, samples)
  if (evaluation.doubtful.length === 0) return evaluation
  // Other nodes may have stored newer values: doubtful assets are evaluated again with the values in the database.
  for (const [tenantId, ids] of groupByTenant(evaluation.doubtful))
    markOutdated(alarms.memory, tenantId, [...ids])
  await loadMissing(alarms, samples)
  return evaluateInMemory(alarms, samples)
}

/** @returns undefined if memory already holds everything that these samples need */
export function loadMissing({ memory }: Alarms, samples: StoredSample[]): Promise<void> | undefined {
  const missing = missingAssets(memory, samples)
  if (missing.size === 0) return undefined
  return Promise.all([...missing].map(([tenantId, ids]) => load(memory, tenantId, [...ids]))).then(() => {})
}

function missingAssets(memory: AlarmMemory, samples: StoredSample[]): Map<string, Set<string>> {
  const missing = new Map<string, Set<string>>()
  for (const { ownerType, type, tenantId, ownerId } of samples) {
    if (ownerType !== 'asset' || type !== 'telemetry' || isReady(memory, tenantId, ownerId)) continue
    const ids = missing.get(tenantId) ?? new Set()
    missing.set(tenantId, ids.add(ownerId))
  }
  return missing
}

/** Skips assets that are not in memory when it begins. */
export function evaluateInMemory(
  alarms: Alarms,
  samples: StoredSample[],
  nowMs: number = Date.now(),
): Promise<Evaluation> {
  const find: FindAsset = (tenantId, assetId) => findWatch(alarms.memory, tenantId, assetId)
  return evaluate(find, samples, { batch: ++alarms.batches, nowMs, isShared: alarms.nodes.peers.exist })
}
