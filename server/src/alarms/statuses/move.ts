/** The only place where statuses change their state: the row is locked, the table decides, one statement writes. */
import { type Expression, type Kysely, sql, type SqlBool } from 'kysely'
import type { Tables } from '../../database/tables.ts'
import type { AlarmChange } from './alarm-change.ts'
import { type AlarmEvent, nextState } from './states.ts'
import type { AlarmStatusRow } from '../../database/tables/alarms.ts'
import { alarmChange } from './shape.ts'

/** Locks rows in the same order everywhere, to avoid a deadlock. */
export const lockOpenStatuses = (
  tx: Kysely<Tables>,
  tenantId: string,
  which: Expression<SqlBool>,
): Promise<Pick<AlarmStatusRow, 'id' | 'state'>[]> =>
  tx
    .selectFrom('alarm_statuses as s')
    .select(['s.id', 's.state'])
    .where('s.tenant_id', '=', tenantId)
    .where('s.state', '<>', 'cleared')
    .where(which)
    .orderBy('s.alarm_id')
    .orderBy('s.asset_id')
    .forUpdate('s')
    .execute()

export interface Cause {
  event: AlarmEvent
  /** User or recipient that acknowledges. */
  by?: string
  /** What they wrote. */
  comment?: string | undefined
  /** Reason for clearing, where neither a sample nor an acknowledgement causes it. */
  reason?: string
  /** Time of the sample, by status id. */
  movedByMs?: ReadonlyMap<string, number>
}

/** @param rows already locked */
export async function moveStatuses(
  tx: Kysely<Tables>,
  rows: Pick<AlarmStatusRow, 'id' | 'state'>[],
  { event, by = undefined, comment = undefined, reason = undefined, movedByMs }: Cause,
): Promise<AlarmChange[]> {
  const moves = rows.flatMap(({ id, state }) => {
    const to = nextState(state, event)
    return to ? [{ id, to, ms: movedByMs?.get(id) ?? null }] : []
  })
  if (moves.length === 0) return []
  const acknowledges = event === 'acknowledge'
  const { rows: moved } = await sql<AlarmStatusRow>`
    update alarm_statuses s set
      state = m.state,
      acknowledged_at = case when ${acknowledges}::boolean then now() else acknowledged_at end,
      acknowledged_by = coalesce(${by ?? null}, acknowledged_by),
      acknowledge_comment = coalesce(${comment ?? null}, acknowledge_comment),
      inactive_at = case when ${acknowledges}::boolean then inactive_at else coalesce(inactive_at, now()) end,
      cleared_at = case when m.state = 'cleared' then now() end,
      cleared_reason = ${reason ?? null},
      -- One that lies in the future is of before the clock went back.
      moved_by_time = coalesce(
        greatest(case when moved_by_time <= now() + interval '1 minute' then moved_by_time end, to_timestamp(m.ms / 1000)),
        now())
    from unnest(${moves.map(({ id }) => id)}::uuid[], ${moves.map(({ to }) => to)}::text[],
      ${moves.map(({ ms }) => ms)}::float8[]) as m (id, state, ms)
    where s.id = m.id returning s.*`.execute(tx)
  return moved.map((row) => alarmChange(row))
}
