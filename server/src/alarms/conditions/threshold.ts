/**
 * Checks that a condition compares a signal with something else; otherwise its result would not depend on the measured
 * values.
 */
import { iterations } from '../../lib/json-logic.ts'
import { comparisons } from './compile.ts'

/** @param source already checked by `readLogic` */
export const hasThreshold = (source: unknown): boolean => holdsThreshold(source, '')

/** @param scope prefix of variable names: within an iteration, names are paths in its item */
function holdsThreshold(node: unknown, scope: string): boolean {
  if (Array.isArray(node)) return node.some((part) => holdsThreshold(part, scope))
  if (typeof node !== 'object' || node === null) return false
  const [operator, operand] = Object.entries(node)[0]!
  if (comparisons.has(operator) && Array.isArray(operand) && comparesDifferent(operand, scope)) return true
  return listOperands(operator, operand, scope).some(([part, inner]) => holdsThreshold(part, inner))
}

/**
 * Accepts a signal compared with a number, another signal, or a calculation over other signals, but not `t > t + 1`.
 */
function comparesDifferent(sides: unknown[], scope: string): boolean {
  const read = sides.map((side) => [...new Set(namesIn(side, scope))].toSorted().join(' '))
  return read.length > 1 && read.every((names, index) => names !== read[index - 1])
}

function namesIn(node: unknown, scope: string): string[] {
  if (Array.isArray(node)) return node.flatMap((part) => namesIn(part, scope))
  if (typeof node !== 'object' || node === null) return []
  const [operator, operand] = Object.entries(node)[0]!
  if (operator === 'var') return [`${scope}${String(Array.isArray(operand) ? operand[0] : operand)}`]
  return listOperands(operator, operand, scope).flatMap(([part, inner]) => namesIn(part, inner))
}

/** Lists the parts of an operation, each with its scope. */
const listOperands = (operator: string, operand: unknown, scope: string): [unknown, string][] =>
  (Array.isArray(operand) ? operand : [operand]).map((part, index) => [
    part,
    iterations.has(operator) && index === 1 ? 'item ' : scope,
  ])
