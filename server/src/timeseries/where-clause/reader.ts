/** Walks over the tokens of one `whereClause`. */
import type { ApiError } from '../../http/errors.ts'
import { whereProblem } from './problem.ts'
import { type Token, tokenize } from './tokenize.ts'

export interface Reader {
  text: string
  tokens: Token[]
  next: number
  literals: number
  /** The characters in the patterns of LIKE so far; `wildcards` counts the % among them. */
  patternCharacters: number
  wildcards: number
}

export const startReader = (text: string): Reader => ({
  text,
  tokens: tokenize(text),
  next: 0,
  literals: 0,
  patternCharacters: 0,
  wildcards: 0,
})

/** The last token is always `end`, and `take` does not move past it. */
export const peek = (reader: Reader): Token => reader.tokens[reader.next]!

export function take(reader: Reader): Token {
  const token = peek(reader)
  if (token.kind !== 'end') reader.next++
  return token
}

export function wordAt(reader: Reader): string | undefined {
  const token = peek(reader)
  return token.kind === 'word' ? token.text : undefined
}

/** Takes the keyword if it comes next. */
export function accept(reader: Reader, keyword: string): boolean {
  if (wordAt(reader)?.toUpperCase() !== keyword) return false
  take(reader)
  return true
}

export function expectWord(reader: Reader, keyword: string, what: string) {
  if (!accept(reader, keyword)) throw expected(reader, what)
}

export function expectSymbol(reader: Reader, symbol: string, what: string) {
  const token = peek(reader)
  if (token.kind !== 'symbol' || token.text !== symbol) throw expected(reader, what)
  take(reader)
}

export const expected = (reader: Reader, what: string): ApiError =>
  whereProblem(reader.text, peek(reader).index, `expected ${what}`)
