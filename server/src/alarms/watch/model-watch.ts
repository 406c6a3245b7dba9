/** The alarms of a model, by the signals that they read, and the known state of its assets. */
import type { AlarmSignal } from '../../database/tables.ts'
import { type Budget, newBudget } from '../../lib/json-logic/budget.ts'
import type { Slot } from '../conditions/variables.ts'
import { type Open, type Rule, type RuleRow, compileRule } from './rule.ts'

/**
 * Steps for all conditions over the values of one time of an asset, in one piece. Transforms of a message have more.
 */
export const CONDITION_STEPS = 25_000

export const conditionBudget = (): Budget => newBudget(CONDITION_STEPS)

export interface ModelWatch {
  signals: AlarmSignal[]
  /** Slots by component and signal name. */
  slots: Map<string, Map<string, number>>
  rules: Rule[]
  rulesBySlot: Rule[][]
  /** Rules without a condition: every sample of an asset concerns them. */
  rulesOfAll: Rule[]
}

export function createModelWatch(rows: RuleRow[]): ModelWatch {
  const watch: ModelWatch = { signals: [], slots: new Map(), rules: [], rulesBySlot: [], rulesOfAll: [] }
  watch.rules = rows.map((row) =>
    compileRule(row, new Map(row.signals.map((signal) => [signal.variable, addSlot(watch, signal)]))),
  )
  watch.rulesBySlot = watch.signals.map(() => [])
  for (const rule of watch.rules) for (const slot of rule.slots) watch.rulesBySlot[slot]!.push(rule)
  watch.rulesOfAll = watch.rules.filter(({ condition }) => condition === null)
  return watch
}

function addSlot(watch: ModelWatch, signal: AlarmSignal): Slot {
  const { componentId, name } = signal
  let names = watch.slots.get(componentId)
  if (!names) watch.slots.set(componentId, (names = new Map()))
  let slot = names.get(name)
  if (slot === undefined) names.set(name, (slot = watch.signals.push(signal) - 1))
  return { ...signal, slot }
}

/** The known state of an asset, which its next sample is evaluated with. */
export interface Known {
  /** Value of the newest sample, by slot. `times` has its time; a time in the future counts as the time of arrival. */
  values: unknown[]
  times: number[]
  /** Budget of work for all conditions over the values of one time. */
  budget: Budget
  /** Open statuses and holds by alarm; undefined where there are none. */
  open: Map<string, Open> | undefined
  /** Whether another state has the same map, so that it is copied before its first change. */
  isOpenShared: boolean
}

export interface AssetWatch {
  assetId: string
  /** Version of the tenant's alarms that this was made from; -1 where the asset is outdated. */
  version: number
  model: ModelWatch
  /** Rules of the model, or fewer where some alarms watch only selected assets. */
  rulesBySlot: Rule[][]
  rulesOfAll: Rule[]
  known: Known
  /** Number of the newest batch when a status or hold of the asset last changed. */
  changedAt: number
}

export const unwatchedModel = createModelWatch([])

export function createAssetWatch(assetId: string, version: number, model: ModelWatch): AssetWatch {
  const concerns = ({ assetIds }: Rule) => assetIds === null || assetIds.has(assetId)
  const all = model.rules.every(concerns)
  const known: Known = {
    values: model.signals.map(() => undefined),
    times: model.signals.map(() => -Infinity),
    budget: conditionBudget(),
    open: undefined,
    isOpenShared: false,
  }
  return {
    assetId,
    version,
    model,
    rulesBySlot: all ? model.rulesBySlot : model.rulesBySlot.map((rules) => rules.filter(concerns)),
    rulesOfAll: all ? model.rulesOfAll : model.rulesOfAll.filter(concerns),
    known,
    changedAt: 0,
  }
}

/** Copies the state; the map of open alarms is shared until one of the two changes it. */
export function copyKnown(known: Known): Known {
  known.isOpenShared = true
  return { ...known, values: known.values.slice(), times: known.times.slice() }
}

/** Sets or deletes the entry of one alarm. */
export function setOpen(known: Known, alarmId: string, open: Open | undefined): void {
  if (known.isOpenShared) known.open = known.open && new Map(known.open)
  known.isOpenShared = false
  if (open) (known.open ??= new Map()).set(alarmId, open)
  else known.open?.delete(alarmId)
  if (known.open?.size === 0) known.open = undefined
}
