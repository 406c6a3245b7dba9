/**
 * Runs a draft over stored samples, with the rules and states of live alarms and the clock of the samples.
 * [docs/alarms#backtest]
 */
import type { Context } from '../../context.ts'
import type { Caller } from '../../http/access.ts'
import { validationError } from '../../http/errors.ts'
import { createTurns, takeTurns } from '../../lib/take-turns.ts'
import { parseTimestamp, timestampHint } from '../../timeseries/timestamp.ts'
import { alarmDefaults } from '../change-alarm.ts'
import { checkAlarm } from '../check-alarm.ts'
import { nextState } from '../statuses/states.ts'
import { type AssetWatch, createAssetWatch, conditionBudget, createModelWatch } from '../watch/model-watch.ts'
import { afterCrossing, type Crossing, findCrossing, type Open, type Rule } from '../watch/rule.ts'
import { listAssetSeries, type Moment, readMoments, type Span } from './moments.ts'
import type { BacktestRequest, BacktestResult } from './schema.ts'

export const MAX_SAMPLES = 500_000
export const MAX_ACTIVATIONS = 10_000
/** Steps of JSONLogic that all conditions of one backtest may take together. */
export const MAX_STEPS = 20_000_000

/** All backtests share these turns, so that many at once hold the event loop for no longer than one. */
const nextTurn = createTurns()

/** @throws validation_error, also when the span holds too many samples */
export async function backtest(ctx: Context, caller: Caller, body: BacktestRequest): Promise<BacktestResult> {
  const span = readSpan(body)
  const draft = { ...alarmDefaults, ...body.alarm, entityIds: body.assetIds }
  if (draft.entityTypeId === null)
    throw validationError({ path: 'alarm.entityTypeId', message: 'must be given' })
  const { signals } = await checkAlarm(ctx, caller, draft)
  const model = createModelWatch([
    {
      id: 'draft',
      revision: 1,
      entity_ids: [],
      signals,
      condition: draft.condition,
      clear_condition: draft.clearCondition,
      for_seconds: draft.forSeconds,
      no_data_seconds: draft.noDataSeconds,
      max_lateness_seconds: 0,
    },
  ])
  const { number } = await ctx.db
    .selectFrom('tenants')
    .select('number')
    .where('id', '=', caller.tenantId)
    .executeTakeFirstOrThrow()
  const result: BacktestResult = {
    activations: [],
    notifications: 0,
    notificationsUnacknowledged: 0,
    samples: 0,
    samplesNotJudged: 0,
  }
  const run = { result, stepsLeft: MAX_STEPS, turn: takeTurns(nextTurn) }
  using query = ctx.queries.open(caller.tenantId)
  for (const assetId of body.assetIds) {
    const before = result.activations.length
    const series = await listAssetSeries(query.db, number, assetId, signals)
    await replay(run, createAssetWatch(assetId, 1, model), readMoments(query.db, series, span), span)
    if (result.activations.length > before) result.notificationsUnacknowledged++
  }
  result.notifications = result.activations.length
  return result
}

function readSpan({ from, to }: BacktestRequest): Span {
  const [start, end] = [parseTimestamp(from), parseTimestamp(to)]
  if (start === undefined) throw validationError({ path: 'from', message: `must be ${timestampHint}` })
  if (end === undefined) throw validationError({ path: 'to', message: `must be ${timestampHint}` })
  if (start >= end) throw validationError({ path: 'to', message: 'must lie after from' })
  return { from: start, to: Math.min(end, Date.now()) }
}

/** State that the replays of all assets share. */
interface Backtest {
  result: BacktestResult
  stepsLeft: number
  turn: ReturnType<typeof takeTurns>
}

interface Replay {
  result: BacktestResult
  asset: AssetWatch
  rule: Rule
  open: Open | undefined
  lastMs: number
  lastValue: unknown
}

async function replay(shared: Backtest, asset: AssetWatch, moments: AsyncIterable<Moment>, span: Span) {
  const { result } = shared
  const run: Replay = {
    result,
    asset,
    rule: asset.model.rules[0]!,
    open: undefined,
    lastMs: span.from,
    lastValue: null,
  }
  for await (const { ms, values } of moments) {
    result.samples += values.length
    if (result.samples > MAX_SAMPLES) refuse(`holds more than ${MAX_SAMPLES} samples`)
    letTimePass(run, ms)
    for (const { series, value } of values) {
      const slot = asset.model.slots.get(series.componentId)?.get(series.name)
      if (slot !== undefined) asset.known.values[slot] = value ?? undefined
      run.lastValue = value
    }
    run.lastMs = ms
    const budget = (asset.known.budget = conditionBudget())
    const crossing = findCrossing(run.rule, run.open, asset.known, ms)
    if (crossing === 'unevaluated') result.samplesNotJudged += values.length
    else if (crossing) cross(run, crossing, { ms, value: run.lastValue, sampleMs: ms })
    shared.stepsLeft -= budget.steps - budget.stepsLeft
    if (shared.stepsLeft < 0)
      refuse(`takes more than the ${MAX_STEPS} steps of work that the conditions may take together`)
    await shared.turn()
  }
  letTimePass(run, span.to)
}

const refuse = (what: string): never => {
  throw validationError({ path: 'to', message: `${what}: ask for a shorter span or fewer assets` })
}

/**
 * Applies what the clock would have caused before the next sample: a condition held long enough, or no sample arrived.
 */
function letTimePass(run: Replay, ms: number): void {
  const { rule, open } = run
  const dueMs = (open?.heldSinceMs ?? Infinity) + rule.forMs
  if (dueMs < ms) cross(run, 'crosses', { ms: dueMs, value: run.lastValue, sampleMs: run.lastMs })
  const silentMs = run.lastMs + rule.noDataMs
  const canCross = nextState(run.open?.state ?? 'cleared', 'crosses') !== undefined
  if (rule.noDataMs > 0 && silentMs < ms && canCross)
    cross(run, 'crosses', { ms: silentMs, value: null, sampleMs: run.lastMs })
}

interface CrossingMoment {
  ms: number
  value: unknown
  /** Time of the newest sample at that moment. */
  sampleMs: number
}

/** Every activation is acknowledged at once, so that the next one is counted too. */
function cross(run: Replay, crossing: Crossing, { ms, value, sampleMs }: CrossingMoment): void {
  const { activations } = run.result
  if (crossing === 'returns') activations.at(-1)!.inactiveAt = new Date(ms).toISOString()
  run.open = afterCrossing(run.open, crossing, ms)
  if (crossing !== 'crosses') return
  const acknowledged = nextState(run.open!.state, 'acknowledge')!
  run.open = { state: acknowledged, heldSinceMs: undefined }
  if (activations.length === MAX_ACTIVATIONS) refuse(`has more than ${MAX_ACTIVATIONS} activations`)
  activations.push({
    entityId: run.asset.assetId,
    activatedAt: new Date(ms).toISOString(),
    inactiveAt: null,
    value: value ?? null,
    timestamp: new Date(sampleMs).toISOString(),
  })
}
