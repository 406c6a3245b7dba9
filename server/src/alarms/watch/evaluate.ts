/**
 * Evaluates samples against the alarms in memory. Every sample passes through here, so it uses no database and keeps no
 * state.
 */
import { takeTurns } from '../../lib/take-turns.ts'
import type { StoredSample } from '../../timeseries/storage/stored-sample.ts'
import { type AssetWatch, conditionBudget, type Known, setOpen } from './model-watch.ts'
import { afterCrossing, type AlarmCrossing, findCrossing, type Rule } from './rule.ts'
import {
  addCrossing,
  createShares,
  type Draft,
  endMoment,
  type FindAsset,
  leaveOut,
  listCrossings,
  startMoment,
  type Unevaluated,
} from './shares.ts'

/** The result of evaluating a batch, used until its samples are committed. */
export interface Evaluation {
  samples: StoredSample[]
  crossings: AlarmCrossing[]
  /** Alarms that keep their state because their conditions took too much work. */
  unevaluated: Unevaluated[]
  /** Assets whose samples concern other nodes, each with its tenant; undefined where there were no other nodes. */
  sharedAssets: SharedAssets | undefined
  /** Assets whose state another node may have changed without this node having received the notice yet. */
  doubtful: { tenantId: string; assetId: string }[]
  /** Increases with each batch: an asset with `changedAt` at or above this number changed since. */
  batch: number
  nowMs: number
}

export type SharedAssets = ReadonlyMap<AssetWatch, string>

interface EvaluationOptions {
  batch: number
  nowMs: number
  /** Whether other nodes may store samples of the same assets. */
  isShared?: boolean
}

/**
 * Assets are looked up before the first pause, since memory may replace them meanwhile.
 * @param findAsset answers undefined for assets that are not in memory, which are skipped
 */
export async function evaluate(
  findAsset: FindAsset,
  samples: StoredSample[],
  { batch, nowMs, isShared = false }: EvaluationOptions,
): Promise<Evaluation> {
  const unevaluated: Unevaluated[] = []
  const sharedAssets = isShared ? new Map<AssetWatch, string>() : undefined
  const waiting: Evaluation['doubtful'] = []
  const shares = createShares(findAsset, samples)
  const ordered = inTimeOrder(samples)
  const turn = takeTurns()
  for (let from = 0, to = 0; from < ordered.length; from = to) {
    const first = ordered[from]!
    // All values of a moment are applied before any rule is evaluated.
    for (to = from + 1; to < ordered.length && isOfOneMoment(ordered[to]!, first);) to++
    const share = shares.get(first.tenantId)
    const draft = first.ownerType === 'asset' ? share?.drafts.get(first.ownerId) : undefined
    if (!share || !draft) continue
    const { asset, known } = draft
    const moment: Moment = { draft, nowMs, unevaluated }
    startMoment(share, draft)
    for (const { sample, slot } of applyValues(moment, ordered, from, to)) {
      if (share.stepsLeft > 0) share.stepsLeft -= evaluateRules(moment, sample, slot)
      else unevaluated.push(...leaveOut(draft, sample.tenantId))
      if (!sharedAssets || slot === undefined || !concernsOtherNodes(asset, known, slot)) continue
      sharedAssets.set(asset, sample.tenantId)
      if (waitsForAcknowledgement(asset, known, slot))
        waiting.push({ tenantId: sample.tenantId, assetId: asset.assetId })
    }
    endMoment(share, draft)
    const rest = turn()
    if (rest) await rest
  }
  const crossings = listCrossings(shares)
  const doubtful = sharedAssets ? [...crossings, ...waiting] : []
  return { samples, crossings, unevaluated, sharedAssets, doubtful, batch, nowMs }
}

/**
 * Another node may have cleared what is open here, or may hold newer values of other signals of the condition. Other
 * nodes then evaluate the asset too.
 */
const concernsOtherNodes = ({ rulesBySlot }: AssetWatch, { open }: Known, slot: number): boolean =>
  rulesBySlot[slot]!.some(({ alarmId, slots }) => slots.length > 1 || open?.has(alarmId))

/** Whether the alarm would activate again if its status had been acknowledged. [docs/alarms#states] */
const waitsForAcknowledgement = ({ rulesBySlot }: AssetWatch, known: Known, slot: number): boolean =>
  rulesBySlot[slot]!.some(
    (rule) =>
      known.open?.get(rule.alarmId)?.state === 'inactive_unacknowledged' &&
      findCrossing(rule, undefined, known, 0) !== undefined,
  )

function inTimeOrder(samples: StoredSample[]): StoredSample[] {
  for (let index = 1; index < samples.length; index++)
    if (samples[index]!.timeMs < samples[index - 1]!.timeMs)
      return samples.toSorted((a, b) => a.timeMs - b.timeMs)
  return samples
}

const isOfOneMoment = (a: StoredSample, b: StoredSample) =>
  a.timeMs === b.timeMs && a.ownerId === b.ownerId && a.tenantId === b.tenantId && a.ownerType === b.ownerType

/** The samples of one asset at one time, and the results of evaluating them. */
interface Moment extends Pick<Evaluation, 'unevaluated' | 'nowMs'> {
  draft: Draft
}

interface AppliedValue {
  sample: StoredSample
  /** Undefined where no condition reads the signal. */
  slot: number | undefined
}

/** Skips samples that are older than the newest of their signal, so that they do not move the state back. */
function applyValues(
  { draft: { asset, known }, nowMs }: Moment,
  samples: StoredSample[],
  from: number,
  to: number,
): AppliedValue[] {
  const taken: AppliedValue[] = []
  for (let index = from; index < to; index++) {
    const sample = samples[index]!
    if (sample.type !== 'telemetry') continue
    const slot = findSlot(asset, sample)
    if (slot === undefined) {
      if (asset.rulesOfAll.length > 0) taken.push({ sample, slot })
    } else if (applyValue(known, slot, sample, nowMs)) taken.push({ sample, slot })
  }
  return taken
}

export const findSlot = ({ model }: AssetWatch, { componentId, name }: StoredSample): number | undefined =>
  model.slots.get(componentId)?.get(name)

/** A time in the future counts as now, so that a device with a fast clock does not suppress its own later samples. */
const orderTime = ({ timeMs }: StoredSample, nowMs: number): number => (timeMs < nowMs ? timeMs : nowMs)

/** @returns whether the sample is the newest of its signal */
export function applyValue(known: Known, slot: number, sample: StoredSample, nowMs: number): boolean {
  const ms = orderTime(sample, nowMs)
  const newestMs = known.times[slot]!
  // A known time in the future was recorded before our clock was set back; later samples must not be ignored until
  // then.
  if (ms < newestMs && newestMs <= nowMs) return false
  known.values[slot] = sample.value
  known.times[slot] = ms
  return true
}

/** The values of a condition are as new as the newest of them, since signals of several devices have several clocks. */
const knownSince = (rule: Rule, known: Known, ms: number) =>
  rule.slots.reduce((newest, slot) => Math.max(newest, known.times[slot]!), ms)

/** @returns the number of rules that were evaluated */
function evaluateRules(moment: Moment, sample: StoredSample, slot: number | undefined): number {
  const { rulesBySlot, rulesOfAll } = moment.draft.asset
  const rules = slot === undefined ? [] : rulesBySlot[slot]!
  for (const rule of rules) evaluateRule(moment, rule, sample)
  for (const rule of rulesOfAll) evaluateRule(moment, rule, sample)
  return rules.length + rulesOfAll.length
}

function evaluateRule(moment: Moment, rule: Rule, sample: StoredSample): void {
  const { draft, nowMs, unevaluated } = moment
  const { asset, known } = draft
  const arrivedMs = sample.receivedAtMs ?? nowMs
  if (rule.maxLatenessMs > 0 && sample.timeMs < arrivedMs - rule.maxLatenessMs) return
  const open = known.open?.get(rule.alarmId)
  const crossing = findCrossing(rule, open, known, sample.timeMs)
  if (crossing === undefined) return
  if (crossing === 'unevaluated') {
    const { tenantId } = sample
    return void unevaluated.push({ tenantId, alarmId: rule.alarmId, assetId: asset.assetId })
  }
  const orderMs = Math.min(knownSince(rule, known, orderTime(sample, nowMs)), nowMs)
  // A sample from before the silence does not end it.
  if (crossing === 'returns' && rule.noDataMs > 0 && orderMs + rule.noDataMs <= nowMs) return
  setOpen(known, rule.alarmId, afterCrossing(open, crossing, orderMs))
  addCrossing(draft, {
    tenantId: sample.tenantId,
    alarmId: rule.alarmId,
    revision: rule.revision,
    assetId: asset.assetId,
    crossing,
    value: sample.value,
    timeMs: sample.timeMs,
    orderMs,
  })
}

/** Finds the slot with the newest value among those that the rule reads. */
export const findNewestSlot = (rule: Rule, { times }: Known): number | undefined =>
  rule.slots.toSorted((a, b) => times[b]! - times[a]!)[0]

/** Evaluates the known values without a new sample, for batches that overtook each other on the way to the database. */
export function reevaluateAsset(tenantId: string, asset: AssetWatch, nowMs: number): AlarmCrossing[] {
  const rules = new Set(asset.rulesBySlot.flat())
  asset.known.budget = conditionBudget()
  return [...rules].flatMap((rule): AlarmCrossing[] => {
    const { known, assetId } = asset
    const slot = findNewestSlot(rule, known)
    const ms = slot === undefined ? -Infinity : Math.min(known.times[slot]!, nowMs)
    if (slot === undefined || ms === -Infinity || (rule.maxLatenessMs > 0 && ms < nowMs - rule.maxLatenessMs))
      return []
    const crossing = findCrossing(rule, known.open?.get(rule.alarmId), known, ms)
    if (crossing === undefined || crossing === 'unevaluated') return []
    if (crossing === 'returns' && rule.noDataMs > 0 && ms + rule.noDataMs <= nowMs) return []
    const { alarmId, revision } = rule
    return [
      { tenantId, alarmId, revision, assetId, crossing, value: known.values[slot], timeMs: ms, orderMs: ms },
    ]
  })
}
