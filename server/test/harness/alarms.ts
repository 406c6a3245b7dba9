/** Inserts alarms and activations of tenant `default` into the database directly. */
import { insertParent } from '../../src/access/relations/store.ts'
import type { AlarmChange } from '../../src/alarms/statuses/alarm-change.ts'
import type { AlarmState } from '../../src/database/tables.ts'
import { newId } from '../../src/lib/ids.ts'
import { pumpModel } from './assets.ts'
import type { Platform } from './platform.ts'

export async function insertAlarm(
  { ctx, organizationId }: Platform,
  { name = 'Too hot', organization = organizationId, entityTypeId = pumpModel as string | null } = {},
): Promise<string> {
  const id = newId()
  await ctx.db
    .insertInto('alarms')
    .values({
      id,
      tenant_id: 'default',
      organization_id: organization,
      name,
      description: null,
      type: null,
      entity_type_id: entityTypeId,
      condition: null,
      clear_condition: null,
      severity: 3,
    })
    .execute()
  await insertParent(ctx.db, 'alarm', { tenant_id: 'default', organization_id: organization, id })
  return id
}

/** Inserts an activation as if a sample had caused it, and publishes the change. */
export async function insertActivation(
  { ctx }: Platform,
  alarmId: string,
  assetId: string,
  {
    alarmName = 'Too hot',
    assetName = `Asset ${assetId}`,
    state = 'active_unacknowledged' as AlarmState,
    value = 90.5 as unknown,
  } = {},
): Promise<AlarmChange> {
  const [id, at] = [newId(), new Date('2026-03-01T12:00:00.000Z')]
  await ctx.db
    .insertInto('alarm_statuses')
    .values({
      id,
      tenant_id: 'default',
      alarm_id: alarmId,
      alarm_name: alarmName,
      severity: 3,
      asset_id: assetId,
      asset_name: assetName,
      state,
      activated_at: at,
      acknowledged_at: null,
      acknowledged_by: null,
      inactive_at: null,
      cleared_at: null,
      value: JSON.stringify(value),
      time: at,
    })
    .execute()
  const active = state.startsWith('active')
  return {
    tenantId: 'default',
    isActivation: active,
    status: {
      alarmStatusId: id,
      alarmId,
      alarmName,
      entityId: assetId,
      entityName: assetName,
      severity: 3,
      state,
      active,
      acknowledged: false,
      activatedAt: at.toISOString(),
      acknowledgedAt: null,
      acknowledgedBy: null,
      inactiveAt: null,
      clearedAt: null,
      value,
      timestamp: at.toISOString(),
    },
  }
}
