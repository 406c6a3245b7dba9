/** Creates, changes and deletes alarms, and clears their open statuses in the same transaction. */
import type { Kysely } from 'kysely'
import { requirePrivilegeIn } from '../access/require.ts'
import { recordAudit } from '../audit/record.ts'
import type { Context } from '../context.ts'
import type { AlarmRow } from '../database/tables/alarms.ts'
import type { ModelRow } from '../database/tables/assets.ts'
import type { Tables } from '../database/tables.ts'
import type { Caller } from '../http/access.ts'
import { ApiError, validationError } from '../http/errors.ts'
import { afterCommit } from './after-commit.ts'
import { announceChanges } from './apply-alarms.ts'
import type { AlarmChange } from './statuses/alarm-change.ts'
import { checkAlarm } from './check-alarm.ts'
import { publishAlarmsChanged } from './notices.ts'
import { requireRoom } from './require-room.ts'
import { type Alarm, alarmShape, type CreateAlarm } from './schema.ts'
import { settleAlarm } from './statuses/settle.ts'
import { deleteAlarm, getAlarm, getAlarmForUpdate, insertAlarm, updateAlarm } from './store.ts'
import { forgetTenant } from './watch/memory.ts'

const resourceType = 'alarm'
export const alarmDefaults = {
  description: null,
  type: null,
  entityTypeId: null,
  entityIds: [],
  condition: null,
  clearCondition: null,
  severity: 3,
  forSeconds: 0,
  noDataSeconds: 0,
  maxLatenessSeconds: 0,
}

/**
 * Without `organizationId`, the alarm belongs to the organization of its model, or to the root organization where it
 * has no model.
 */
export async function createAlarm(ctx: Context, caller: Caller, body: CreateAlarm): Promise<Alarm> {
  const { tenantId } = caller
  const draft = { ...alarmDefaults, ...body }
  if (body.organizationId) await requirePrivilegeIn(ctx, caller, 'alarm_management', body.organizationId)
  const { model, signals } = await checkAlarm(ctx, caller, draft)
  const organizationId = body.organizationId ?? (await defaultOrganization(ctx, caller, model))
  return commitAlarmChange(ctx, tenantId, async (tx) => {
    await requireRoom(tx, tenantId, draft.entityTypeId)
    const after = alarmShape(await insertAlarm(tx, tenantId, { ...draft, organizationId }, signals))
    await recordAudit(tx, caller, { action: 'create', resourceType, resourceId: after.id, after })
    return { result: after, changes: [] }
  })
}

/** The organization of an alarm whose definition names none. @throws forbidden */
async function defaultOrganization(ctx: Context, caller: Caller, model: ModelRow | null): Promise<string> {
  const organizationId = model?.organization_id ?? (await rootOrganization(ctx.db, caller.tenantId))
  await requirePrivilegeIn(ctx, caller, 'alarm_management', organizationId)
  return organizationId
}

async function rootOrganization(db: Kysely<Tables>, tenantId: string): Promise<string> {
  const { id } = await db
    .selectFrom('organizations')
    .select('id')
    .where('tenant_id', '=', tenantId)
    .where('parent_organization_id', 'is', null)
    .orderBy('id')
    .limit(1)
    .executeTakeFirstOrThrow()
  return id
}

const watched = ['entityTypeId', 'condition', 'clearCondition', 'forSeconds', 'noDataSeconds'] as const

export async function putAlarm(ctx: Context, caller: Caller, id: string, body: CreateAlarm): Promise<Alarm> {
  const { tenantId } = caller
  const seen = await getAlarm(ctx.db, tenantId, id)
  const { signals } = await checkAlarm(ctx, caller, withNewAssets({ ...alarmShape(seen), ...body }, seen))
  return commitAlarmChange(ctx, tenantId, async (tx) => {
    const row = await getAlarmForUpdate(tx, tenantId, id)
    const before = alarmShape(row)
    if (row.updated_at.getTime() !== seen.updated_at.getTime())
      throw new ApiError('conflict', 'This alarm was changed at the same time. Read it again.')
    if (body.organizationId && body.organizationId.toLowerCase() !== before.organizationId)
      throw validationError({ path: 'organizationId', message: 'cannot be changed' })
    const next = { ...before, ...body, organizationId: before.organizationId }
    const isOther = watched.some((field) => next[field] !== before[field])
    if (next.entityTypeId !== before.entityTypeId) await requireRoom(tx, tenantId, next.entityTypeId)
    const isOtherSelection = next.entityIds.toSorted().join() !== before.entityIds.toSorted().join()
    const revision = isOther || isOtherSelection ? row.revision + 1 : row.revision
    const after = alarmShape(await updateAlarm(tx, tenantId, { alarm: next, signals, revision }))
    await recordAudit(tx, caller, { action: 'update', resourceType, resourceId: id, before, after })
    // An empty selection watches all assets of the model, including those that were watched before.
    const settles = isOther || (isOtherSelection && after.entityIds.length > 0)
    const except = isOther ? [] : after.entityIds
    const changes = settles
      ? await settleAlarm(tx, tenantId, { alarmId: id, reason: 'alarm_changed', except })
      : []
    return { result: after, changes }
  })
}

/**
 * Only newly named assets are checked. The others may have been deleted or moved to another model since, which must not
 * keep a user from changing the rest of the alarm.
 */
function withNewAssets(next: Alarm, { entity_type_id, entity_ids }: AlarmRow): Alarm {
  if (next.entityTypeId !== entity_type_id) return next
  return { ...next, entityIds: next.entityIds.filter((id) => !entity_ids.includes(id)) }
}

export const removeAlarm = (ctx: Context, caller: Caller, id: string): Promise<void> =>
  commitAlarmChange(ctx, caller.tenantId, async (tx) => {
    const before = alarmShape(await getAlarmForUpdate(tx, caller.tenantId, id))
    const changes = await settleAlarm(tx, caller.tenantId, { alarmId: id, reason: 'alarm_deleted' })
    await deleteAlarm(tx, caller.tenantId, id)
    await recordAudit(tx, caller, { action: 'delete', resourceType, resourceId: id, before })
    return { result: undefined, changes }
  })

/** The committed alarm applies to the next sample on this node, and shortly afterwards on other nodes. */
async function commitAlarmChange<T>(
  { db, alarms }: Context,
  tenantId: string,
  run: (tx: Kysely<Tables>) => Promise<{ result: T; changes: AlarmChange[] }>,
): Promise<T> {
  const { result, changes } = await db.transaction().execute(async (tx) => {
    const made = await run(tx)
    await announceChanges(alarms, tx, made.changes)
    await publishAlarmsChanged(alarms, tx, tenantId)
    return made
  })
  forgetTenant(alarms.memory, tenantId)
  afterCommit(alarms, changes)
  return result
}
