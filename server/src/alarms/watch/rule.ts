/** A compiled alarm, and how it evaluates the values of one asset. Pure functions; backtests share them. */
import type { Selectable } from 'kysely'
import type { AlarmState, AlarmSignal, Tables } from '../../database/tables.ts'
import { compile, type Judged, type Test } from '../conditions/compile.ts'
import { BudgetError } from '../../lib/json-logic/budget.ts'
import type { Slots } from '../conditions/variables.ts'
import { isActive, nextState } from '../statuses/states.ts'

export interface Rule {
  alarmId: string
  /** Revision of the alarm that was compiled; the database ignores crossings of an older one. */
  revision: number
  /** Null for all assets of the model. */
  assetIds: ReadonlySet<string> | null
  signals: AlarmSignal[]
  /** Slots of these signals. */
  slots: number[]
  /** Null where the alarm watches only for silence, which a sample of any signal ends. */
  condition: Test | null
  clears: Test | null
  forMs: number
  noDataMs: number
  maxLatenessMs: number
}

export type RuleRow = Pick<
  Selectable<Tables['alarms']>,
  | 'id'
  | 'revision'
  | 'entity_ids'
  | 'signals'
  | 'condition'
  | 'clear_condition'
  | 'for_seconds'
  | 'no_data_seconds'
  | 'max_lateness_seconds'
>

export function compileRule(row: RuleRow, slots: Slots): Rule {
  const compileText = (text: string | null) => (text === null ? null : compile(JSON.parse(text), slots))
  return {
    alarmId: row.id,
    revision: row.revision,
    assetIds: row.entity_ids.length > 0 ? new Set(row.entity_ids) : null,
    signals: row.signals,
    slots: [...new Set([...slots.values()].map(({ slot }) => slot))],
    condition: compileText(row.condition),
    clears: compileText(row.clear_condition),
    forMs: row.for_seconds * 1000,
    noDataMs: row.no_data_seconds * 1000,
    maxLatenessMs: row.max_lateness_seconds * 1000,
  }
}

/** The open status or hold of an alarm on an asset. */
export interface Open {
  state: AlarmState
  /** Time of the sample since which the condition holds; undefined where there is no hold. */
  heldSinceMs: number | undefined
}

/** `hold` and `release` start and end the time for which a condition must hold. */
export type Crossing = 'crosses' | 'returns' | 'hold' | 'release'

/** An alarm seems to change its state on an asset; `applyCrossings` decides whether it does. */
export interface AlarmCrossing {
  tenantId: string
  alarmId: string
  revision: number
  assetId: string
  crossing: Crossing
  /** Value of the sample; null where a missing sample caused the crossing. */
  value: unknown
  timeMs: number
  /** `timeMs`, or the time of arrival where that is earlier. */
  orderMs: number
}

/**
 * @returns undefined if these values change nothing; `unevaluated` if the conditions take more work than is left, which
 * leaves the alarm as it is
 */
export function findCrossing(
  rule: Rule,
  open: Open | undefined,
  known: Judged,
  ms: number,
): Crossing | 'unevaluated' | undefined {
  try {
    return compareWithCondition(rule, open, known, ms)
  } catch (error) {
    if (!(error instanceof BudgetError)) throw error
    return 'unevaluated'
  }
}

function compareWithCondition(
  rule: Rule,
  open: Open | undefined,
  known: Judged,
  ms: number,
): Crossing | undefined {
  const holds = rule.condition !== null && rule.condition(known)
  if (!open && !holds) return undefined
  const state = open?.state ?? 'cleared'
  if (isActive(state)) return !holds && (rule.clears?.(known) ?? true) ? 'returns' : undefined
  if (!nextState(state, 'crosses')) return undefined
  if (!holds) return open?.heldSinceMs === undefined ? undefined : 'release'
  if (rule.forMs === 0) return 'crosses'
  if (open?.heldSinceMs === undefined) return 'hold'
  return ms - open.heldSinceMs >= rule.forMs ? 'crosses' : undefined
}

/** @returns undefined if nothing is open any more */
export function afterCrossing(open: Open | undefined, crossing: Crossing, ms: number): Open | undefined {
  const state = open?.state ?? 'cleared'
  if (crossing === 'hold') return { state, heldSinceMs: ms }
  const next = crossing === 'release' ? state : (nextState(state, crossing) ?? state)
  return next === 'cleared' ? undefined : { state: next, heldSinceMs: undefined }
}
