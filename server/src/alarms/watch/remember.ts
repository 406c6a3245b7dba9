/** Writes the samples and crossings of a batch into memory after its commit. */
import type { AlarmChange } from '../statuses/alarm-change.ts'
import { type Evaluation, reevaluateAsset, findSlot, applyValue } from './evaluate.ts'
import { type AlarmMemory, findWatch, markChangedInLoads } from './memory.ts'
import { type AssetWatch, setOpen } from './model-watch.ts'
import { afterCrossing, type AlarmCrossing } from './rule.ts'

/**
 * @param newestBatch number of the newest batch that was evaluated so far, this or a later one
 * @returns assets by tenant whose state another batch or node changed meanwhile; they must be reevaluated
 */
export function remember(
  memory: AlarmMemory,
  { samples, crossings, batch, nowMs }: Pick<Evaluation, 'samples' | 'crossings' | 'batch' | 'nowMs'>,
  changes: AlarmChange[],
  newestBatch: number,
): Map<string, string[]> {
  const unsure = new Map<string, Set<string>>()
  const doubt = (tenantId: string, assetId: string) =>
    void unsure.set(tenantId, (unsure.get(tenantId) ?? new Set()).add(assetId))
  for (const sample of samples) {
    if (sample.ownerType !== 'asset' || sample.type !== 'telemetry') continue
    const asset = findWatch(memory, sample.tenantId, sample.ownerId)
    if (!asset) continue
    if (memory.loads.size > 0) markChangedInLoads(memory, sample.tenantId, sample.ownerId)
    const slot = findSlot(asset, sample)
    if (slot === undefined) continue
    applyValue(asset.known, slot, sample, nowMs)
    if (asset.changedAt >= batch) doubt(sample.tenantId, sample.ownerId)
  }
  const last = new Map(
    changes.map(({ tenantId, status }) => [joinKey(tenantId, status.alarmId, status.entityId), status]),
  )
  for (const crossing of crossings) {
    const { tenantId, assetId, alarmId } = crossing
    markChangedInLoads(memory, tenantId, assetId)
    const asset = findWatch(memory, tenantId, assetId)
    if (!asset) continue
    asset.changedAt = newestBatch
    settle(asset, crossing, last.get(joinKey(tenantId, alarmId, assetId))?.state)
  }
  // An asset is evaluated once, however many of its alarms have crossed.
  const crossed = new Map(
    crossings.map((crossing) => [joinKey(crossing.tenantId, crossing.assetId), crossing]),
  )
  for (const { tenantId, assetId } of crossed.values()) {
    const asset = findWatch(memory, tenantId, assetId)
    // Memory may already hold newer values, from a batch that was committed before this one.
    if (asset && asset.version !== -1 && reevaluateAsset(tenantId, asset, nowMs).length > 0)
      doubt(tenantId, assetId)
  }
  return new Map([...unsure].map(([tenantId, ids]) => [tenantId, [...ids]]))
}

const joinKey = (...parts: string[]) => parts.join(' ')

/** Sets the entry of the alarm to the committed state. */
function settle(
  asset: AssetWatch,
  { alarmId, crossing, orderMs }: AlarmCrossing,
  state: string | undefined,
): void {
  const open = asset.known.open?.get(alarmId)
  if (crossing === 'hold' || crossing === 'release')
    return setOpen(asset.known, alarmId, afterCrossing(open, crossing, orderMs))
  // The crossing did not change the database, so memory is outdated: another batch or node was first.
  if (state === undefined) asset.version = -1
  else if (state === 'cleared') setOpen(asset.known, alarmId, undefined)
  else setOpen(asset.known, alarmId, { state: state as never, heldSinceMs: undefined })
}
