/** The alarms of a model, by the signals that they read; and what is known of each of its assets. */
import type { AlarmSignal } from '../../database/tables.ts'
import { type Budget, newBudget } from '../../lib/json-logic/budget.ts'
import type { Slot } from '../conditions/variables.ts'
import { type Open, type Rule, type RuleRow, compileRule } from './rule.ts'

/** Of all conditions over what one message brought: fewer than its transforms have, since a batch is judged in one go. */
const CONDITION_STEPS = 25_000

export const conditionBudget = (): Budget => newBudget(CONDITION_STEPS)

export interface ModelWatch {
  signals: AlarmSignal[]
  /** Component → signal → slot. */
  slots: Map<string, Map<string, number>>
  rules: Rule[]
  rulesBySlot: Rule[][]
  /** Every signal of an asset concerns them. */
  rulesOfAll: Rule[]
}

export function createModelWatch(rows: RuleRow[]): ModelWatch {
  const watch: ModelWatch = { signals: [], slots: new Map(), rules: [], rulesBySlot: [], rulesOfAll: [] }
  watch.rules = rows.map((row) =>
    compileRule(row, new Map(row.signals.map((signal) => [signal.variable, addSlot(watch, signal)]))),
  )
  watch.rulesBySlot = watch.signals.map(({ componentId, name }) =>
    watch.rules.filter(({ signals }) =>
      signals.some((s) => s.componentId === componentId && s.name === name),
    ),
  )
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

/** What the next sample of an asset is judged against. */
export interface Known {
  /** By slot: the newest sample's value and time; a time in the future counts as that of its arrival. */
  values: unknown[]
  times: number[]
  /** Of work, for all conditions over what one message brought. */
  budget: Budget
  /** By alarm; only where something is open. */
  open: Map<string, Open> | undefined
}

export interface AssetWatch {
  assetId: string
  /** Of the tenant's alarms, as they were when this was made; -1 where something changed behind it. */
  version: number
  model: ModelWatch
  /** Of the model, or fewer where alarms are for single assets. */
  rulesBySlot: Rule[][]
  rulesOfAll: Rule[]
  known: Known
  /** How it stands within the batch that is evaluated; nobody reads it afterwards. */
  draft: Known
  draftOf: number
  /** The batch that was the newest when something open changed here. */
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
  }
  return {
    assetId,
    version,
    model,
    rulesBySlot: all ? model.rulesBySlot : model.rulesBySlot.map((rules) => rules.filter(concerns)),
    rulesOfAll: all ? model.rulesOfAll : model.rulesOfAll.filter(concerns),
    known,
    draft: known,
    draftOf: 0,
    changedAt: 0,
  }
}

/** Changes what is open of one alarm, and nothing that somebody else still reads. */
export function setOpen(known: Known, alarmId: string, open: Open | undefined): void {
  const all = new Map(known.open)
  if (open) all.set(alarmId, open)
  else all.delete(alarmId)
  known.open = all.size > 0 ? all : undefined
}
