/** Random trees: they are parsed from their text unchanged, and PostgreSQL finds the same rows as a small evaluator. */
import fc from 'fast-check'
import { type RawBuilder, sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { testDatabase, type TestDatabase } from '../../../test/harness/database.ts'
import { compileWhere, type WhereColumns } from './compile.ts'
import { parseWhere } from './parse.ts'
import { type Column, columnTypes, type Literal, type Operator, type TextColumn, type Where } from './tree.ts'

const columnNames = Object.keys(columnTypes) as Column[]
const times = ['2026-01-01T00:00:00.000Z', '2026-06-01T12:30:00.500Z', '0001-01-01T00:00:00.000Z'].map(
  (iso) => Date.parse(iso),
)
/** Few and similar strings, so that they often match the value of a sample. */
const strings = [
  '',
  'on',
  'off',
  "it's",
  'ON',
  'ünïcode',
  '%',
  'a_b',
  '日本',
  '1',
  'true',
  '-- x; drop',
  '🚀',
]
const numbers = [0, 1, -1, 21.5, 1e300, -1e-300, 5e-324, 42]

const anyLiteral = (column: Column): fc.Arbitrary<Literal> => {
  const string = fc.record({ type: fc.constant('string' as const), value: fc.constantFrom(...strings) })
  if (columnTypes[column] === 'text') return string
  if (columnTypes[column] === 'timestamp')
    return fc.record({ type: fc.constant('timestamp' as const), value: fc.constantFrom(...times) })
  return fc.oneof(
    string,
    fc.record({ type: fc.constant('number' as const), value: fc.constantFrom(...numbers) }),
    fc.record({ type: fc.constant('boolean' as const), value: fc.boolean() }),
  )
}

const operators: Operator[] = ['=', '<>', '<', '<=', '>', '>=']
const patterns = ['%', 'o%', '_n', '%\\%%', 'a\\_b', '日_', "%'%", 'o_f', '', '%\\\\']

const anyLeaf = (column: Column): fc.Arbitrary<Where> => {
  const literal = anyLiteral(column)
  const leaves: fc.Arbitrary<Where>[] = [
    fc.record({
      kind: fc.constant('compare' as const),
      column: fc.constant(column),
      operator: fc.constantFrom(...operators),
      literal,
    }),
    fc.record({
      kind: fc.constant('in' as const),
      column: fc.constant(column),
      literals: fc.array(literal, { minLength: 1, maxLength: 3 }),
    }),
    fc.record({
      kind: fc.constant('between' as const),
      column: fc.constant(column),
      low: literal,
      high: literal,
    }),
    fc.record({ kind: fc.constant('isNull' as const), column: fc.constant(column) }),
  ]
  if (column !== 'time')
    leaves.push(
      fc.record({
        kind: fc.constant('like' as const),
        column: fc.constant(column),
        pattern: fc.constantFrom(...patterns),
      }),
    )
  return fc.oneof(...leaves)
}

const arbitraryWhere: fc.Arbitrary<Where> = fc.letrec<{ where: Where; leaf: Where }>((tie) => ({
  leaf: fc.constantFrom(...columnNames, 'value' as const, 'value' as const).chain(anyLeaf),
  where: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    tie('leaf'),
    fc.record({ kind: fc.constant('not' as const), term: tie('where') }),
    fc.record({
      kind: fc.constantFrom('and' as const, 'or' as const),
      terms: fc.array(tie('where'), { minLength: 2, maxLength: 3 }),
    }),
  ),
})).where

const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`

function printLiteral(literal: Literal): string {
  if (literal.type === 'string') return quoted(literal.value)
  if (literal.type === 'timestamp') return `timestamp ${quoted(new Date(literal.value).toISOString())}`
  return String(literal.value)
}

function printWhere(where: Where): string {
  switch (where.kind) {
    case 'and':
    case 'or':
      return where.terms.map((term) => `(${printWhere(term)})`).join(` ${where.kind} `)
    case 'not':
      return `NOT (${printWhere(where.term)})`
    case 'compare':
      return `${where.column} ${where.operator} ${printLiteral(where.literal)}`
    case 'in':
      return `${where.column.toUpperCase()} In (${where.literals.map(printLiteral).join(',')})`
    case 'between':
      return `${where.column} between ${printLiteral(where.low)} AND ${printLiteral(where.high)}`
    case 'like':
      return `${where.column} like ${quoted(where.pattern)}`
    case 'isNull':
      return `${where.column}\n is null`
  }
}

test('a printed tree is parsed as the same tree', () => {
  fc.assert(
    fc.property(arbitraryWhere, (where) => {
      const text = printWhere(where)
      fc.pre(text.length <= 4000)
      expect(parseWhere(text)).toEqual(where)
    }),
    { numRuns: 500 },
  )
})

interface Row {
  time: number
  messageId: string
  value: unknown
  texts: Record<TextColumn, string | null>
}

/** SQL's three values: null is unknown. */
function evaluate(where: Where, row: Row): boolean | null {
  switch (where.kind) {
    case 'and':
      return where.terms.map((term) => evaluate(term, row)).reduce(and, true)
    case 'or':
      return not(where.terms.map((term) => not(evaluate(term, row))).reduce(and, true))
    case 'not':
      return not(evaluate(where.term, row))
    case 'compare':
      return where.operator === '<>'
        ? not(compare(row, where.column, '=', where.literal))
        : compare(row, where.column, where.operator, where.literal)
    case 'in':
      return not(
        where.literals.map((literal) => not(compare(row, where.column, '=', literal))).reduce(and, true),
      )
    case 'between':
      return and(compare(row, where.column, '>=', where.low), compare(row, where.column, '<=', where.high))
    case 'like':
      return matches(cell(row, where.column), where.pattern)
    case 'isNull':
      return cell(row, where.column) === null
  }
}

const not = (value: boolean | null) => (value === null ? null : !value)
const and = (a: boolean | null, b: boolean | null) =>
  a === false || b === false ? false : a === null || b === null ? null : true

const cell = (row: Row, column: Column): unknown =>
  column === 'time' ? row.time : column === 'value' ? row.value : row.texts[column]

function compare(row: Row, column: Column, operator: Operator, literal: Literal): boolean | null {
  const left = cell(row, column)
  if (left === null) return null
  const type = literal.type === 'timestamp' ? 'number' : literal.type
  if (typeof left !== type) return false
  const order =
    typeof left === 'string'
      ? Buffer.compare(Buffer.from(left), Buffer.from(literal.value as string))
      : Number(left) - Number(literal.value)
  return {
    '=': order === 0,
    '<>': order !== 0,
    '<': order < 0,
    '<=': order <= 0,
    '>': order > 0,
    '>=': order >= 0,
  }[operator]
}

function matches(value: unknown, pattern: string): boolean | null {
  if (value === null) return null
  if (typeof value !== 'string') return false
  const parts = [...pattern.matchAll(/\\([\s\S])|([\s\S])/gu)].map(([, escaped, plain]) => {
    if (plain === '%') return '[\\s\\S]*'
    return plain === '_' ? '[\\s\\S]' : (escaped ?? plain!).replace(/[\\^$.*+?()[\]{}|/-]/gu, '\\$&')
  })
  return new RegExp(`^${parts.join('')}$`, 'u').test(value)
}

const others = [...strings, true, false, { on: 1 }, {}, [], ['on'], { '': 'it' }]
const texts: Record<TextColumn, string | null>[] = [
  {
    assetid: 'on',
    componentid: null,
    timeseries_name: '日本',
    timeseries_type: 'telemetry',
    modelid: null,
    messageid: '',
  },
  {
    assetid: 'a_b',
    componentid: 'off',
    timeseries_name: '%',
    timeseries_type: '1',
    modelid: null,
    messageid: '',
  },
]
const makeRows = (values: unknown[], owner: Record<TextColumn, string | null>): Row[] =>
  values.map((value, index) => {
    const messageId = String(index % 3)
    return { time: times[index % times.length]!, messageId, value, texts: { ...owner, messageid: messageId } }
  })

let database: TestDatabase
beforeAll(async () => {
  database = await testDatabase()
})
afterAll(() => database[Symbol.asyncDispose]())

async function inSql(where: Where, rows: Row[], valueType: WhereColumns['valueType']) {
  const text = (value: string | null): RawBuilder<unknown> => sql`${value}::text`
  const columns: WhereColumns = {
    time: sql`time`,
    texts: {
      assetid: text(rows[0]!.texts.assetid),
      componentid: text(rows[0]!.texts.componentid),
      timeseries_name: text(rows[0]!.texts.timeseries_name),
      timeseries_type: text(rows[0]!.texts.timeseries_type),
      modelid: text(null),
      messageid: sql`message_id::text`,
    },
    value: sql`value`,
    valueType,
  }
  const values = JSON.stringify(rows.map((row) => ({ ...row, time: new Date(row.time).toISOString() })))
  const type = sql.raw(valueType === 'number' ? 'float8' : 'jsonb')
  const result = await sql<{ found: boolean | null }>`
    select ${compileWhere(where, columns)} as found from (
      select (row->>'time')::timestamptz as time, (row->>'messageId')::bigint as message_id, (row->'value')::${type} as value
      from jsonb_array_elements(${values}::jsonb) with ordinality as e (row, place) order by place
    ) samples`.execute(database.db)
  return result.rows.map(({ found }) => found)
}

test('PostgreSQL finds the same rows as the evaluator, for numbers and for other values', async () => {
  const property = fc.asyncProperty(arbitraryWhere, fc.constantFrom(...texts), async (where, owner) => {
    const [numberRows, otherRows] = [makeRows(numbers, owner), makeRows(others, owner)]
    expect(await inSql(where, numberRows, 'number')).toEqual(numberRows.map((row) => evaluate(where, row)))
    expect(await inSql(where, otherRows, 'json')).toEqual(otherRows.map((row) => evaluate(where, row)))
  })
  await fc.assert(property, { numRuns: 300 })
})
