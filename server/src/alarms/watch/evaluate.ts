/** Samples against the alarms in memory: on the way of every sample, so it asks no database and remembers nothing. */
import type { StoredSample } from '../../timeseries/storage/stored-sample.ts'
import { type AssetWatch, conditionBudget, type Known, setOpen } from './model-watch.ts'
import { afterCrossing, type Crossing, findCrossing, type Rule } from './rule.ts'

/** That an alarm seems to change its state on an asset; `applyCrossings` decides. */
export interface AlarmCrossing {
  tenantId: string
  alarmId: string
  revision: number
  assetId: string
  crossing: Crossing
  /** Of the sample; null where it is one that did not come. */
  value: unknown
  timeMs: number
  /** `timeMs`, or the time of its arrival where that is before. */
  orderMs: number
}

export type Unevaluated = Pick<AlarmCrossing, 'tenantId' | 'alarmId' | 'assetId'>

/** What came of a batch, until its samples are committed. */
export interface Evaluation {
  samples: StoredSample[]
  crossings: AlarmCrossing[]
  /** Alarms that stay as they are, since their conditions took too much work. */
  unevaluated: Unevaluated[]
  /** Assets whose samples other processes have to hear of, each with its tenant; nothing where nobody was there to hear. */
  sharedAssets: SharedAssets | undefined
  /** What others may have ended, or somebody acknowledged there, without this process having heard of it yet. */
  doubtful: { tenantId: string; assetId: string }[]
  /** Grows: what changed since stands behind it. */
  batch: number
  nowMs: number
}

export type SharedAssets = ReadonlyMap<AssetWatch, string>

interface EvaluationOptions {
  batch: number
  nowMs: number
  /** Other processes may bring samples of the same assets. */
  isShared?: boolean
}

export type FindAsset = (sample: StoredSample) => AssetWatch | undefined

export function evaluate(
  findAsset: FindAsset,
  samples: StoredSample[],
  { batch, nowMs, isShared = false }: EvaluationOptions,
): Evaluation {
  const crossings: AlarmCrossing[] = []
  const unevaluated: Unevaluated[] = []
  const sharedAssets = isShared ? new Map<AssetWatch, string>() : undefined
  const waiting: Evaluation['doubtful'] = []
  const ordered = inTimeOrder(samples)
  for (let from = 0, to = 0; from < ordered.length; from = to) {
    const first = ordered[from]!
    // What one message brings is known together, before anything of it is judged.
    for (to = from + 1; to < ordered.length && isOfOneMoment(ordered[to]!, first);) to++
    const asset = findAsset(first)
    if (!asset || asset.model.rules.length === 0) continue
    const known = getDraft(asset, batch)
    known.budget = conditionBudget()
    const moment: Moment = { asset, known, nowMs, crossings, unevaluated }
    for (const { sample, slot } of applyValues(moment, ordered, from, to)) {
      for (const rule of slot === undefined ? asset.rulesOfAll : asset.rulesBySlot[slot]!)
        evaluateRule(moment, rule, sample)
      if (slot !== undefined) for (const rule of asset.rulesOfAll) evaluateRule(moment, rule, sample)
      if (!sharedAssets || slot === undefined || !concernsOtherNodes(asset, known, slot)) continue
      sharedAssets.set(asset, sample.tenantId)
      if (waitsForAcknowledgement(asset, known, slot))
        waiting.push({ tenantId: sample.tenantId, assetId: asset.assetId })
    }
  }
  const doubtful = sharedAssets ? [...crossings, ...waiting] : []
  return { samples, crossings, unevaluated, sharedAssets, doubtful, batch, nowMs }
}

/** What is open here may not be so any more, and of several signals others may know newer values: they look at it, too. */
const concernsOtherNodes = ({ rulesBySlot }: AssetWatch, { open }: Known, slot: number): boolean =>
  rulesBySlot[slot]!.some(({ alarmId, slots }) => slots.length > 1 || open?.has(alarmId))

/** Only that nobody has acknowledged it keeps it from activating again. [docs/alarms#states] */
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

function getDraft(asset: AssetWatch, batch: number): Known {
  if (asset.draftOf !== batch) {
    const { values, times, open, budget } = asset.known
    asset.draft = { values: values.slice(), times: times.slice(), open, budget }
    asset.draftOf = batch
  }
  return asset.draft
}

/** What one message brought of an asset, and what came of it. */
interface Moment extends Pick<Evaluation, 'crossings' | 'unevaluated' | 'nowMs'> {
  asset: AssetWatch
  known: Known
}

interface AppliedValue {
  sample: StoredSample
  /** Nothing where no condition reads the signal. */
  slot: number | undefined
}

/** Leaves out what is older than the newest of its signal: it does not move the state back. */
function applyValues(
  { asset, known, nowMs }: Moment,
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

/** A device whose clock is fast must not silence itself for as long. */
const orderTime = ({ timeMs }: StoredSample, nowMs: number): number => (timeMs < nowMs ? timeMs : nowMs)

/** @returns whether it is the newest of its signal */
export function applyValue(known: Known, slot: number, sample: StoredSample, nowMs: number): boolean {
  const ms = orderTime(sample, nowMs)
  const newestMs = known.times[slot]!
  // A time beyond now is of before our clock went back: it must not silence the signal until then.
  if (ms < newestMs && newestMs <= nowMs) return false
  known.values[slot] = sample.value
  known.times[slot] = ms
  return true
}

/** The values of a condition are as new as the newest of them: signals of several devices have several clocks. */
const knownSince = (rule: Rule, known: Known, ms: number) =>
  rule.slots.reduce((newest, slot) => Math.max(newest, known.times[slot]!), ms)

function evaluateRule(moment: Moment, rule: Rule, sample: StoredSample): void {
  const { asset, known, nowMs, crossings, unevaluated } = moment
  if (rule.maxLatenessMs > 0 && sample.timeMs < nowMs - rule.maxLatenessMs) return
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
  crossings.push({
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

/** Of those that the rule reads. */
export const findNewestSlot = (rule: Rule, { times }: Known): number | undefined =>
  rule.slots.toSorted((a, b) => times[b]! - times[a]!)[0]

/**
 * What the values that are known say, without a new sample: where batches passed each other on the way to the database.
 */
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
