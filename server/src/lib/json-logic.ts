/**
 * JSONLogic that users write: transforms and conditions. It is checked when it is saved, so that what runs later on
 * messages is bounded in size, depth and time, and reads nothing but the values it is given.
 */
import { LogicEngine } from 'json-logic-engine'
import { validationError } from '../http/errors.ts'

export interface Logic {
  /** Whole paths of `var`, `missing` and `missing_some`, such as `temperature`; what stands in an iteration's body is not among them. */
  variables: string[]
  operators: Set<string>
  /**
   * @param values by name; what is not there is null to the expression
   * @throws LogicError when it comes to no value: text in a calculation, a division by zero
   */
  run(values: Record<string, unknown>): unknown
}

export class LogicError extends Error {
  override name = 'LogicError'
}

const iterations = ['map', 'filter', 'reduce', 'all', 'some', 'none']
const operators = new Set(
  `var missing missing_some if ?: == === != !== ! !! or and ?? > >= < <= max min + - * / % merge in cat substr length ${iterations.join(' ')}`.split(
    ' ',
  ),
)
const MAX_NODES = 1000
const MAX_DEPTH = 32
const MAX_ITEMS = 1000
const MAX_TEXT = 1024 * 1024
/** They lead out of the data and into the language. */
const FORBIDDEN = new Set(['__proto__', 'constructor', 'prototype'])

/**
 * @param path of the expression in the request
 * @throws validation_error that names the place
 */
export function readLogic(source: unknown, path: string): Logic {
  const checked: Checked = { nodes: 0, variables: new Set(), operators: new Set() }
  check(checked, source, path, 0, false)
  const iterates = iterations.some((name) => checked.operators.has(name))
  return {
    variables: [...checked.variables],
    operators: checked.operators,
    run: (values) => run(source, values, iterates),
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

function check(checked: Checked, node: unknown, path: string, depth: number, inIteration: boolean): void {
  if (++checked.nodes > MAX_NODES) refuse(path, `must have at most ${MAX_NODES} parts`)
  if (depth > MAX_DEPTH) refuse(path, `must nest at most ${MAX_DEPTH} levels deep`)
  if (Array.isArray(node))
    return node.forEach((item, index) => check(checked, item, `${path}.${index}`, depth + 1, inIteration))
  if (typeof node !== 'object' || node === null) return
  const [name, ...others] = Object.keys(node)
  if (name === undefined || others.length > 0) refuse(path, 'must have one operator, as in {"+": [1, 2]}')
  if (!operators.has(name!)) refuse(path, `has the operator ${name!.slice(0, 40)}, which there is not`)
  checked.operators.add(name!)
  const operand: unknown = (node as Record<string, unknown>)[name!]
  const iterates = iterations.includes(name!)
  if (iterates && inIteration) refuse(path, `has ${name} within another iteration`)
  if (name === 'var') checkVariable(checked, operand, path, inIteration)
  if (name === 'missing' || name === 'missing_some') addMissing(checked, name, operand, path)
  if (iterates && Array.isArray(operand)) {
    const [list, ...body] = operand as unknown[]
    check(checked, list, `${path}.${name}.0`, depth + 1, false)
    body.forEach((part, index) => check(checked, part, `${path}.${name}.${index + 1}`, depth + 1, true))
  } else check(checked, operand, `${path}.${name}`, depth + 1, inIteration)
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

const engine = new LogicEngine()
// Within `reduce` these two double what they are given with each item: thirty items would fill the memory.
engine.addMethod('merge', (lists: unknown) => {
  const merged = [lists].flat(2)
  if (merged.length > MAX_ITEMS) throw new LogicError(`comes to a list of more than ${MAX_ITEMS} items`)
  return merged
})
engine.addMethod('cat', (parts: unknown) => {
  let text = ''
  for (const part of [parts].flat()) {
    text += part ?? ''
    if (text.length > MAX_TEXT) throw new LogicError(`comes to more than ${MAX_TEXT} characters`)
  }
  return text
})

function run(source: unknown, values: Record<string, unknown>, iterates: boolean): unknown {
  if (iterates && Object.values(values).some(isLong))
    throw new LogicError(`goes through a list of more than ${MAX_ITEMS} items`)
  try {
    return engine.run(source, values) as unknown
  } catch (error) {
    // The engine throws NaN, plain objects, and errors of the language.
    if (error instanceof LogicError) throw error
    if (Number.isNaN(error)) throw new LogicError('comes to no number')
    throw new LogicError(`cannot be calculated: ${reasonOf(error)}`)
  }
}

const reasonOf = (error: unknown) =>
  error instanceof Error
    ? error.message
    : String((error as { type?: unknown } | null)?.type ?? 'unknown reason')

const isLong = (value: unknown): boolean =>
  Array.isArray(value)
    ? value.length > MAX_ITEMS || value.some(isLong)
    : typeof value === 'object' && value !== null && Object.values(value).some(isLong)
