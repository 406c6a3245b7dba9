/**
 * Parses a `whereClause` into a tree, by recursive descent. [docs/telemetry#where-clause]
 *
 *     or        = and { OR and }
 *     and       = not { AND not }
 *     not       = NOT not | "(" or ")" | predicate
 *     predicate = column ( operator literal | IS [NOT] NULL
 *                        | [NOT] ( IN "(" literal { "," literal } ")" | BETWEEN literal AND literal | LIKE string ) )
 */
import { expectedLiteral, readLiteral, readPattern } from './literals.ts'
import {
  accept,
  expected,
  expectSymbol,
  expectWord,
  peek,
  type Reader,
  startReader,
  take,
  wordAt,
} from './reader.ts'
import { type Column, columnTypes, type Literal, type Operator, type Where } from './tree.ts'

const MAX_DEPTH = 50

/** @throws validation_error naming the place and what was expected there */
export function parseWhere(text: string): Where {
  const reader = startReader(text)
  const where = readOr(reader, 0)
  if (peek(reader).kind !== 'end') throw expected(reader, 'AND, OR or the end')
  return where
}

const readOr = (reader: Reader, depth: number) => readChain(reader, 'or', () => readAnd(reader, depth))
const readAnd = (reader: Reader, depth: number) => readChain(reader, 'and', () => readNot(reader, depth))

function readChain(reader: Reader, kind: 'and' | 'or', readTerm: () => Where): Where {
  const first = readTerm()
  const terms = [first]
  while (accept(reader, kind.toUpperCase())) terms.push(readTerm())
  return terms.length === 1 ? first : { kind, terms }
}

function readNot(reader: Reader, depth: number): Where {
  if (depth > MAX_DEPTH) throw expected(reader, `at most ${MAX_DEPTH} levels of NOT and parentheses`)
  if (accept(reader, 'NOT')) return { kind: 'not', term: readNot(reader, depth + 1) }
  const token = peek(reader)
  if (token.kind !== 'symbol' || token.text !== '(') return readPredicate(reader)
  take(reader)
  const inner = readOr(reader, depth + 1)
  expectSymbol(reader, ')', 'AND, OR or )')
  return inner
}

function readPredicate(reader: Reader): Where {
  const column = readColumn(reader)
  const token = peek(reader)
  if (token.kind === 'symbol') return readComparison(reader, column)
  if (accept(reader, 'IS')) return readIsNull(reader, column)
  if (accept(reader, 'NOT'))
    return { kind: 'not', term: readNegatable(reader, column, 'IN, BETWEEN or LIKE') }
  return readNegatable(
    reader,
    column,
    'a comparison (=, <>, <, <=, >, >=), [NOT] IN, [NOT] BETWEEN, [NOT] LIKE or IS',
  )
}

function readColumn(reader: Reader): Column {
  const name = wordAt(reader)?.toLowerCase()
  if (name === undefined || !Object.hasOwn(columnTypes, name))
    throw expected(reader, `NOT, ( or a column (${Object.keys(columnTypes).join(', ')})`)
  take(reader)
  return name as Column
}

const operators: Record<string, Operator> = {
  '=': '=',
  '<>': '<>',
  '!=': '<>',
  '<': '<',
  '<=': '<=',
  '>': '>',
  '>=': '>=',
}

function readComparison(reader: Reader, column: Column): Where {
  const token = peek(reader)
  const operator = token.kind === 'symbol' ? operators[token.text] : undefined
  if (!operator) throw expected(reader, 'a comparison (=, <>, <, <=, >, >=)')
  take(reader)
  return { kind: 'compare', column, operator, literal: readLiteral(reader, column) }
}

function readIsNull(reader: Reader, column: Column): Where {
  const negated = accept(reader, 'NOT')
  expectWord(reader, 'NULL', negated ? 'NULL' : 'NULL or NOT NULL')
  const isNull: Where = { kind: 'isNull', column }
  return negated ? { kind: 'not', term: isNull } : isNull
}

function readNegatable(reader: Reader, column: Column, orElse: string): Where {
  if (accept(reader, 'IN')) return { kind: 'in', column, literals: readList(reader, column) }
  if (accept(reader, 'LIKE')) return { kind: 'like', column, pattern: readPattern(reader, column) }
  if (!accept(reader, 'BETWEEN')) throw expected(reader, orElse)
  const low = readLiteral(reader, column)
  expectWord(reader, 'AND', 'AND and the upper bound of BETWEEN')
  return { kind: 'between', column, low, high: readLiteral(reader, column) }
}

function readList(reader: Reader, column: Column): Literal[] {
  expectSymbol(reader, '(', `( and a list with ${expectedLiteral(column)}`)
  const literals = [readLiteral(reader, column)]
  while (acceptComma(reader)) literals.push(readLiteral(reader, column))
  expectSymbol(reader, ')', ', or )')
  return literals
}

function acceptComma(reader: Reader) {
  const token = peek(reader)
  if (token.kind !== 'symbol' || token.text !== ',') return false
  take(reader)
  return true
}
