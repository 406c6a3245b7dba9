/** `noDataSeconds`: a periodic job searches the stored samples for assets that were silent for that long. */
import { type Kysely, type Selectable, sql } from 'kysely'
import type { Context } from '../../context.ts'
import type { AlarmSignal, Tables } from '../../database/tables.ts'
import { hasSampleSince } from '../../timeseries/query/has-sample-since.ts'
import { applyCrossings } from '../statuses/apply-crossings.ts'
import { changeStatuses } from '../statuses/change-statuses.ts'

type AlarmRow = Selectable<Tables['alarms']>

const PAGE = 1000

export type SilenceContext = Pick<Context, 'db' | 'alarms'> & { stream?: Arrivals | undefined }

/** Where messages wait in a stream before they are stored. */
export interface Arrivals {
  /** @returns the time up to which all that arrived is stored, in ms since 1970; undefined while that is not known */
  readStoredUntilMs(): Promise<number | undefined>
}

/**
 * Silence is measured by the times of the samples, not by their arrival. What waits in a stream is no silence.
 * @throws after all alarms were checked, where the check failed for some of them
 */
export async function checkSilence({ db, alarms, stream }: SilenceContext): Promise<void> {
  const nowMs = stream ? await stream.readStoredUntilMs() : Date.now()
  if (nowMs === undefined) return
  const watching = await db
    .selectFrom('alarms as a')
    .innerJoin('tenants as t', 't.id', 'a.tenant_id')
    .selectAll('a')
    .select('t.number as tenant_number')
    .where('a.no_data_seconds', '>', 0)
    .where('a.entity_type_id', 'is not', null)
    .orderBy('a.id')
    .execute()
  const failures: unknown[] = []
  for (const alarm of watching)
    await checkAlarmSilence({ db, alarms }, alarm, nowMs).catch((error: unknown) => failures.push(error))
  if (failures.length > 0)
    throw new AggregateError(failures, `the silence of ${failures.length} alarms could not be looked at`)
}

type WatchingRow = AlarmRow & { tenant_number: number }

async function checkAlarmSilence(
  { db, alarms }: Pick<Context, 'db' | 'alarms'>,
  alarm: WatchingRow,
  nowMs: number,
): Promise<void> {
  const sinceMs = nowMs - alarm.no_data_seconds * 1000
  let after = ''
  for (let hasMore = true; hasMore;) {
    const silent = await listSilent(db, alarm, sinceMs, after)
    if (silent.length > 0) await activate(alarms, alarm, silent, sinceMs)
    hasMore = silent.length === PAGE
    after = silent.at(-1) ?? after
  }
}

const activate = (alarms: Context['alarms'], alarm: AlarmRow, assetIds: string[], sinceMs: number) =>
  changeStatuses(alarms, (tx) =>
    applyCrossings(
      tx,
      assetIds.map((assetId) => ({
        tenantId: alarm.tenant_id,
        alarmId: alarm.id,
        revision: alarm.revision,
        assetId,
        crossing: 'crosses',
        value: null,
        timeMs: sinceMs,
        orderMs: sinceMs,
      })),
    ),
  )

/**
 * Lists assets of the alarm that have existed for that long and have no sample since then of any signal that the alarm
 * names, or of any signal at all where it names none.
 */
async function listSilent(
  db: Kysely<Tables>,
  alarm: WatchingRow,
  sinceMs: number,
  after: string,
): Promise<string[]> {
  const since = sql`to_timestamp(${sinceMs}::float8 / 1000)`
  const { tenant_number: tenantNumber } = alarm
  const { rows } = await sql<{ id: string }>`
    select a.id from assets a
    where a.tenant_id = ${alarm.tenant_id} and a.model_id = ${alarm.entity_type_id} and a.id > ${after}
      and (${alarm.entity_ids.length === 0}::boolean or a.id = any(${alarm.entity_ids}::text[]))
      and a.created_at <= ${since}
      and not exists (
        select from alarm_statuses o
        where o.tenant_id = a.tenant_id and o.alarm_id = ${alarm.id} and o.asset_id = a.id and o.state <> 'cleared')
      and not exists (
        select from series s
        where s.tenant_number = ${alarm.tenant_number}::int and s.owner_type = 'asset' and s.owner_id = a.id
          and s.type = 'telemetry' and ${matchesSignals(alarm.signals)} and ${hasSampleSince({ tenantNumber, series: 's' }, since)})
    order by a.id limit ${PAGE}`.execute(db)
  return rows.map(({ id }) => id)
}

const matchesSignals = (signals: AlarmSignal[]) =>
  signals.length === 0
    ? sql`true`
    : sql`(s.component_id, s.name) in (select * from unnest(
        ${signals.map(({ componentId }) => componentId)}::text[], ${signals.map(({ name }) => name)}::text[]))`
