/** Sends samples of assets through the walk like ingest: evaluates, stores and commits them. */
import type { AlarmChange } from '../../src/alarms/change.ts'
import type { AlarmRow } from '../../src/database/tables/alarms.ts'
import type { Context } from '../../src/context.ts'
import type { StoredSample } from '../../src/timeseries/stored-sample.ts'
import { pumpModel } from './assets.ts'
import type { Platform } from './platform.ts'
import { storeSamples } from './telemetry.ts'

export interface AssetSample {
  assetId: string
  name?: string
  componentId?: string
  value: unknown
  /** Milliseconds since 1970; now where absent. */
  ms?: number
}

export async function storedSamples({ db }: Context, samples: AssetSample[]): Promise<StoredSample[]> {
  const { number } = await db
    .selectFrom('tenants')
    .select('number')
    .where('id', '=', 'default')
    .executeTakeFirstOrThrow()
  return samples.map(({ assetId, name = 'temperature', componentId = '', value, ms = Date.now() }) => ({
    tenantId: 'default',
    tenantNumber: number,
    ownerType: 'asset',
    ownerId: assetId,
    componentId,
    name,
    type: 'telemetry',
    timeMs: ms,
    value,
  }))
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
  const evaluation = await ctx.alarms.judge(stored)
  await meanwhile()
  const run = ctx.db.transaction().execute(async (tx) => {
    const changes = await ctx.alarms.apply(tx, evaluation.crossings, evaluation.told)
    if (isLost) throw new Error('lost')
    // Before the commit, which publishes them to other nodes.
    for (const sample of stored)
      await storeSamples(ctx, sample, [{ ...sample, time: sample.timeMs, value: sample.value }])
    return changes
  })
  if (isLost) return run.catch(() => [])
  const changes = await run
  ctx.alarms.committed(evaluation, changes)
  return changes
}

export const hot = JSON.stringify({ '>': [{ var: 'temperature' }, 80] })

/** An alarm of the pump model, hot above 80 where nothing else is said. @returns its id */
export async function makeAlarm(platform: Platform, fields: object = {}): Promise<string> {
  const body = { name: 'Hot', entityTypeId: pumpModel, condition: hot, ...fields }
  const answer = await platform.post('/v1/alarms', body)
  if (answer.status !== 201)
    throw new Error(`making an alarm answered ${answer.status}: ${JSON.stringify(answer.body)}`)
  return answer.body.id
}

/** Alarm statuses of the asset in the database, the oldest first. @param alarmName only of this alarm */
export const statesOf = async ({ db }: Context, assetId: string, alarmName?: string): Promise<string[]> => {
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
