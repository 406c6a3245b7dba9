/** Compiles an expression to a function. It charges one step for each operator and each of its values. */
import { type Budget, charge, LogicError } from './budget.ts'
import { isTruthy, operators, unaryOperators } from './operators.ts'

/** @param data read by `var`: the values, or the item of an iteration */
export type Part = (budget: Budget, data: unknown) => unknown

/** @param node an expression that has been checked */
export function compile(node: unknown): Part {
  if (Array.isArray(node)) return listPart(node.map(compile))
  if (typeof node !== 'object' || node === null) return () => node
  const [name, operand] = Object.entries(node)[0]!
  const special = specialParts[name]
  if (special) return special(operand, name)
  const operator = operators[name]!
  const values = valuesPart(operand, unaryOperators.has(name))
  return (budget, data) => operator(budget, values(budget, data))
}

export const specialNames = (): string[] => Object.keys(specialParts)

const listPart =
  (parts: Part[]) =>
  (budget: Budget, data: unknown): unknown[] => {
    charge(budget, 1 + parts.length)
    return parts.map((part) => part(budget, data))
  }

/** The operands of `{"+": [1, 2]}` are the list; those of `{"+": {"var": "list"}}` are the items of the value. */
function valuesPart(operand: unknown, isUnary: boolean): (budget: Budget, data: unknown) => unknown[] {
  if (Array.isArray(operand)) return listPart(operand.map(compile))
  const part = compile(operand)
  return (budget, data) => {
    const value = part(budget, data)
    const values = Array.isArray(value) && !isUnary ? (value as unknown[]) : [value]
    charge(budget, 1 + values.length)
    return values
  }
}

type Special = (operand: unknown, name: string) => Part

const compileParts = (operand: unknown) => (Array.isArray(operand) ? operand : [operand]).map(compile)

const choose: Special = (operand) => {
  const parts = compileParts(operand)
  return (budget, data) => {
    charge(budget, 1)
    let index = 0
    for (; index + 1 < parts.length; index += 2)
      if (isTruthy(parts[index]!(budget, data))) return parts[index + 1]!(budget, data)
    return parts[index]?.(budget, data) ?? null
  }
}

/** Evaluates to the first value for which `ends` is true, or to the last value. */
const firstThat =
  (ends: (value: unknown) => boolean): Special =>
  (operand, name) => {
    if (!Array.isArray(operand))
      return () => {
        throw new LogicError(`has ${name} with what is no list`)
      }
    const parts = operand.map(compile)
    return (budget, data) => {
      charge(budget, 1 + parts.length)
      let value: unknown = null
      for (const part of parts) if (ends((value = part(budget, data)))) return value
      return value
    }
  }

type Each = (budget: Budget, list: unknown[], body: (item: unknown) => unknown) => unknown

/** A value that is not a list has no items. */
const iteration =
  (run: Each): Special =>
  (operand) => {
    const [list, body] = compileParts(operand)
    return (budget, data) => {
      const value = list?.(budget, data)
      const items = Array.isArray(value) ? (value as unknown[]) : []
      charge(budget, 1 + items.length)
      return run(budget, items, (item) => body?.(budget, item) ?? null)
    }
  }

const reduce: Special = (operand) => {
  const [list, body, initial] = compileParts(operand)
  return (budget, data) => {
    const value = list?.(budget, data)
    let accumulator = initial?.(budget, data) ?? null
    if (!Array.isArray(value)) return accumulator
    charge(budget, 1 + value.length)
    for (const current of value as unknown[]) accumulator = body?.(budget, { accumulator, current }) ?? null
    return accumulator
  }
}

const variable: Special = (operand) => {
  const [name, fallback = null] = (Array.isArray(operand) ? operand : [operand]) as unknown[]
  const path = splitPath(name)
  return (budget, data) => {
    charge(budget, 1 + path.length)
    const value = valueAt(data, path)
    return value === undefined ? fallback : value
  }
}

const missingFrom = (names: unknown): Part => {
  const paths = (Array.isArray(names) ? names : [names]).map((name) => ({ name, path: splitPath(name) }))
  return (budget, data) =>
    paths.flatMap(({ name, path }) => {
      charge(budget, 1 + path.length)
      return valueAt(data, path) === undefined ? [name as unknown] : []
    })
}

const missingSome: Special = (operand) => {
  const [needed, names] = (Array.isArray(operand) ? operand : [operand]) as unknown[]
  const list = Array.isArray(names) ? names : [names]
  const missing = missingFrom(list)
  return (budget, data) => {
    const found = missing(budget, data) as unknown[]
    return list.length - found.length >= Number(needed) ? [] : found
  }
}

const splitPath = (name: unknown): string[] =>
  name === '' || name === null || name === undefined ? [] : String(name).split('.')

/** Reads own properties only, not those of the prototype. */
function valueAt(data: unknown, path: string[]): unknown {
  let value = data
  for (const field of path) {
    if (value === null || value === undefined || !Object.hasOwn(value, field)) return undefined
    value = (value as Record<string, unknown>)[field]
  }
  return value
}

const specialParts: Record<string, Special> = {
  var: variable,
  missing: missingFrom,
  missing_some: missingSome,
  if: choose,
  '?:': choose,
  and: firstThat((value) => !isTruthy(value)),
  or: firstThat(isTruthy),
  '??': firstThat((value) => value !== null && value !== undefined),
  map: iteration((_budget, list, body) => list.map(body)),
  filter: iteration((_budget, list, body) => list.filter((item) => isTruthy(body(item)))),
  all: iteration((_budget, list, body) => list.length > 0 && list.every((item) => isTruthy(body(item)))),
  some: iteration((_budget, list, body) => list.some((item) => isTruthy(body(item)))),
  none: iteration((_budget, list, body) => !list.some((item) => isTruthy(body(item)))),
  reduce,
}
