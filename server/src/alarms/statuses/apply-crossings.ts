/**
 * Decides in the transaction of the samples whether the crossings found in memory really change a status. The unique
 * index and the lock on open statuses ensure one open status per alarm and asset, however many nodes store samples of
 * it.
 */
import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../database/tables.ts'
import { addJob } from '../../jobs/add-job.ts'
import { newId } from '../../lib/ids.ts'
import type { AlarmChange } from './alarm-change.ts'
import { moveStatuses } from './move.ts'
import type { AlarmStatusRow } from '../../database/tables/alarms.ts'
import { alarmChange } from './shape.ts'
import type { AlarmCrossing } from '../watch/rule.ts'

type Tx = Kysely<Tables>

/** The payload of this job names the alarm and the asset. */
export const CHECK_HOLD = 'check-alarm-hold'

/** @returns the changes, in order; crossings of an alarm that was changed meanwhile are ignored */
export async function applyCrossings(tx: Tx, crossings: AlarmCrossing[]): Promise<AlarmChange[]> {
  if (crossings.length === 0) return []
  const revisions = await lockAlarms(tx, crossings)
  const current = crossings.filter(({ alarmId, revision }) => revisions.get(alarmId) === revision)
  const changes: AlarmChange[] = []
  for (const round of splitIntoRounds(current)) {
    const of = (kind: AlarmCrossing['crossing']) => round.filter(({ crossing }) => crossing === kind)
    await deleteHolds(tx, [...of('release'), ...of('crosses')])
    await insertHolds(tx, of('hold'))
    changes.push(...(await activate(tx, of('crosses'))), ...(await deactivate(tx, of('returns'))))
  }
  return changes
}

/**
 * A transaction that changes one of these alarms waits until this one commits, and then clears the statuses that it
 * left open.
 */
async function lockAlarms(tx: Tx, crossings: AlarmCrossing[]): Promise<Map<string, number>> {
  const ids = [...new Set(crossings.map(({ alarmId }) => alarmId))]
  const { rows } = await sql<{ id: string; revision: number }>`
    select id, revision from alarms where id = any(${ids}::uuid[]) order by id for share`.execute(tx)
  return new Map(rows.map(({ id, revision }) => [id, revision]))
}

/**
 * Splits into rounds: the first crossing of every alarm and asset, then the second, and so on. Rounds are sorted to
 * avoid a deadlock.
 */
function splitIntoRounds(crossings: AlarmCrossing[]): AlarmCrossing[][] {
  const rounds: AlarmCrossing[][] = []
  const seen = new Map<string, number>()
  const crossingKey = ({ tenantId, alarmId, assetId }: AlarmCrossing) => `${tenantId} ${alarmId} ${assetId}`
  for (const crossing of crossings) {
    const place = seen.get(crossingKey(crossing)) ?? 0
    seen.set(crossingKey(crossing), place + 1)
    ;(rounds[place] ??= []).push(crossing)
  }
  return rounds.map((round) => round.toSorted((a, b) => (crossingKey(a) < crossingKey(b) ? -1 : 1)))
}

const crossingColumns = (crossings: AlarmCrossing[]) => sql`unnest(
  ${crossings.map(({ tenantId }) => tenantId)}::text[], ${crossings.map(({ alarmId }) => alarmId)}::uuid[],
  ${crossings.map(({ assetId }) => assetId)}::text[], ${crossings.map(({ orderMs }) => orderMs)}::float8[])`

/**
 * True for a time recorded before the clock was set back; samples must not be ignored until that time is reached. The
 * clocks of several servers differ by less than a minute.
 */
const isInFuture = sql`s.moved_by_time > now() + interval '1 minute'`

/**
 * Opens statuses. Nothing happens where a status is open already, where a newer sample from another node has already
 * cleared it, or where the asset was deleted or moved to another model.
 */
async function activate(tx: Tx, crossings: AlarmCrossing[]): Promise<AlarmChange[]> {
  if (crossings.length === 0) return []
  const { rows } = await sql<AlarmStatusRow>`
    with crossing as materialized (
      select k.*, v.id, v.value, to_timestamp(v.ms / 1000) as time, a.organization_id as asset_organization_id,
        a.display_name, a.model_id, a.created_at
      from ${crossingColumns(crossings)} with ordinality as k (tenant_id, alarm_id, asset_id, order_ms, place)
      join unnest(${crossings.map(newId)}::uuid[], ${crossings.map(({ value }) => JSON.stringify(value))}::jsonb[],
        ${crossings.map(({ timeMs }) => timeMs)}::float8[]) with ordinality as v (id, value, ms, place) using (place)
      join assets a on a.tenant_id = k.tenant_id and a.id = k.asset_id
      for key share of a
    )
    insert into alarm_statuses (id, tenant_id, alarm_id, alarm_name, severity, organization_id, asset_id, asset_name,
      asset_organization_id, state, activated_at, value, time, moved_by_time)
    select c.id, c.tenant_id, c.alarm_id, alarm.name, alarm.severity, alarm.organization_id, c.asset_id, c.display_name,
      c.asset_organization_id, 'active_unacknowledged', now(), c.value, c.time, to_timestamp(c.order_ms / 1000)
    from crossing c join alarms alarm on alarm.id = c.alarm_id and alarm.entity_type_id = c.model_id
    where not exists (
      select from alarm_statuses s
      where s.tenant_id = c.tenant_id and s.alarm_id = c.alarm_id and s.asset_id = c.asset_id
        and s.moved_by_time > to_timestamp(c.order_ms / 1000) and not ${isInFuture}
        -- Not of an asset that had this id before.
        and s.activated_at >= c.created_at
    )
    order by c.place
    on conflict (tenant_id, alarm_id, asset_id) where state <> 'cleared' do nothing
    returning *`.execute(tx)
  return rows.map((row) => alarmChange(row, true))
}

async function deactivate(tx: Tx, crossings: AlarmCrossing[]): Promise<AlarmChange[]> {
  if (crossings.length === 0) return []
  const { rows } = await sql<Pick<AlarmStatusRow, 'id' | 'state'> & { order_ms: number }>`
    select s.id, s.state, k.order_ms
    from ${crossingColumns(crossings)} as k (tenant_id, alarm_id, asset_id, order_ms)
    join alarm_statuses s using (tenant_id, alarm_id, asset_id)
    where s.state <> 'cleared' and (s.moved_by_time <= to_timestamp(k.order_ms / 1000) or ${isInFuture})
    order by s.alarm_id, s.asset_id for update of s`.execute(tx)
  const movedByMs = new Map(rows.map((row) => [row.id, row.order_ms]))
  return moveStatuses(tx, rows, { event: 'returns', movedByMs })
}

/** Inserts holds, each with a job that checks it when it is due; there is one hold per alarm and asset. */
async function insertHolds(tx: Tx, crossings: AlarmCrossing[]): Promise<void> {
  if (crossings.length === 0) return
  const { rows } = await sql<{ payload: object; key: string; due_at: Date; job_id: string | null }>`
    with inserted as (
      insert into alarm_holds (tenant_id, alarm_id, asset_id, since, due_at)
      select k.tenant_id, k.alarm_id, k.asset_id, to_timestamp(k.order_ms / 1000),
        clock_timestamp() + make_interval(secs => alarm.for_seconds)
      from ${crossingColumns(crossings)} as k (tenant_id, alarm_id, asset_id, order_ms)
      join alarms alarm on alarm.id = k.alarm_id
      join assets a on a.tenant_id = k.tenant_id and a.id = k.asset_id and a.model_id = alarm.entity_type_id
      order by k.alarm_id, k.asset_id
      on conflict do nothing returning tenant_id, alarm_id, asset_id, due_at
    ), hold as (
      select json_build_object('tenantId', tenant_id, 'alarmId', alarm_id, 'assetId', asset_id) as payload,
        alarm_id || ' ' || asset_id as key, due_at
      from inserted
    )
    select hold.*, job.id as job_id
    from hold cross join lateral graphile_worker.add_job(${CHECK_HOLD}, payload := payload, job_key := key, run_at := due_at) job`.execute(
    tx,
  )
  // A worker may be locking the job of an earlier hold at this moment; `addJob` tries again.
  for (const { payload, key, due_at: runAt, job_id: jobId } of rows)
    if (jobId === null) await addJob(tx, CHECK_HOLD, payload, { key, runAt })
}

async function deleteHolds(tx: Tx, crossings: AlarmCrossing[]): Promise<void> {
  if (crossings.length === 0) return
  await sql`delete from alarm_holds h using ${crossingColumns(crossings)} as k (tenant_id, alarm_id, asset_id, order_ms)
    where h.tenant_id = k.tenant_id and h.alarm_id = k.alarm_id and h.asset_id = k.asset_id`.execute(tx)
}
