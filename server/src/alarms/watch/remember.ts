/** What a batch brought goes into memory once it is committed. */
import type { AlarmChange } from '../statuses/alarm-change.ts'
import { type AlarmCrossing, type Evaluation, reevaluateAsset, findSlot, applyValue } from './evaluate.ts'
import { type AlarmMemory, findWatch, markChangedInLoads } from './memory.ts'
import { type AssetWatch, setOpen } from './model-watch.ts'
import { afterCrossing } from './rule.ts'

/**
 * @param newestBatch that was evaluated so far, this or a later one
 * @returns assets by tenant whose state another batch or process changed meanwhile: they have to be reviewed
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
    changes.map(({ tenantId, status }) => [keyOf(tenantId, status.alarmId, status.entityId), status]),
  )
  for (const crossing of crossings) {
    const { tenantId, assetId, alarmId } = crossing
    markChangedInLoads(memory, tenantId, assetId)
    const asset = findWatch(memory, tenantId, assetId)
    if (!asset) continue
    asset.changedAt = newestBatch
    settle(asset, crossing, last.get(keyOf(tenantId, alarmId, assetId))?.state)
  }
  for (const { tenantId, assetId } of crossings) {
    const asset = findWatch(memory, tenantId, assetId)
    // Newer values may be here already, of a batch that was committed before this one.
    if (asset && asset.version !== -1 && reevaluateAsset(tenantId, asset, nowMs).length > 0)
      doubt(tenantId, assetId)
  }
  return new Map([...unsure].map(([tenantId, ids]) => [tenantId, [...ids]]))
}

const keyOf = (...parts: string[]) => parts.join(' ')

/** As the database has it now. */
function settle(
  asset: AssetWatch,
  { alarmId, crossing, orderMs }: AlarmCrossing,
  state: string | undefined,
): void {
  const open = asset.known.open?.get(alarmId)
  if (crossing === 'hold' || crossing === 'release')
    return setOpen(asset.known, alarmId, afterCrossing(open, crossing, orderMs))
  // It saw something that is not so in memory: somebody else was here first.
  if (state === undefined) asset.version = -1
  else if (state === 'cleared') setOpen(asset.known, alarmId, undefined)
  else setOpen(asset.known, alarmId, { state: state as never, heldSinceMs: undefined })
}
