/** Stores samples of assets as ingest does: appended, evaluated and committed. */
import type { AlarmChange } from '../../src/alarms/statuses/alarm-change.ts'
import type { AlarmRow } from '../../src/database/tables/alarms.ts'
import type { Context } from '../../src/context.ts'
import type { StoredSample } from '../../src/timeseries/storage/stored-sample.ts'
import { makePumpModel, pumpModel } from './assets.ts'
import { type Platform, startPlatform } from './platform.ts'
import { storeSamples } from './telemetry.ts'
import { applyAlarms } from '../../src/alarms/apply-alarms.ts'
import { evaluateAlarms } from '../../src/alarms/watch/evaluate-alarms.ts'
import { rememberEvaluation } from '../../src/alarms/after-commit.ts'
import { settled } from '../../src/alarms/watch/reevaluate.ts'

/** A platform with the model of a pump. It stops once its alarms are reevaluated. */
export async function startAlarmPlatform(): Promise<Platform> {
  const platform = await startPlatform()
  await makePumpModel(platform)
  const stop = async () => {
    await settled(platform.ctx.alarms)
    await platform[Symbol.asyncDispose]()
  }
  return { ...platform, [Symbol.asyncDispose]: stop }
}

export interface AssetSample {
  assetId: string
  name?: string
  componentId?: string
  value: unknown
  /** Milliseconds since 1970; now if absent. */
  ms?: number
  /** Time of arrival of its message, which waited before it was stored. */
  receivedAtMs?: number
}

export async function storedSamples({ db }: Context, samples: AssetSample[]): Promise<StoredSample[]> {
  const { number } = await db
    .selectFrom('tenants')
    .select('number')
    .where('id', '=', 'default')
    .executeTakeFirstOrThrow()
  return samples.map(
    ({ assetId, name = 'temperature', componentId = '', value, ms = Date.now(), ...origin }) => ({
      tenantId: 'default',
      tenantNumber: number,
      ownerType: 'asset',
      ownerId: assetId,
      componentId,
      name,
      type: 'telemetry',
      timeMs: ms,
      value,
      ...origin,
    }),
  )
}

/**
 * @param isLost the transaction of the samples fails at its end
 * @param meanwhile runs after the samples are evaluated and before their transaction begins
 */
export async function bring(
  ctx: Context,
  samples: AssetSample[],
  { isLost = false, meanwhile = async () => {} }: { isLost?: boolean; meanwhile?: () => Promise<void> } = {},
): Promise<AlarmChange[]> {
  const stored = await storedSamples(ctx, samples)
  const evaluation = await evaluateAlarms(ctx.alarms, stored)
  await meanwhile()
  const run = ctx.db.transaction().execute(async (tx) => {
    const changes = await applyAlarms(ctx.alarms, tx, evaluation)
    if (isLost) throw new Error('lost')
    // Before the commit, which publishes them to other nodes.
    for (const sample of stored)
      await storeSamples(ctx, sample, [{ ...sample, time: sample.timeMs, value: sample.value }])
    return changes
  })
  if (isLost) return run.catch(() => [])
  const changes = await run
  rememberEvaluation(ctx.alarms, evaluation, changes)
  ctx.push.publishAlarms(changes)
  return changes
}

export const hot = JSON.stringify({ '>': [{ var: 'temperature' }, 80] })

/** Creates an alarm of the pump model, by default above 80. @returns its id */
export async function makeAlarm(platform: Platform, fields: object = {}): Promise<string> {
  const body = { name: 'Hot', entityTypeId: pumpModel, condition: hot, ...fields }
  const answer = await platform.post('/v1/alarms', body)
  if (answer.status !== 201)
    throw new Error(`making an alarm answered ${answer.status}: ${JSON.stringify(answer.body)}`)
  return answer.body.id
}

/** The states of the asset's statuses in the database, the oldest first. @param alarmName only of this alarm */
export const listStates = async ({ db }: Context, assetId: string, alarmName?: string): Promise<string[]> => {
  const rows = await db
    .selectFrom('alarm_statuses')
    .select('state')
    .where('asset_id', '=', assetId)
    .$if(alarmName !== undefined, (q) => q.where('alarm_name', '=', alarmName!))
    .orderBy('id')
    .execute()
  return rows.map(({ state }) => state)
}

export const alarmRow = ({ db }: Context, id: string): Promise<AlarmRow> =>
  db.selectFrom('alarms').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
