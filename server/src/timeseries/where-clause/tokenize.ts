import { isUnstorableText } from '../../lib/json-limits.ts'
import { whereProblem } from './problem.ts'

/** `index` is the place of the first character in the text. */
export type Token = { index: number } & (
  | { kind: 'word'; text: string }
  | { kind: 'string'; value: string }
  | { kind: 'number'; value: number }
  | { kind: 'symbol'; text: string }
  | { kind: 'end' }
)

const MAX_WHERE_CHARACTERS = 4000

const patterns = {
  space: /\s+/y,
  word: /[A-Za-z_][A-Za-z0-9_]*/y,
  string: /'(?:[^']|'')*'/y,
  // No letter, digit or dot may follow directly, as in 1a or 1.2.3.
  number: /[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?(?![\w.])/y,
  symbol: /<>|!=|<=|>=|[=<>(),]/y,
}

/** @throws validation_error naming the place */
export function tokenize(text: string): Token[] {
  if (text.length > MAX_WHERE_CHARACTERS)
    throw whereProblem(
      text,
      MAX_WHERE_CHARACTERS,
      `expected the end; at most ${MAX_WHERE_CHARACTERS} characters are read`,
    )
  const tokens: Token[] = []
  let index = skipSpace(text, 0)
  while (index < text.length) {
    const [token, end] = readToken(text, index)
    tokens.push(token)
    index = skipSpace(text, end)
  }
  return [...tokens, { kind: 'end', index }]
}

function readToken(text: string, index: number): [Token, number] {
  const word = match(patterns.word, text, index)
  if (word) return [{ kind: 'word', text: word, index }, index + word.length]
  const symbol = match(patterns.symbol, text, index)
  if (symbol) return [{ kind: 'symbol', text: symbol, index }, index + symbol.length]
  if (text[index] === "'") return readString(text, index)
  const number = match(patterns.number, text, index)
  if (number) return [{ kind: 'number', value: finite(text, index, number), index }, index + number.length]
  throw whereProblem(text, index, 'expected a column, an operator, a literal or a parenthesis')
}

function readString(text: string, index: number): [Token, number] {
  const quoted = match(patterns.string, text, index)
  if (!quoted)
    throw whereProblem(text, index, "expected a ' at the end of this string; a ' inside is written ''")
  const value = quoted.slice(1, -1).replaceAll("''", "'")
  if (isUnstorableText(value))
    throw whereProblem(text, index, 'expected a string without NUL and broken Unicode')
  return [{ kind: 'string', value, index }, index + quoted.length]
}

function finite(text: string, index: number, number: string): number {
  const value = Number(number)
  if (!Number.isFinite(value)) throw whereProblem(text, index, 'expected a number that a double can hold')
  return value
}

const skipSpace = (text: string, index: number) => index + (match(patterns.space, text, index) ?? '').length

function match(pattern: RegExp, text: string, index: number): string | undefined {
  pattern.lastIndex = index
  return pattern.exec(text)?.[0]
}
