/** What one node publishes to the others about alarms, in the transaction that changes them. */
import type { Kysely } from 'kysely'
import type { Tables } from '../database/tables.ts'
import { channel, halve } from '../nodes/channel.ts'
import type { Runtime } from '../runtime.ts'
import type { AlarmChange } from './statuses/alarm-change.ts'
import type { AlarmCrossing, SharedAssets } from './watch/evaluate.ts'

export interface Notice {
  tenantId: string
  /** On which something is open now, or no more; nothing where alarms themselves were changed. */
  assetIds?: string[]
  /** The changes among them. */
  statusIds?: string[]
  /** Assets of which samples were stored that other nodes may have to evaluate. */
  sampledIds?: string[]
}

export const alarmNotices = channel<Notice>('gangway_alarms_changed', {
  split: halve('assetIds', 'statusIds', 'sampledIds'),
})

type Node = Pick<Runtime, 'nodes'>

export const publishAlarmsChanged = (ctx: Node, tx: Kysely<Tables>, tenantId: string): Promise<void> =>
  alarmNotices.publish(ctx, tx, { tenantId })

/** @param crossings decided already, also those that changed nothing */
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
