/** Conditions over `alarm_statuses as s` for what a caller may view. */
import { type Expression, sql, type SqlBool } from 'kysely'
import { findCallerReach } from '../../access/require.ts'
import { visibleTo } from '../../access/decisions/visible-to.ts'
import type { Context } from '../../context.ts'
import type { Shown } from '../../dashboards/shown/shown.ts'
import type { Caller } from '../../http/access.ts'

export const findVisibleAlarms = async (ctx: Pick<Context, 'pool'>, caller: Caller) =>
  visibleTo(await findCallerReach(ctx, caller, 'alarm'), {
    id: 's.alarm_id',
    organization: 's.organization_id',
  })

/** The caller must be able to view both the alarm and the asset. */
export async function findVisibleStatuses(ctx: Pick<Context, 'pool'>, { shown, ...caller }: Caller) {
  const assets = await findCallerReach(ctx, caller, 'asset')
  return [
    await findVisibleAlarms(ctx, caller),
    visibleTo(assets, { id: 's.asset_id', organization: 's.asset_organization_id' }),
    ...(shown ? [isShown(shown)] : []),
  ]
}

/** @returns SQL for the statuses of assets that a dashboard names, and of rules that it lists for all assets */
function isShown({ owners, alarmIds }: Shown): Expression<SqlBool> {
  if (alarmIds === 'all') return sql.lit(true)
  return sql<SqlBool>`(s.asset_id = any(${[...owners]}::text[]) or s.alarm_id = any(${[...alarmIds]}::uuid[]))`
}
