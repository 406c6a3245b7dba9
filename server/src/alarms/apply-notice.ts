import { type Kysely, sql } from 'kysely'
import type { AlarmStatusRow } from '../database/tables/alarms.ts'
import type { Tables } from '../database/tables.ts'
import type { Alarms } from './alarms.ts'
import type { AlarmChange } from './statuses/alarm-change.ts'
import { forgetAssets } from './watch/forget.ts'
import type { Notice } from './notices.ts'
import { enqueueReevaluation, startReevaluation } from './watch/reevaluate.ts'
import { alarmChange } from './statuses/shape.ts'
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

/** Reads the current statuses; they may include later changes. */
async function readChanges(
  db: Kysely<Tables>,
  tenantId: string,
  statusIds: string[],
): Promise<AlarmChange[]> {
  const rows: AlarmStatusRow[] = await db
    .selectFrom('alarm_statuses')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('id', '=', sql<string>`any(${statusIds}::uuid[])`)
    .orderBy('id')
    .execute()
  return rows.map((row) => alarmChange(row))
}
