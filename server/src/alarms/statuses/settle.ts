/**
 * What is left open by an alarm that is changed or deleted, or on an asset that is no longer what it was, is cleared:
 * nothing else will ever end it.
 */
import { type Expression, type Kysely, sql, type SqlBool } from 'kysely'
import type { Tables } from '../../database/tables.ts'
import type { AlarmChange } from './alarm-change.ts'
import { lockOpenStatuses, moveStatuses } from './move.ts'

export interface Settling {
  alarmId: string
  reason: 'alarm_changed' | 'alarm_deleted'
  /** Assets that it goes on watching as before; none where absent. */
  except?: string[]
}

/** @param tx that has locked the alarm */
export const settleAlarm = (
  tx: Kysely<Tables>,
  tenantId: string,
  { alarmId, reason, except = [] }: Settling,
): Promise<AlarmChange[]> =>
  settle(tx, tenantId, sql`s.alarm_id = ${alarmId} and s.asset_id <> all(${except}::text[])`, reason)

export interface AssetSettling {
  assetIds: string[]
  /** The models that they leave: an alarm watches one model alone. */
  modelIds: string[]
  reason: 'asset_migrated' | 'asset_deleted'
}

/** @param tx that has locked the assets */
export async function settleAssets(
  tx: Kysely<Tables>,
  tenantId: string,
  { assetIds, modelIds, reason }: AssetSettling,
): Promise<AlarmChange[]> {
  // Samples that were judged by these alarms are stored by now, or come after this and find the assets gone.
  await sql`select from alarms where tenant_id = ${tenantId} and entity_type_id = any(${modelIds}::text[])
    order by id for no key update`.execute(tx)
  return settle(tx, tenantId, sql`s.asset_id = any(${assetIds}::text[])`, reason)
}

/** @param which of `s`, statuses and holds alike */
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
