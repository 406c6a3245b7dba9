import fc from 'fast-check'
import { expect, test } from 'vitest'
import { LogicError, readLogic } from '../json-logic.ts'
import { MAX_STEPS, newBudget } from './budget.ts'

/** @returns the steps that it took */
function countSteps(logic: unknown, values: Record<string, unknown>): number {
  const budget = newBudget()
  readLogic(logic, 'logic').run(values, budget)
  return MAX_STEPS - budget.stepsLeft
}

const value = { var: 'value' }
const item = { var: '' }
const accumulator = { var: 'accumulator' }
const current = { var: 'current' }
const numbers = (count: number) => Array.from({ length: count }, (_, index) => index)

test('searching a long text for a long one takes steps in proportion to the sum of their lengths, not the product', () => {
  const text = 'a'.repeat(300_000)
  const part = `${'a'.repeat(37_000)}b${'a'.repeat(37_000)}`
  expect(countSteps({ in: [part, value] }, { value: text })).toBeLessThan(text.length / 10)
})

test.each([
  ['aab', 'aaaab', true],
  ['abcabd', 'abcabcabd', true],
  ['aba', 'abba', false],
  ['', 'x', true],
  ['long', 'lo', false],
  [5, 'v5', true],
  [null, 'null', false],
])('%j in the text %j: %s', (part, text, result) => {
  expect(readLogic({ in: [part, text] }, 'logic').run({})).toBe(result)
})

test('it finds the same as JavaScript', () => {
  const text = fc.array(fc.constantFrom('a', 'b', 'ä'), { maxLength: 30 }).map((letters) => letters.join(''))
  fc.assert(
    fc.property(text, text, (whole, part) => {
      expect(readLogic({ in: [part, value] }, 'logic').run({ value: whole })).toBe(whole.includes(part))
    }),
  )
})

const long = 'x'.repeat(30_000)
const text = 'a'.repeat(900_000)

test.each<[string, unknown, unknown]>([
  ['text made for each item of a list', { all: [value, { cat: [long, item, long] }] }, numbers(5000)],
  ['a search for each item', { some: [value, { in: ['b', { cat: [item, long] }] }] }, numbers(5000)],
  ['a long literal compared for each item', { none: [value, { '==': [item, long] }] }, Array(5000).fill('y')],
  ['a long list', { map: [value, { '+': [item, 1] }] }, numbers(50_000)],
  ['iterations within each other', { map: [value, { reduce: [[1, 2, 3], current, 0] }] }, numbers(20_000)],
  ['a list that doubles', { reduce: [value, { merge: [accumulator, accumulator] }, [1]] }, numbers(40)],
  ['a list that grows', { reduce: [value, { merge: [accumulator, current] }, []] }, numbers(1000)],
  [
    'a list turned to text for each item',
    { map: [value, { cat: [[1, 2, [3, long]], item] }] },
    numbers(5000),
  ],
  ['text read as a number for each item', { map: [value, { '+': [`1${' '.repeat(9000)}`] }] }, numbers(5000)],
  ['parts of a long text', { map: [[1, 2, 3, 4], { substr: [text, item] }] }, 0],
  ['a name of many parts', { map: [value, { var: 'a.'.repeat(4000) }] }, numbers(500)],
  [
    'long names looked for',
    { map: [value, { missing: ['a.'.repeat(4000)] }] },
    Array.from({ length: 500 }, () => ({ a: {} })),
  ],
  [
    'keys counted for each item',
    { map: [value, { length: item }] },
    Array.from({ length: 500 }, () => ({ ...numbers(1000) })),
  ],
])('%s ends with a reason', (_what, logic, data) => {
  const budget = newBudget()
  const run = () => readLogic(logic, 'logic').run({ value: data }, budget)
  expect(run).toThrow(LogicError)
  expect(run).toThrow('takes more than the 100000 steps')
  expect(budget.stepsLeft).toBe(0)
})

test('lists that nest deeper with each item are not converted to text', () => {
  const logic = { cat: [{ reduce: [value, [accumulator], 0] }] }
  expect(() => readLogic(logic, 'logic').run({ value: numbers(5000) })).toThrow('levels of lists')
})

test('expressions that share a budget share its steps', () => {
  const logic = readLogic({ map: [value, { '+': [item, 1] }] }, 'logic')
  const budget = newBudget()
  expect(logic.run({ value: numbers(10_000) }, budget)).toHaveLength(10_000)
  expect(() => logic.run({ value: numbers(10_000) }, budget)).toThrow(LogicError)
  expect(() => readLogic({ '+': [1, 1] }, 'logic').run({}, budget)).toThrow(LogicError)
})

const leaf = fc.oneof(
  fc.constantFrom(value, item, accumulator, current, { var: 'value.0' }, { var: 'value.length' }),
  fc.constantFrom(0, 1, 2.5, 'a', '1', true, null, long, `${long}b`, [1, 2, 3]),
)
const hostile = fc.letrec<{ node: unknown }>((tie) => {
  const nodes = fc.array(tie('node'), { minLength: 1, maxLength: 4 })
  const names = '== === != < > + - * / % max min in cat merge if and or ?? ! !! length substr'.split(' ')
  return {
    node: fc.oneof(
      { maxDepth: 5, withCrossShrink: true },
      leaf,
      nodes,
      fc.tuple(fc.constantFrom(...names), nodes).map(([name, parts]) => ({ [name]: parts })),
      fc
        .tuple(fc.constantFrom('map', 'filter', 'all', 'some', 'none'), tie('node'), tie('node'))
        .map(([name, list, body]) => ({ [name]: [list, body] })),
      fc.tuple(tie('node'), tie('node'), tie('node')).map((parts) => ({ reduce: parts })),
    ),
  }
}).node
const data = [
  text,
  numbers(100_000),
  Array(9).fill(text.slice(100_000)),
  { a: numbers(1000) },
  ' '.repeat(500_000),
]

test('any expression ends within its budget, and reads the values no more often than that', () => {
  fc.assert(
    fc.property(hostile, fc.constantFrom(...data), (logic, given) => {
      const budget = newBudget()
      let reads = 0
      const values = new Proxy(
        { value: given },
        {
          get: (target, name) => {
            reads++
            return Reflect.get(target, name) as unknown
          },
        },
      )
      try {
        readLogic(logic, 'logic').run(values, budget)
      } catch (error) {
        // The generator may write more parts than an expression may have.
        if (!(error instanceof LogicError) && (error as { code?: string }).code !== 'validation_error')
          throw error
      }
      expect(budget.stepsLeft).toBeGreaterThanOrEqual(0)
      expect(reads).toBeLessThanOrEqual(MAX_STEPS - budget.stepsLeft)
    }),
    { numRuns: 500 },
  )
})
