/** The part of each tenant in one evaluation: the work that its conditions may take, and the state of its assets within it. */
import type { StoredSample } from '../../timeseries/storage/stored-sample.ts'
import { newBudget } from '../../lib/json-logic/budget.ts'
import { type AssetWatch, CONDITION_STEPS, copyKnown, type Known } from './model-watch.ts'
import type { AlarmCrossing } from './rule.ts'

/**
 * Steps for all conditions of a tenant over one batch, so that the messages of other tenants in it wait for at most some
 * 100 ms. A usual comparison takes five.
 */
const BATCH_STEPS = 1_000_000

export interface Share {
  stepsLeft: number
  /** By asset id; assets that no alarm watches have none. */
  drafts: Map<string, Draft>
}

export interface Draft {
  asset: AssetWatch
  /** The state of the asset within the evaluation. */
  known: Known
  /** Crossings of the alarms of the asset within the evaluation, by alarm id. */
  crossings: Map<string, AlarmCrossing[]>
  /** Whether samples of the asset were left out since the tenant had no steps left. */
  isLeftOut: boolean
}

/** An alarm that keeps its state on an asset because the conditions took too much work. */
export interface Unevaluated {
  tenantId: string
  alarmId: string
  assetId: string
}

/** Finds an asset in memory. */
export type FindAsset = (tenantId: string, assetId: string) => AssetWatch | undefined

/** @returns the shares by tenant id */
export function createShares(findAsset: FindAsset, samples: StoredSample[]): Map<string, Share> {
  const shares = new Map<string, Share>()
  for (const { tenantId, ownerType, ownerId } of samples) {
    if (ownerType !== 'asset') continue
    let share = shares.get(tenantId)
    if (!share) shares.set(tenantId, (share = { stepsLeft: BATCH_STEPS, drafts: new Map() }))
    if (share.drafts.has(ownerId)) continue
    const asset = findAsset(tenantId, ownerId)
    if (asset && asset.model.rules.length > 0) share.drafts.set(ownerId, createDraft(asset))
  }
  return shares
}

const createDraft = (asset: AssetWatch): Draft => ({
  asset,
  known: copyKnown(asset.known),
  crossings: new Map(),
  isLeftOut: false,
})

/** Gives the conditions of one moment their budget. */
export function startMoment({ stepsLeft }: Share, { known }: Draft): void {
  known.budget = newBudget(Math.min(CONDITION_STEPS, stepsLeft))
}

/** Takes from the share what the conditions of the moment took. */
export function endMoment(share: Share, { known: { budget } }: Draft): void {
  share.stepsLeft = Math.max(0, share.stepsLeft - (budget.steps - budget.stepsLeft))
}

/** Adds a crossing, and removes crossings of a hold that it overrides: a signal that flaps would fill the transaction with them. */
export function addCrossing({ crossings }: Draft, crossing: AlarmCrossing): void {
  const { alarmId } = crossing
  const before = crossings.get(alarmId)
  if (!before) return void crossings.set(alarmId, [crossing])
  const isOfHold = (one: AlarmCrossing | undefined) => one?.crossing === 'hold' || one?.crossing === 'release'
  // Both delete the hold.
  if (crossing.crossing === 'crosses' || crossing.crossing === 'release')
    while (isOfHold(before.at(-1))) before.pop()
  before.push(crossing)
}

export const listCrossings = (shares: Map<string, Share>): AlarmCrossing[] =>
  [...shares.values()].flatMap(({ drafts }) =>
    [...drafts.values()].flatMap(({ crossings }) => [...crossings.values()].flat()),
  )

/** @returns the alarms of the asset, once */
export function leaveOut(draft: Draft, tenantId: string): Unevaluated[] {
  if (draft.isLeftOut) return []
  draft.isLeftOut = true
  const { assetId, rulesBySlot, rulesOfAll } = draft.asset
  const rules = new Set([...rulesBySlot.flat(), ...rulesOfAll])
  return [...rules].map(({ alarmId }) => ({ tenantId, alarmId, assetId }))
}
