/** Parsing a `whereClause`, and the positions of its errors. [docs/telemetry#where-clause] */
import { describe, expect, test } from 'vitest'
import { ApiError } from '../../http/errors.ts'
import { parseWhere } from './parse.ts'

const number = (value: number) => ({ type: 'number', value })
const string = (value: string) => ({ type: 'string', value })

function parseError(text: string) {
  try {
    parseWhere(text)
  } catch (error) {
    expect(error).toBeInstanceOf(ApiError)
    expect((error as ApiError).code).toBe('validation_error')
    return (error as ApiError).message
  }
  throw new Error(`was not refused: ${text.slice(0, 100)}`)
}

test('AND binds closer than OR, and NOT closer than AND', () => {
  const [a, b, c] = ['a', 'b', 'c'].map((value) => ({
    kind: 'compare',
    column: 'assetid',
    operator: '=',
    literal: string(value),
  }))
  const text = "NOT assetid = 'a' AND assetid = 'b' OR assetid = 'c'"
  expect(parseWhere(text)).toEqual({
    kind: 'or',
    terms: [{ kind: 'and', terms: [{ kind: 'not', term: a }, b] }, c],
  })
  expect(parseWhere("assetid = 'a' and (assetid = 'b' or assetid = 'c')")).toEqual({
    kind: 'and',
    terms: [a, { kind: 'or', terms: [b, c] }],
  })
})

test.each([
  ['value > 20', { kind: 'compare', column: 'value', operator: '>', literal: number(20) }],
  ['VALUE!=-1.5e3', { kind: 'compare', column: 'value', operator: '<>', literal: number(-1500) }],
  ['value >= .5', { kind: 'compare', column: 'value', operator: '>=', literal: number(0.5) }],
  [
    'value = True',
    { kind: 'compare', column: 'value', operator: '=', literal: { type: 'boolean', value: true } },
  ],
  ["value = ''''", { kind: 'compare', column: 'value', operator: '=', literal: string("'") }],
  ["value = ''", { kind: 'compare', column: 'value', operator: '=', literal: string('') }],
  [
    "Time < '2026-01-01'",
    {
      kind: 'compare',
      column: 'time',
      operator: '<',
      literal: { type: 'timestamp', value: Date.UTC(2026, 0) },
    },
  ],
  ["messageid in ('1', '2')", { kind: 'in', column: 'messageid', literals: [string('1'), string('2')] }],
  ['value between 1 and 2', { kind: 'between', column: 'value', low: number(1), high: number(2) }],
  ["value not like 'a%'", { kind: 'not', term: { kind: 'like', column: 'value', pattern: 'a%' } }],
  ['modelid is not null', { kind: 'not', term: { kind: 'isNull', column: 'modelid' } }],
  ['((value is null))', { kind: 'isNull', column: 'value' }],
])('%s', (text, tree) => {
  expect(parseWhere(text)).toEqual(tree)
})

test('patterns without % do not count as patterns with it', () => {
  const like = Array.from({ length: 20 }, () => "value like 'a'").join(' or ')
  expect(parseWhere(like)).toMatchObject({ kind: 'or' })
})

test('after IS NOT nothing but NULL is expected', () => {
  expect(parseError('value is not 1')).toMatch(/at character 14: expected NULL$/)
})

describe('names the position and the expected token', () => {
  test.each([
    ['', 'whereClause: at character 1: expected NOT, ( or a column'],
    ['value >', 'at character 8: expected a number, a string in single quotes, TRUE or FALSE'],
    ['value = 1 value = 2', 'at character 11: expected AND, OR or the end'],
    ['(value = 1', 'at character 11: expected AND, OR or )'],
    ['value = 1)', 'at character 10: expected AND, OR or the end'],
    ['temperature > 1', 'at character 1: expected NOT, ( or a column (time, assetid'],
    ['1 = 1', 'at character 1: expected NOT, ( or a column'],
    ['value = null', 'at character 9: expected a number'],
    ['value = value', 'at character 9: expected a number'],
    ['value == 1', 'at character 8: expected a number'],
    ['value is 1', 'at character 10: expected NULL or NOT NULL'],
    ['value not 1', 'at character 11: expected IN, BETWEEN or LIKE'],
    ['value between 1', 'at character 16: expected AND and the upper bound'],
    ['value in ()', 'at character 11: expected a number'],
    ['value in (1,)', 'at character 13: expected a number'],
    ['value in (1', 'at character 12: expected , or )'],
    ['assetid = 5', 'at character 11: expected a string in single quotes'],
    ["time > 'yesterday'", 'at character 8: expected an ISO 8601 timestamp'],
    [`value like '${'a'.repeat(257)}'`, 'at most 256 characters in the patterns'],
    [
      Array(9)
        .fill(`value like '${'a'.repeat(30)}'`)
        .join(' or '),
      'at most 256 characters in the patterns',
    ],
    [`value like '${'%a'.repeat(17)}'`, 'at most 16 times %'],
    ["time like '2026%'", 'at character 11: expected a column of text before LIKE'],
    ["value = 'open", "at character 9: expected a ' at the end"],
    ["value like '%\\'", 'at character 12: expected a pattern'],
    ["value like 'a' escape '!'", 'at character 16: expected AND, OR or the end'],
    ["value = '🚀' ; x", 'at character 13: expected a column, an operator'],
    ['value = 1e999', 'at character 9: expected a number that a double can hold'],
    ['value = 1.2.3', 'at character 9: expected a column, an operator, a literal'],
    ['value = 0x10', 'at character 9: expected a column, an operator, a literal'],
    ["value = 'a\u0000b'", 'at character 9: expected a string without NUL'],
    ["value = '\ud800'", 'at character 9: expected a string without NUL'],
    ['constructor = 1', 'at character 1: expected NOT, ( or a column'],
    ['__proto__ = 1', 'at character 1: expected NOT, ( or a column'],
  ])('%s', (text, message) => {
    expect(parseError(text)).toContain(message)
  })
})

test.each([
  'value = 1; drop table samples',
  'value = 1 -- comment',
  'value = 1 /* comment */',
  'value = 1 or 1=1',
  'value = 1 union select * from users',
  'value = (select 1)',
  'value = $1',
  'value = pg_sleep(10)',
  'value = "x"',
  "value = 'a' || 'b'",
  "value::text = 'a'",
  "value = E'\\x41'",
  'value = 1 and tenant_number = 2',
  'value ＝ 1',
  'value = １',
  'value = ‘a’',
  'value = 1 and exists (select)',
  'samples.value = 1',
])('refuses %s', (text) => {
  expect(parseError(text)).toMatch(/^whereClause: at character \d+: expected /)
})

test('is limited in length, depth and literals', () => {
  expect(parseError('('.repeat(51) + 'value = 1' + ')'.repeat(51))).toContain(
    'at character 52: expected at most 50 levels',
  )
  expect(parseError('not '.repeat(900) + 'value = 1')).toContain('at most 50 levels')
  expect(parseError(`value in (${Array.from({ length: 501 }, () => 1).join(',')})`)).toContain(
    'at most 500 literals',
  )
  expect(parseError('('.repeat(1024 * 1024))).toContain('at character 4001: expected the end')
  expect(parseError(`value = '${"''".repeat(500_000)}`)).toContain('at most 4000 characters')
  expect(parseError(`${' '.repeat(3999)}'`)).toContain('at character 4000')
  expect(parseWhere('('.repeat(50) + 'value = 1' + ')'.repeat(50))).toMatchObject({ kind: 'compare' })
})
