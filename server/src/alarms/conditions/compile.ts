/**
 * Compiles a condition to a function over the last known values. Comparisons of a signal with a number, and `and`,
 * `or`, `!` of them, run natively; everything else runs as JSONLogic.
 */
import { LogicError, readLogic } from '../../lib/json-logic.ts'
import { type Budget, BudgetError, charge } from '../../lib/json-logic/budget.ts'
import { isTruthy } from '../../lib/json-logic/operators.ts'
import { type Reader, compileReader, type Slots, valuesByName } from './variables.ts'

/** The known state of an asset when its conditions are evaluated. */
export interface Judged {
  /** Last values of its signals, by slot; undefined where no sample has arrived yet. */
  values: unknown[]
  budget: Budget
}

/** @throws BudgetError when the condition takes more work than is left; it is then neither true nor false */
export type Test = (known: Judged) => boolean

export const comparisons = new Set(['>', '>=', '<', '<=', '==', '===', '!=', '!=='])

/** @param source already checked by `readCondition` */
export function compile(source: unknown, slots: Slots): Test {
  const [operator, operand] = readOperator(source)
  if ((operator === 'and' || operator === 'or') && Array.isArray(operand) && operand.length > 0) {
    const tests = operand.map((part) => compile(part, slots))
    return operator === 'and'
      ? (known) => tests.every((test) => test(known))
      : (known) => tests.some((test) => test(known))
  }
  if (operator === '!' || operator === '!!') {
    const test = compile(Array.isArray(operand) && operand.length === 1 ? operand[0] : operand, slots)
    return operator === '!' ? (known) => !test(known) : test
  }
  const byEngine = engineTest(source, slots)
  if (!comparisons.has(operator!) || !Array.isArray(operand) || operand.length !== 2) return byEngine
  return numberTest(operator!, operand, slots, byEngine)
}

function readOperator(source: unknown): [string | undefined, unknown] {
  if (typeof source !== 'object' || source === null || Array.isArray(source)) return [undefined, undefined]
  const [entry] = Object.entries(source)
  return entry!
}

/** Compares a signal with a number or with another signal. Values that are not numbers go to the engine. */
function numberTest(operator: string, [left, right]: unknown[], slots: Slots, other: Test): Test {
  const [a, b] = [compileReader(left, slots), compileReader(right, slots)]
  if (!a || !b) return other
  if (a.slot !== undefined && typeof b.literal === 'number')
    return withLimit(operator, a.slot, b.literal, other)
  const compare = numberComparisons[operator]!
  return (known) => {
    const [x, y] = [readValue(a, known.values), readValue(b, known.values)]
    return typeof x === 'number' && typeof y === 'number' ? compare(x, y) : other(known)
  }
}

const readValue = ({ slot, literal }: Reader, values: unknown[]) =>
  slot === undefined ? literal : values[slot]

const numberComparisons: Record<string, (x: number, y: number) => boolean> = {
  '>': (x, y) => x > y,
  '>=': (x, y) => x >= y,
  '<': (x, y) => x < y,
  '<=': (x, y) => x <= y,
  '==': (x, y) => x === y,
  '===': (x, y) => x === y,
  '!=': (x, y) => x !== y,
  '!==': (x, y) => x !== y,
}

/** The most frequent operators are written out for speed. */
function withLimit(operator: string, slot: number, limit: number, other: Test): Test {
  switch (operator) {
    case '>':
      return (known) => {
        const value = known.values[slot]
        return typeof value === 'number' ? value > limit : other(known)
      }
    case '<':
      return (known) => {
        const value = known.values[slot]
        return typeof value === 'number' ? value < limit : other(known)
      }
    default: {
      const compare = numberComparisons[operator]!
      return (known) => {
        const value = known.values[slot]
        return typeof value === 'number' ? compare(value, limit) : other(known)
      }
    }
  }
}

/**
 * "A missing signal makes a comparison false", and so does an expression without a value, such as text in a
 * calculation.
 */
function engineTest(source: unknown, slots: Slots): Test {
  const logic = readLogic(source, 'condition')
  const needs = requiredVariables(source).map((name) => slots.get(name)?.slot)
  const used = logic.variables.flatMap((name) => slots.get(name) ?? [])
  return ({ values, budget }) => {
    if (needs.some((slot) => slot !== undefined && values[slot] === undefined)) return false
    // Finding the values is work as well.
    charge(budget, used.length)
    try {
      return isTruthy(logic.run(valuesByName(used, values), budget))
    } catch (error) {
      if (error instanceof BudgetError || !(error instanceof LogicError)) throw error
      return false
    }
  }
}

/** Lists variables that have no default, outside of the operators that handle missing values. */
function requiredVariables(node: unknown): string[] {
  if (Array.isArray(node)) return node.flatMap((part) => requiredVariables(part))
  const [operator, operand] = readOperator(node)
  if (operator === undefined || ['missing', 'missing_some', '??'].includes(operator)) return []
  if (operator !== 'var') return requiredVariables(operand)
  if (!Array.isArray(operand)) return [String(operand)]
  return operand.length > 1 ? [] : [String(operand[0])]
}
