/** Operators on values. Each charges its cost. */
import { type Budget, charge, chargeText, LogicError } from './budget.ts'
import { includesText, joinTexts, toNumber, sliceText, toText } from './text.ts'

export type Operator = (budget: Budget, values: unknown[]) => unknown

const invalid = (name: string, what: string) => new LogicError(`has ${name} with ${what}`)

/** An empty list is false; an object is true. */
export const isTruthy = (value: unknown): boolean =>
  Array.isArray(value) ? value.length > 0 : Boolean(value)

const toNumbers = (budget: Budget, values: unknown[]) => values.map((value) => toNumber(budget, value))

function noNaN(number: number): number {
  if (Number.isNaN(number)) throw new LogicError('does not result in a number')
  return number
}

/** @param first initial value, and the result without operands; without it, no operands are an error */
const calculation =
  (name: string, combine: (a: number, b: number) => number, first?: number): Operator =>
  (budget, values) => {
    const numbers = toNumbers(budget, values)
    if (numbers.length === 0 && first === undefined) throw invalid(name, 'nothing to calculate with')
    return noNaN(first === undefined ? numbers.reduce(combine) : numbers.reduce(combine, first))
  }

const subtract = calculation('-', (a, b) => a - b)
const divide = calculation('/', (a, b) => (b === 0 ? Number.NaN : a / b))
const modulo = calculation('%', (a, b) => a % b)

const extreme =
  (name: string, isBetter: (a: number, b: number) => boolean): Operator =>
  (_budget, values) => {
    const numbers = values.filter((value) => typeof value === 'number')
    if (values.length === 0 || numbers.length < values.length) throw invalid(name, 'what is no number')
    return numbers.reduce((best, one) => (isBetter(one, best) ? one : best))
  }

type Comparable = string | number
type Holds = (a: Comparable, b: Comparable) => boolean

/** Compares texts and nulls as they are, everything else as numbers. */
function compareLoosely(budget: Budget, holds: Holds, a: unknown, b: unknown): boolean {
  const isText = (value: unknown) => typeof value === 'string' || value === null
  if (isText(a) && isText(b)) return compareStrictly(budget, holds, a, b)
  return holds(toNumber(budget, a), toNumber(budget, b))
}

function compareStrictly(budget: Budget, holds: Holds, a: unknown, b: unknown): boolean {
  if (typeof a === 'string' && typeof b === 'string') chargeText(budget, a.length + b.length)
  return holds(a as Comparable, b as Comparable)
}

/** With more than two operands the comparison must hold for each neighbouring pair. */
const comparison =
  (name: string, compare: typeof compareLoosely, holds: Holds): Operator =>
  (budget, values) => {
    if (values.length < 2) throw invalid(name, 'nothing to compare with')
    for (let index = 1; index < values.length; index++)
      if (!compare(budget, holds, values[index - 1], values[index])) return false
    return true
  }

const loose = (name: string, holds: Holds) => comparison(name, compareLoosely, holds)
const strict = (name: string, holds: Holds) => comparison(name, compareStrictly, holds)

const includes: Operator = (budget, [item = null, list = null]) => {
  if (typeof list === 'string') return item !== null && includesText(budget, list, toText(budget, item))
  if (!Array.isArray(list)) return false
  charge(budget, list.length)
  return list.some((one) => compareStrictly(budget, (a, b) => a === b, one, item))
}

const substring: Operator = (budget, [text = null, start = 0, length]) =>
  sliceText(
    budget,
    toText(budget, text),
    Math.trunc(toNumber(budget, start)),
    length === undefined ? undefined : Math.trunc(toNumber(budget, length)),
  )

const merge: Operator = (budget, values) => {
  const merged: unknown[] = []
  for (const value of values) {
    if (!Array.isArray(value)) merged.push(value)
    else {
      charge(budget, value.length)
      for (const item of value) merged.push(item)
    }
  }
  return merged
}

const countItems: Operator = (budget, [value]) => {
  if (typeof value === 'string' || Array.isArray(value)) return value.length
  if (typeof value !== 'object' || value === null) throw invalid('length', 'what has none')
  const keys = Object.keys(value)
  charge(budget, keys.length)
  return keys.length
}

export const operators: Record<string, Operator> = {
  '+': calculation('+', (a, b) => a + b, 0),
  '*': calculation('*', (a, b) => a * b, 1),
  '-': (budget, values) => subtract(budget, values.length === 1 ? [0, ...values] : values),
  '/': (budget, values) => divide(budget, values.length === 1 ? [1, ...values] : values),
  '%': (budget, values) => {
    if (values.length < 2) throw invalid('%', 'nothing to divide by')
    return modulo(budget, values)
  },
  max: extreme('max', (a, b) => a > b),
  min: extreme('min', (a, b) => a < b),
  '==': loose('==', (a, b) => a === b),
  '!=': loose('!=', (a, b) => a !== b),
  '===': strict('===', (a, b) => a === b),
  '!==': strict('!==', (a, b) => a !== b),
  '>': loose('>', (a, b) => a > b),
  '>=': loose('>=', (a, b) => a >= b),
  '<': loose('<', (a, b) => a < b),
  '<=': loose('<=', (a, b) => a <= b),
  '!': (_budget, [value]) => !isTruthy(value),
  '!!': (_budget, [value]) => isTruthy(value),
  in: includes,
  cat: (budget, values) =>
    joinTexts(
      budget,
      values.map((value) => toText(budget, value)),
    ),
  substr: substring,
  length: countItems,
  merge,
}

/** Operators for which a single list is one operand; the others use its items as operands. */
export const unaryOperators = new Set(['!', '!!', 'length'])
