/** Checks that an alarm can watch its model and assets, and that the caller may view them. */
import { sql, type SqlBool } from 'kysely'
import { findCallerReach, requirePermission } from '../access/require.ts'
import { visibleTo } from '../access/decisions/visible-to.ts'
import { listModelContents } from '../assets/models/contents.ts'
import type { ModelRow } from '../database/tables/assets.ts'
import { getModel } from '../assets/models/store.ts'
import type { Context } from '../context.ts'
import type { AlarmSignal } from '../database/tables.ts'
import type { Caller } from '../http/access.ts'
import { ApiError, validationError } from '../http/errors.ts'
import { readCondition } from './conditions/read-condition.ts'
import type { Alarm } from './schema.ts'

export type Watching = Pick<
  Alarm,
  'entityTypeId' | 'entityIds' | 'condition' | 'clearCondition' | 'forSeconds'
>

/**
 * @returns the model, and the signals that the conditions read
 * @throws validation_error that names what is wrong; forbidden where the caller may not view the model or an asset
 */
export async function checkAlarm(
  ctx: Context,
  caller: Caller,
  alarm: Watching,
): Promise<{ model: ModelRow | null; signals: AlarmSignal[] }> {
  const { entityTypeId, entityIds, condition, clearCondition } = alarm
  if (condition === null && (clearCondition !== null || alarm.forSeconds > 0))
    throw validationError({
      path: 'condition',
      message: 'must be given where clearCondition or forSeconds is',
    })
  if (entityTypeId === null) {
    if (condition !== null || entityIds.length > 0)
      throw validationError({
        path: 'entityTypeId',
        message: 'must be given where condition or entityIds is',
      })
    return { model: null, signals: [] }
  }
  const model = await getVisibleModel(ctx, caller, entityTypeId)
  await requireAssets(ctx, caller, entityTypeId, entityIds)
  return { model, signals: await readSignals(ctx, model, alarm) }
}

async function getVisibleModel(ctx: Context, caller: Caller, id: string): Promise<ModelRow> {
  try {
    // A token restricted to alarms may watch every model that its user may view.
    await requirePermission(ctx, { ...caller, privileges: null }, 'view', { type: 'model', id })
    return await getModel(ctx.db, caller.tenantId, id)
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'not_found') throw error
    throw validationError({ path: 'entityTypeId', message: `there is no model ${id}` })
  }
}

async function readSignals({ db }: Context, model: ModelRow, alarm: Watching): Promise<AlarmSignal[]> {
  const contents = await listModelContents(db, model)
  const signals = (['condition', 'clearCondition'] as const).flatMap((path) => {
    const text = alarm[path]
    return text === null ? [] : readCondition(text, path, contents)
  })
  return [...new Map(signals.map((signal) => [signal.variable, signal])).values()]
}

/**
 * @throws validation_error for ids that are not assets of the model; forbidden for assets that the caller may not view
 */
async function requireAssets(ctx: Context, caller: Caller, modelId: string, ids: string[]): Promise<void> {
  if (ids.length === 0) return
  const reach = await findCallerReach(ctx, caller, 'asset')
  const rows = await ctx.db
    .selectFrom('assets as a')
    .select(['a.id', 'a.model_id'])
    .select(
      sql<SqlBool>`${visibleTo(reach, { id: 'a.id', organization: 'a.organization_id' })}`.as('is_visible'),
    )
    .where('a.tenant_id', '=', caller.tenantId)
    .where('a.id', '=', sql<string>`any(${ids}::text[])`)
    .execute()
  const hidden = rows.find((row) => !row.is_visible)
  if (hidden) await requirePermission(ctx, caller, 'view', { type: 'asset', id: hidden.id })
  const fitting = new Set(rows.filter((row) => row.model_id === modelId).map(({ id }) => id))
  const unknown = ids.filter((id) => !fitting.has(id))
  if (unknown.length > 0)
    throw validationError({
      path: 'entityIds',
      message: `names no assets of the model ${modelId}: ${unknown.slice(0, 10).join(', ')}`,
    })
}
