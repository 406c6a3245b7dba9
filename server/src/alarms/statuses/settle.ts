/**
 * Clears the statuses and holds that an alarm leaves open when it is changed or deleted, or when its asset is deleted
 * or moved to another model: no later sample would end them.
 */
import { type Expression, type Kysely, sql, type SqlBool } from 'kysely'
import type { Tables } from '../../database/tables.ts'
import type { AlarmChange } from './alarm-change.ts'
import { lockOpenStatuses, moveStatuses } from './move.ts'

export interface Settling {
  alarmId: string
  reason: 'alarm_changed' | 'alarm_deleted'
  /** Assets that the alarm still watches; none where absent. */
  except?: string[]
}

/** @param tx a transaction that has locked the alarm */
export const settleAlarm = (
  tx: Kysely<Tables>,
  tenantId: string,
  { alarmId, reason, except = [] }: Settling,
): Promise<AlarmChange[]> =>
  settle(tx, tenantId, sql`s.alarm_id = ${alarmId} and s.asset_id <> all(${except}::text[])`, reason)

export interface AssetSettling {
  assetIds: string[]
  /** Previous models of the assets. An alarm watches only one model. */
  modelIds: string[]
  reason: 'asset_migrated' | 'asset_deleted'
}

/** @param tx a transaction that has locked the assets */
export async function settleAssets(
  tx: Kysely<Tables>,
  tenantId: string,
  { assetIds, modelIds, reason }: AssetSettling,
): Promise<AlarmChange[]> {
  // Samples evaluated against these alarms are either committed by now, or commit later and find the assets gone.
  await sql`select from alarms where tenant_id = ${tenantId} and entity_type_id = any(${modelIds}::text[])
    order by id for no key update`.execute(tx)
  return settle(tx, tenantId, sql`s.asset_id = any(${assetIds}::text[])`, reason)
}

/** @param which condition on `s`, which stands for statuses as well as holds */
async function settle(
  tx: Kysely<Tables>,
  tenantId: string,
  which: Expression<SqlBool>,
  reason: string,
): Promise<AlarmChange[]> {
  const open = await lockOpenStatuses(tx, tenantId, which)
  const changes = await moveStatuses(tx, open, { event: 'settle', reason })
  await sql`delete from alarm_holds s where s.tenant_id = ${tenantId} and ${which}`.execute(tx)
  return changes
}
