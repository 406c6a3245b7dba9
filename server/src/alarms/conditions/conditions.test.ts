import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ModelContent } from '../../assets/models/resolve.ts'
import { ApiError } from '../../http/errors.ts'
import { LogicError, readLogic } from '../../lib/json-logic.ts'
import { newBudget } from '../../lib/json-logic/budget.ts'
import { compile } from './compile.ts'
import { readCondition } from './read-condition.ts'

const telemetry = (name: string, componentId: string | null = null) =>
  ({ kind: 'telemetry', name, componentId }) as unknown as ModelContent
const contents = [telemetry('t'), telemetry('p'), telemetry('position'), telemetry('rpm', 'motor')]
const read = (condition: unknown) =>
  readCondition(typeof condition === 'string' ? condition : JSON.stringify(condition), 'condition', contents)

function refusalMessage(condition: unknown): string {
  try {
    read(condition)
  } catch (error) {
    if (error instanceof ApiError && error.code === 'validation_error') return error.message
    throw error
  }
  return 'none'
}

test('names the signals that it reads', () => {
  const condition = {
    and: [{ '>': [{ var: 't' }, 80] }, { '<': [{ var: 'motor.rpm' }, { var: 'position.x' }] }],
  }
  expect(read(condition)).toEqual([
    { variable: 't', componentId: '', name: 't' },
    { variable: 'motor.rpm', componentId: 'motor', name: 'rpm' },
    { variable: 'position.x', componentId: '', name: 'position' },
  ])
})

const nested = (levels: number) => `${'{"!":'.repeat(levels)}true${'}'.repeat(levels)}`

test.each([
  ['no JSON', 'temperature > 80', 'must be a JSONLogic expression'],
  ['no comparison', { '+': [{ var: 't' }, 1] }, 'must compare something'],
  ['no signal', { '>': [1, 0] }, 'must read a telemetry signal'],
  ['an unknown signal', { '>': [{ var: 'speed' }, 0] }, 'no telemetry of the model: speed'],
  ['a component alone', { '>': [{ var: 'motor' }, 0] }, 'no telemetry of the model: motor'],
  ['all data', { '>': [{ var: '' }, 0] }, 'no telemetry of the model'],
  ['an unknown operator', { regex: [{ var: 't' }, '(a+)+$'] }, 'operator regex, which does not exist'],
  ['val', { '>': [{ val: ['t'] }, 0] }, 'operator val, which does not exist'],
  ['log', { '>': [{ log: 't' }, 0] }, 'operator log, which does not exist'],
  ['__proto__ as operator', '{"__proto__": [1, 2]}', 'operator __proto__, which does not exist'],
  ['__proto__ as variable', { '>': [{ var: 't.__proto__.x' }, 0] }, 'must not read'],
  ['constructor', { '>': [{ var: 'constructor' }, 0] }, 'must not read'],
  ['a computed variable', { '>': [{ var: { cat: ['t'] } }, 0] }, 'must be written out'],
  ['deep nesting', nested(5000), 'levels deep'],
  ['a thousand parts', { '>': [{ '+': Array(2000).fill(1) }, { var: 't' }] }, 'at most 1000 parts'],
])('%s is refused', (_what, condition, message) => {
  expect(refusalMessage(condition)).toContain(message)
})

const signal = { var: 't' }
const other = { var: 'p' }

test.each([
  ['a signal and nothing', { '>': [signal] }],
  ['a signal with itself', { '>': [signal, signal] }],
  ['a signal with itself, two ways to write it', { '>=': [signal, { var: ['t'] }] }],
  ['a signal with a calculation of itself alone', { '>': [signal, { '+': [signal, 0] }] }],
  ['numbers, beside a signal', { and: [{ '>': [2, 1] }, signal] }],
  ['a signal with itself and then a number', { '<': [signal, signal, 80] }],
  ['an item with itself', { some: [signal, { '==': [{ var: 'x' }, { var: 'x' }] }] }],
])('a comparison of %s has no threshold', (_what, condition) => {
  expect(refusalMessage(condition)).toContain('must compare a telemetry signal with a threshold')
})

test.each([
  { '>': [signal, 80] },
  { '<': [10, signal, 20] },
  { '==': [signal, 'on'] },
  { '>': [signal, other] },
  { '>': [{ '+': [signal, other] }, other] },
  { '>': [{ var: 'position.x' }, { var: 'position.y' }] },
  { or: [{ '>': [signal, signal] }, { '!': { '<': [signal, 3] } }] },
  { some: [signal, { '>': [{ var: '' }, 3] }] },
])('%j has a threshold', (condition) => {
  expect(refusalMessage(condition)).toBe('none')
})

const slots = new Map(
  ['t', 'p', 'motor.rpm'].map((variable, slot) => [
    variable,
    {
      variable,
      slot,
      ...(variable.includes('.')
        ? { componentId: 'motor', name: 'rpm' }
        : { componentId: '', name: variable }),
    },
  ]),
)
const test3 = (condition: unknown) => {
  const compiled = compile(condition, slots)
  return (values: unknown[]) => compiled({ values, budget: newBudget() })
}

test.each<[unknown, unknown[], boolean]>([
  [{ '>': [{ var: 't' }, 80] }, [81], true],
  [{ '>': [{ var: 't' }, 80] }, [80], false],
  [{ '>=': [{ var: 't' }, 80] }, [80], true],
  [{ '>': [{ var: 't' }, { var: 'p' }] }, [2, 1], true],
  [{ '<': [10, { var: 't' }, 20] }, [15], true],
  [{ '<': [10, { var: 't' }, 20] }, [25], false],
  [{ '==': [{ var: 't' }, 'on'] }, ['on'], true],
  [{ '===': [{ var: 't' }, true] }, [true], true],
  [{ '!=': [{ var: 't' }, 'on'] }, ['off'], true],
  [{ '>': [{ '+': [{ var: 't' }, { var: 'p' }] }, 10] }, [6, 5], true],
  [{ '>': [{ '/': [{ var: 't' }, { var: 'p' }] }, 10] }, [6, 0], false],
  [{ '>': [{ var: 'motor.rpm' }, 5] }, [undefined, undefined, 6], true],
  [{ '>': [{ '+': [{ var: 'motor.rpm' }, 0] }, 5] }, [undefined, undefined, 6], true],
  [{ '!': [{ '>': [{ var: 't' }, 80] }] }, [70], true],
  [{ and: [{ '!': null }, { '>': [{ var: 't' }, 80] }] }, [81], true],
])('%j of %j is %s', (condition, values, expected) => {
  expect(test3(condition)(values)).toBe(expected)
})

test.each([
  { '<': [{ var: 't' }, 80] },
  { '!=': [{ var: 't' }, 'x'] },
  { '<': [{ var: 't' }, { var: 'p' }] },
  { '<': [{ '+': [{ var: 't' }, { var: 'p' }] }, 80] },
  { and: [{ '>': [{ var: 'p' }, 0] }, { '<': [{ var: 't' }, 80] }] },
])('a missing signal makes the comparison false: %j [docs/alarms#conditions]', (condition) => {
  expect(test3(condition)([undefined, 1])).toBe(false)
})

test('a default replaces a missing signal', () => {
  expect(test3({ '<': [{ var: ['t', 5] }, 80] })([])).toBe(true)
})

const value = fc.oneof(fc.integer({ min: -3, max: 3 }), fc.constantFrom('a', '1', '', true, false))
const operand = fc.oneof(fc.constantFrom({ var: 't' }, { var: 'p' }), value)
const comparison = fc
  .tuple(fc.constantFrom('>', '>=', '<', '<=', '==', '===', '!=', '!=='), operand, operand)
  .map(([operator, a, b]) => ({ [operator]: [a, b] }))
const condition = fc.letrec<{ node: unknown }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 3 },
    comparison,
    fc
      .tuple(fc.constantFrom('and', 'or'), fc.array(tie('node'), { minLength: 1, maxLength: 3 }))
      .map(([operator, parts]) => ({ [operator]: parts })),
    tie('node').map((part) => ({ '!': [part] })),
  ),
})).node

test('a compiled condition has the result of the engine wherever the engine has one', () => {
  fc.assert(
    fc.property(condition, value, value, (source, t, p) => {
      let expected: boolean
      try {
        expected = Boolean(readLogic(source, 'c').run({ t, p }))
      } catch (error) {
        if (error instanceof LogicError) return
        throw error
      }
      expect(test3(source)([t, p])).toBe(expected)
    }),
    { numRuns: 2000 },
  )
})
