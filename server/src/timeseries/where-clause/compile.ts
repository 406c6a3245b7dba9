/** Compiles the tree to SQL with bound parameters; no text of the request becomes SQL. [docs/telemetry#where-clause] */
import { type RawBuilder, sql } from 'kysely'
import type { Column, Literal, Operator, TextColumn, Where } from './tree.ts'

type Condition = RawBuilder<unknown>

/** The SQL expressions of the columns in the query that contains the condition. */
export interface WhereColumns {
  time: Condition
  texts: Record<TextColumn, Condition>
  value: Condition
  /** The type of `value`: double precision for the table of numbers, jsonb for that of all other values. */
  valueType: 'number' | 'json'
}

export function compileWhere(where: Where, columns: WhereColumns): Condition {
  switch (where.kind) {
    case 'and':
    case 'or':
      return join(
        where.kind,
        where.terms.map((term) => compileWhere(term, columns)),
      )
    case 'not':
      return sql`(not ${compileWhere(where.term, columns)})`
    case 'compare':
      return compare(columns, where.column, where.operator, where.literal)
    case 'in':
      return join(
        'or',
        where.literals.map((literal) => compare(columns, where.column, '=', literal)),
      )
    case 'between':
      return join('and', [
        compare(columns, where.column, '>=', where.low),
        compare(columns, where.column, '<=', where.high),
      ])
    case 'like':
      return like(columns, where.column, where.pattern)
    case 'isNull':
      return sql`(${operand(columns, where.column)} is null)`
  }
}

const join = (kind: 'and' | 'or', terms: Condition[]) => sql`(${sql.join(terms, sql.raw(` ${kind} `))})`

function operand({ time, texts, value }: WhereColumns, column: Column): Condition {
  if (column === 'time') return time
  return column === 'value' ? value : texts[column]
}

/** Byte order is the same on every server; for UTF-8 it is the order of the code points. */
const bytes = (text: Condition) => sql`${text} collate "C"`

function compare(columns: WhereColumns, column: Column, operator: Operator, literal: Literal): Condition {
  // `<>` means NOT with `=`, whatever the types are.
  if (operator === '<>') return sql`(not ${compare(columns, column, '=', literal)})`
  if (column === 'value') return compareValue(columns, operator, literal)
  if (literal.type === 'timestamp')
    return sql`(${columns.time} ${sql.raw(operator)} ${new Date(literal.value).toISOString()}::timestamptz)`
  return sql`(${bytes(operand(columns, column))} ${sql.raw(operator)} ${literal.value}::text)`
}

/** A value whose type differs from that of the literal is not equal to it, nor less or greater. */
function compareValue({ value, valueType }: WhereColumns, operator: Operator, literal: Literal): Condition {
  const comparison = sql.raw(operator)
  if (literal.type === 'number')
    return valueType === 'number' ? sql`(${value} ${comparison} ${literal.value}::float8)` : sql`false`
  if (valueType === 'number') return sql`false`
  if (literal.type === 'boolean')
    return sql`(jsonb_typeof(${value}) = 'boolean' and ${value} ${comparison} to_jsonb(${literal.value}::boolean))`
  return stringValue(value, (text) => sql`${text} ${comparison} ${literal.value}::text`)
}

function like(columns: WhereColumns, column: Column, pattern: string): Condition {
  if (column !== 'value') return sql`(${bytes(columns.texts[column as TextColumn])} like ${pattern}::text)`
  if (columns.valueType === 'number') return sql`false`
  return stringValue(columns.value, (text) => sql`${text} like ${pattern}::text`)
}

/** `#>> '{}'` extracts the text of any JSON value and never fails, so the two checks may run in any order. */
const stringValue = (value: Condition, check: (text: Condition) => Condition) =>
  sql`(jsonb_typeof(${value}) = 'string' and ${check(bytes(sql`(${value} #>> '{}')`))})`
