import { expect, test } from 'vitest'
import { ApiError } from '../../http/errors.ts'
import { LogicError, readLogic } from '../../lib/json-logic.ts'
import { applyTransform } from './transform.ts'

const value = { var: 'value' }
const apply = (logic: unknown, values: Record<string, unknown>) =>
  applyTransform(readLogic(logic, 'transform'), values)

test.each<[string, unknown, Record<string, unknown>, unknown]>([
  ['a number', { '+': [{ '*': [value, 1.8] }, 32] }, { value: 10 }, 50],
  ['several remotes', { '-': [{ var: 'a' }, { var: 'b' }] }, { a: 5, b: 3 }, 2],
  ['lists put together', { merge: [value, 3, [[4]]] }, { value: [1, 2] }, [1, 2, 3, [4]]],
  ['text of a single part', { cat: value }, { value: 5 }, '5'],
  ['text', { cat: [value, ' °C'] }, { value: 5 }, '5 °C'],
  ['a list', { map: [value, { '*': [{ var: '' }, 2] }] }, { value: [1, 2] }, [2, 4]],
  ['what stands within a value', { var: 'value.x.0' }, { value: { x: [7] } }, 7],
  ['nothing for what is not there', { var: 'value.y' }, { value: { x: 1 } }, null],
  [
    'a sum',
    { reduce: [value, { '+': [{ var: 'accumulator' }, { var: 'current' }] }, 0] },
    { value: [1, 2] },
    3,
  ],
  ['the whole value', value, { value: { x: [1, { y: null }] } }, { x: [1, { y: null }] }],
])('%s', (_what, logic, values, result) => {
  expect(apply(logic, values)).toEqual(result)
})

const accumulator = { var: 'accumulator' }
function doubling(operator: string) {
  return { reduce: [value, { [operator]: [accumulator, accumulator] }, 'x'] }
}
const deepList = (depth: number) => {
  let list: unknown[] = []
  for (let i = 1; i < depth; i++) list = [list]
  return list
}

test.each<[string, unknown, Record<string, unknown>]>([
  ['text in a calculation', { '+': [value, 1] }, { value: 'x' }],
  ['a division by zero', { '/': [value, 0] }, { value: 1 }],
  ['an overflow', { '*': [value, 1e300] }, { value: 1e300 }],
  ['not a number', { '*': [value, 1] }, { value: {} }],
  ['a value that is too deep', value, { value: deepList(1000) }],
  ['too many values', value, { value: Array.from({ length: 20_000 }, () => 1) }],
  ['too much text', { cat: [value, value] }, { value: 'x'.repeat(600_000) }],
  ['text that cannot be stored', { cat: [value, '\ud800'] }, { value: 'x' }],
  ['text with NUL', value, { value: 'a\u0000' }],
  ['an invalid number in a list', [1, value], { value: Number.NaN }],
  ['too much work', { map: [value, { '+': [{ var: '' }, 1] }] }, { value: Array(50_000).fill(1) }],
  ['a list that doubles with each item', doubling('merge'), { value: Array.from({ length: 40 }, () => 1) }],
  ['text that doubles with each item', doubling('cat'), { value: Array.from({ length: 40 }, () => 1) }],
])('%s is an error', (_what, logic, values) => {
  expect(() => apply(logic, values)).toThrow(LogicError)
})

test.each(['__proto__', 'constructor', 'value.__proto__.x', 'value.constructor', 'prototype'])(
  'a transform cannot name %s',
  (name) => {
    expect(() => apply({ var: name }, { value: 1 })).toThrow(ApiError)
  },
)
