/** Notices that a node publishes to the others in the transaction that changes alarms or statuses. */
import type { Kysely } from 'kysely'
import type { Tables } from '../database/tables.ts'
import { channel, halve } from '../nodes/channel.ts'
import type { Runtime } from '../runtime.ts'
import type { AlarmChange } from './statuses/alarm-change.ts'
import type { SharedAssets } from './watch/evaluate.ts'
import type { AlarmCrossing } from './watch/rule.ts'

export interface Notice {
  tenantId: string
  /** Assets whose open statuses changed; absent where alarms themselves were changed. */
  assetIds?: string[]
  /** Statuses of these assets that changed. */
  statusIds?: string[]
  /** Assets with newly stored samples that other nodes may have to evaluate. */
  sampledIds?: string[]
}

export const alarmNotices = channel<Notice>('gangway_alarms_changed', {
  split: halve('assetIds', 'statusIds', 'sampledIds'),
})

type Node = Pick<Runtime, 'nodes'>

export const publishAlarmsChanged = (ctx: Node, tx: Kysely<Tables>, tenantId: string): Promise<void> =>
  alarmNotices.publish(ctx, tx, { tenantId })

/** @param crossings that were already decided, including those that changed nothing */
export async function publishStatusChanges(
  ctx: Node,
  tx: Kysely<Tables>,
  changes: AlarmChange[],
  crossings: AlarmCrossing[] = [],
): Promise<void> {
  const byTenant = new Map<string, { assetIds: Set<string>; statusIds: Set<string> }>()
  const of = (tenantId: string) => {
    const known = byTenant.get(tenantId) ?? { assetIds: new Set(), statusIds: new Set() }
    byTenant.set(tenantId, known)
    return known
  }
  for (const { tenantId, assetId } of crossings) of(tenantId).assetIds.add(assetId)
  for (const { tenantId, status } of changes) {
    of(tenantId).assetIds.add(status.entityId)
    of(tenantId).statusIds.add(status.alarmStatusId)
  }
  const notices = [...byTenant].map(([tenantId, { assetIds, statusIds }]) => ({
    tenantId,
    assetIds: [...assetIds],
    statusIds: [...statusIds],
  }))
  await alarmNotices.publish(ctx, tx, ...notices)
}

export async function publishSampledAssets(
  ctx: Node,
  db: Kysely<Tables>,
  sharedAssets: SharedAssets,
): Promise<void> {
  const byTenant = new Map<string, Set<string>>()
  for (const [{ assetId }, tenantId] of sharedAssets)
    byTenant.set(tenantId, (byTenant.get(tenantId) ?? new Set()).add(assetId))
  const notices = [...byTenant].map(([tenantId, ids]) => ({ tenantId, assetIds: [], sampledIds: [...ids] }))
  await alarmNotices.publish(ctx, db, ...notices)
}
