/** Rows of the tables that compare implementations of JSONLogic: jsonlogic.com/tests.json and those of its community. */
import { expect, test } from 'vitest'
import { LogicError, readLogic } from '../json-logic.ts'

const run = (rule: unknown, data: unknown) => readLogic(rule, 'rule').run(data as Record<string, unknown>)

const item = { var: '' }
const integers = { var: 'integers' }
const list = { integers: [1, 2, 3] }
const sum = { '+': [{ var: 'current' }, { var: 'accumulator' }] }
const pie = { temp: 100, pie: { filling: 'apple' } }

const rows: [rule: unknown, data: unknown, result: unknown][] = [
  ['apple', {}, 'apple'],
  [[1, { var: 'x' }, 3], { x: 2 }, [1, 2, 3]],

  [{ '==': [1, '1'] }, {}, true],
  [{ '===': [1, '1'] }, {}, false],
  [{ '!=': [1, '1'] }, {}, false],
  [{ '!==': [1, '1'] }, {}, true],
  [{ '>': ['2', 1] }, {}, true],
  [{ '>=': [1, 1] }, {}, true],
  [{ '<': [1, 2, 3] }, {}, true],
  [{ '<': [1, 1, 3] }, {}, false],
  [{ '<=': [1, 4, 3] }, {}, false],

  [{ and: [] }, null, null],
  [{ or: [] }, null, null],
  [{ and: [1, 3] }, {}, 3],
  [{ and: [[], true] }, {}, []],
  [{ and: ['0', true] }, {}, true],
  [{ or: [false, 3] }, {}, 3],
  [{ or: [[], true] }, {}, true],
  [{ or: ['', '0'] }, {}, '0'],
  [{ and: [true, 1, 2, [], { '/': [1, 0] }] }, null, []],
  [{ or: [false, 0, null, [], 4, { '/': [1, 0] }] }, null, 4],
  [{ '!': [[]] }, {}, true],
  [{ '!!': [[]] }, {}, false],
  [{ '!': ['0'] }, {}, false],
  [{ '!': 0 }, {}, true],

  [{ if: [] }, null, null],
  [{ if: [false] }, null, false],
  [{ if: [false, 'apple'] }, null, null],
  [{ if: [[], 'apple', 'banana'] }, null, 'banana'],
  [{ if: [false, 'apple', false, 'banana', true, 'carrot', 'date'] }, null, 'carrot'],
  [{ if: [{ var: 'x' }, [{ var: 'y' }], 99] }, { x: true, y: 42 }, [42]],
  [{ '?:': [{ '>': [3, 1] }, 'visible', 'hidden'] }, {}, 'visible'],

  [{ '+': [] }, {}, 0],
  [{ '+': ['1', 1] }, {}, 2],
  [{ '+': '0' }, {}, 0],
  [{ '-': [3] }, {}, -3],
  [{ '-': ['1', 1] }, {}, 0],
  [{ '*': ['2', 3] }, {}, 6],
  [{ '/': [2, 4] }, {}, 0.5],
  [{ '%': [3, 2] }, {}, 1],
  [{ max: [1, 3, 2] }, {}, 3],
  [{ min: [3, 1, 2] }, {}, 1],

  [{ in: ['Bart', ['Homer', 'Bart']] }, {}, true],
  [{ in: ['Spring', 'Springfield'] }, {}, true],
  [{ in: ['i', 'team'] }, {}, false],
  [{ cat: 'ice' }, {}, 'ice'],
  [{ cat: ['Robocop', 2] }, {}, 'Robocop2'],
  [{ substr: ['jsonlogic', 4] }, null, 'logic'],
  [{ substr: ['jsonlogic', -5] }, null, 'logic'],
  [{ substr: ['jsonlogic', -1, 1] }, null, 'c'],
  [{ substr: ['jsonlogic', 4, 5] }, null, 'logic'],
  [{ substr: ['jsonlogic', -5, -2] }, null, 'log'],
  [{ substr: ['jsonlogic', 1, -5] }, null, 'son'],
  [{ substr: [42, 0, 1] }, null, '4'],
  [{ substr: [{ var: 'n' }, 1] }, { n: 12345 }, '2345'],
  [{ merge: [] }, null, []],
  [{ merge: 1 }, null, [1]],
  [{ merge: [1, [2, 3], [[4]]] }, null, [1, 2, 3, [4]]],

  [{ var: ['a', 1] }, null, 1],
  [{ var: ['a.q', 9] }, { a: { b: 'c' } }, 9],
  [{ var: 'a.b.c' }, { a: { b: null } }, null],
  [{ var: 1 }, ['apple', 'banana'], 'banana'],
  [{ var: '1.1' }, ['apple', ['banana', 'beer']], 'beer'],
  [{ and: [{ '<': [{ var: 'temp' }, 110] }, { '==': [{ var: 'pie.filling' }, 'apple'] }] }, pie, true],
  [{ missing: ['a.b', 'a.c'] }, { a: { b: 'brownie' } }, ['a.c']],
  [{ missing: 'a' }, null, ['a']],
  [{ missing_some: [1, ['a', 'b']] }, { a: 'apple' }, []],
  [{ missing_some: [2, ['a', 'b', 'c']] }, { a: 'apple', d: 'durian' }, ['b', 'c']],
  [{ if: [{ missing: 'a' }, 'missed it', 'found it'] }, { a: 'apple' }, 'found it'],

  [{ filter: [integers, true] }, list, [1, 2, 3]],
  [{ filter: [integers, { '>=': [item, 2] }] }, list, [2, 3]],
  [{ filter: [integers, { '%': [item, 2] }] }, list, [1, 3]],
  [{ map: [integers, { '*': [item, 2] }] }, list, [2, 4, 6]],
  [{ reduce: [integers, sum, 0] }, list, 6],
  [{ reduce: [integers, sum, { var: 'start_with' }] }, { ...list, start_with: 59 }, 65],
  [{ all: [integers, { '>=': [item, 1] }] }, list, true],
  [{ none: [integers, { '==': [item, 1] }] }, list, false],
  [{ some: [integers, { '==': [item, 1] }] }, list, true],
  [{ all: [integers, true] }, { integers: [] }, false],
  [{ none: [integers, true] }, { integers: [] }, true],
  [{ some: [integers, true] }, { integers: [] }, false],
  [{ map: [integers, item] }, null, []],
  [{ filter: [integers, true] }, null, []],
  [{ reduce: [integers, sum, 0] }, null, 0],
  [{ all: [integers, true] }, null, false],
  [{ none: [integers, true] }, null, true],
  [{ some: [integers, true] }, null, false],
]

test.each(rows)('%j of %j is %j', (rule, data, result) => {
  expect(run(rule, data)).toEqual(result)
})

test.each<[unknown, unknown]>([
  [{ and: true }, null],
  [{ or: { var: 'integers' } }, list],
  [{ '>': [1] }, {}],
  [{ '/': [0] }, {}],
  [{ '%': [1] }, {}],
  [{ '-': [] }, {}],
  [{ max: [] }, {}],
  [{ '+': 'x' }, {}],
  [{ '>': [[1], 0] }, {}],
  [{ length: null }, {}],
])('%j of %j is an error', (rule, data) => {
  expect(() => run(rule, data)).toThrow(LogicError)
})
