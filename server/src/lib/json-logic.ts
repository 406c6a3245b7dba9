/**
 * JSONLogic of users: transforms and conditions. Expressions are checked when they are saved. When they run, their cost
 * is limited by a budget, and they can read only the values that they are given.
 */
import { validationError } from '../http/errors.ts'
import { type Budget, newBudget } from './json-logic/budget.ts'
import { compile, specialNames } from './json-logic/compile.ts'
import { operators } from './json-logic/operators.ts'

export { LogicError } from './json-logic/budget.ts'

export interface Logic {
  /** Paths of `var`, `missing` and `missing_some`, such as `temperature`, except those in the body of an iteration. */
  variables: string[]
  operators: Set<string>
  /**
   * @param values by name; absent values are null to the expression
   * @param budget to share among several expressions
   * @throws LogicError if there is no result: text in a calculation, a division by zero, too much work
   */
  run(values: Record<string, unknown>, budget?: Budget): unknown
}

/** Operators whose second operand is evaluated for each item of the first. */
export const iterations: ReadonlySet<string> = new Set(['map', 'filter', 'reduce', 'all', 'some', 'none'])
const known = new Set([...Object.keys(operators), ...specialNames()])
const MAX_NODES = 1000
const MAX_DEPTH = 32
/** Names that lead from the data to the JavaScript runtime. */
const FORBIDDEN = new Set(['__proto__', 'constructor', 'prototype'])

/**
 * @param path of the expression in the request
 * @throws validation_error with the path of the error
 */
export function readLogic(source: unknown, path: string): Logic {
  const checked: Checked = { nodes: 0, variables: new Set(), operators: new Set() }
  check(checked, source, { path, depth: 0, inIteration: false })
  const part = compile(source)
  return {
    variables: [...checked.variables],
    operators: checked.operators,
    run: (values, budget = newBudget()) => part(budget, values),
  }
}

interface Checked {
  nodes: number
  variables: Set<string>
  operators: Set<string>
}

const refuse = (path: string, message: string): never => {
  throw validationError({ path, message })
}

function check(
  checked: Checked,
  node: unknown,
  { path, depth, inIteration }: { path: string; depth: number; inIteration: boolean },
): void {
  if (++checked.nodes > MAX_NODES) refuse(path, `must have at most ${MAX_NODES} parts`)
  if (depth > MAX_DEPTH) refuse(path, `must nest at most ${MAX_DEPTH} levels deep`)
  if (Array.isArray(node))
    return node.forEach((item, index) =>
      check(checked, item, { path: `${path}.${index}`, depth: depth + 1, inIteration }),
    )
  if (typeof node !== 'object' || node === null) return
  const [name, ...others] = Object.keys(node)
  if (name === undefined || others.length > 0) refuse(path, 'must have one operator, as in {"+": [1, 2]}')
  if (!known.has(name!)) refuse(path, `has the operator ${name!.slice(0, 40)}, which does not exist`)
  checked.operators.add(name!)
  const operand: unknown = (node as Record<string, unknown>)[name!]
  if (name === 'var') checkVariable(checked, operand, path, inIteration)
  if (name === 'missing' || name === 'missing_some') addMissing(checked, name, operand, path)
  if (!iterations.has(name!) || !Array.isArray(operand))
    return check(checked, operand, { path: `${path}.${name}`, depth: depth + 1, inIteration })
  // Only the second operand sees the items: the third one of `reduce` is evaluated before them.
  operand.forEach((part, index) =>
    check(checked, part, {
      path: `${path}.${name}.${index}`,
      depth: depth + 1,
      inIteration: inIteration || index === 1,
    }),
  )
}

function checkVariable(checked: Checked, operand: unknown, path: string, inIteration: boolean): void {
  const [name, fallback, ...others]: unknown[] = Array.isArray(operand) ? operand : [operand]
  if (others.length > 0 || (typeof fallback === 'object' && fallback !== null))
    refuse(path, 'has a var with more than a name and a plain value')
  if (typeof name !== 'string' && typeof name !== 'number')
    return refuse(path, 'has a var whose name is no text: it must be written out')
  checkName(String(name), path)
  if (!inIteration) checked.variables.add(String(name))
}

function addMissing(checked: Checked, operator: string, operand: unknown, path: string): void {
  const names = operator === 'missing' ? operand : Array.isArray(operand) ? operand[1] : undefined
  for (const name of Array.isArray(names) ? names : [names]) {
    if (typeof name !== 'string') return refuse(path, `has a ${operator} whose names are not written out`)
    checkName(name, path)
    checked.variables.add(name)
  }
}

function checkName(name: string, path: string): void {
  if (name.split('.').some((part) => FORBIDDEN.has(part))) refuse(path, `must not read ${name.slice(0, 80)}`)
}
