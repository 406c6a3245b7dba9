import { parseTimestamp, timestampHint } from '../timestamp.ts'
import { expected, peek, type Reader, take, wordAt } from './reader.ts'
import { type Column, columnTypes, type Literal } from './tree.ts'

const MAX_LITERALS = 500
/** The limit for all patterns together: each of their characters may be compared with each character of a long value. */
const MAX_PATTERN_CHARACTERS = 256
const MAX_WILDCARDS = 16

const expectations = {
  timestamp: `${timestampHint}, in single quotes`,
  text: 'a string in single quotes',
  any: 'a number, a string in single quotes, TRUE or FALSE',
}

export const expectedLiteral = (column: Column) => expectations[columnTypes[column]]

/** A literal that can be compared with the column. */
export function readLiteral(reader: Reader, column: Column): Literal {
  if (++reader.literals > MAX_LITERALS) throw expected(reader, `at most ${MAX_LITERALS} literals`)
  const type = columnTypes[column]
  const literal = type === 'timestamp' ? timestampAt(reader) : plainAt(reader)
  if (!literal || (type === 'text' && literal.type !== 'string'))
    throw expected(reader, expectedLiteral(column))
  take(reader)
  return literal
}

function plainAt(reader: Reader): Literal | undefined {
  const token = peek(reader)
  if (token.kind === 'number') return { type: 'number', value: token.value }
  if (token.kind === 'string') return { type: 'string', value: token.value }
  const word = wordAt(reader)?.toUpperCase()
  return word === 'TRUE' || word === 'FALSE' ? { type: 'boolean', value: word === 'TRUE' } : undefined
}

/** Reads `TIMESTAMP '…'` as in SQL, or the string alone. */
function timestampAt(reader: Reader): Literal | undefined {
  if (wordAt(reader)?.toUpperCase() === 'TIMESTAMP') take(reader)
  const token = peek(reader)
  const ms = token.kind === 'string' ? parseTimestamp(token.value) : undefined
  return ms === undefined ? undefined : { type: 'timestamp', value: ms }
}

/** Reads the pattern of LIKE: `%` matches any text and `_` any character; after `\` each of them stands for itself. */
export function readPattern(reader: Reader, column: Column): string {
  if (columnTypes[column] === 'timestamp')
    throw expected(reader, `a column of text before LIKE, and ${column} is none`)
  const token = peek(reader)
  if (token.kind !== 'string') throw expected(reader, 'a pattern in single quotes')
  // PostgreSQL refuses a pattern whose last backslash escapes nothing.
  if (/(?<!\\)(?:\\\\)*\\$/.test(token.value))
    throw expected(reader, 'a pattern in which every \\ escapes a character')
  reader.patternCharacters += token.value.length
  if (reader.patternCharacters > MAX_PATTERN_CHARACTERS)
    throw expected(
      reader,
      `at most ${MAX_PATTERN_CHARACTERS} characters in the patterns of all LIKE together`,
    )
  reader.wildcards += token.value.match(/%/g)?.length ?? 0
  if (reader.wildcards > MAX_WILDCARDS)
    throw expected(reader, `at most ${MAX_WILDCARDS} times % in the patterns of all LIKE together`)
  take(reader)
  return token.value
}
