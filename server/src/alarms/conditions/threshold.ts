/** Whether a condition compares a signal with something else: without that it says the same whatever is measured. */
import { iterations } from '../../lib/json-logic.ts'
import { comparisons } from './compile.ts'

/** @param source checked already, by `readLogic` */
export const hasThreshold = (source: unknown): boolean => holdsThreshold(source, '')

/** @param scope what stands before the names of variables: within an iteration they are places in its item */
function holdsThreshold(node: unknown, scope: string): boolean {
  if (Array.isArray(node)) return node.some((part) => holdsThreshold(part, scope))
  if (typeof node !== 'object' || node === null) return false
  const [operator, operand] = Object.entries(node)[0]!
  if (comparisons.has(operator) && Array.isArray(operand) && comparesDifferent(operand, scope)) return true
  return partsOf(operator, operand, scope).some(([part, inner]) => holdsThreshold(part, inner))
}

/** A signal against a number, another signal, or a calculation that reads others. `t > t + 1` is none of these. */
function comparesDifferent(sides: unknown[], scope: string): boolean {
  const read = sides.map((side) => [...new Set(namesIn(side, scope))].toSorted().join(' '))
  return read.length > 1 && read.every((names, index) => names !== read[index - 1])
}

function namesIn(node: unknown, scope: string): string[] {
  if (Array.isArray(node)) return node.flatMap((part) => namesIn(part, scope))
  if (typeof node !== 'object' || node === null) return []
  const [operator, operand] = Object.entries(node)[0]!
  if (operator === 'var') return [`${scope}${String(Array.isArray(operand) ? operand[0] : operand)}`]
  return partsOf(operator, operand, scope).flatMap(([part, inner]) => namesIn(part, inner))
}

/** The parts of an operation, each with its scope. */
const partsOf = (operator: string, operand: unknown, scope: string): [unknown, string][] =>
  (Array.isArray(operand) ? operand : [operand]).map((part, index) => [
    part,
    iterations.has(operator) && index === 1 ? 'item ' : scope,
  ])
