/**
 * Reads line protocol. A backslash keeps the next character from ending a word, and is an ordinary character otherwise.
 */
import { printable } from '../../json-object.ts'
import { type DeadLetterReason, UnreadableError } from '../../unreadable.ts'

export interface LineReader {
  text: string
  /** Index of the next character. */
  at: number
  /** Line ends before this index are counted in `line`. */
  countedTo: number
  /** Number of the line, starting at 1. */
  line: number
}

export const createLineReader = (text: string): LineReader => ({ text, at: 0, countedTo: 0, line: 1 })

/** Moves to the next line that is neither blank nor a comment. @returns false at the end of the text */
export function nextLine(reader: LineReader): boolean {
  const { text } = reader
  for (;;) {
    while (' \t'.includes(text[reader.at] ?? '-') || (reader.at < text.length && isLineEnd(reader)))
      reader.at++
    if (reader.at >= text.length) return false
    if (text[reader.at] !== '#') return true
    while (!isLineEnd(reader)) reader.at++
  }
}

/**
 * Reads up to an unescaped character of `ends` or the end of the line, and keeps escapes.
 * @throws UnreadableError where the word is empty
 */
export function readWord(reader: LineReader, ends: string): string {
  const { text, at: start } = reader
  while (!isLineEnd(reader) && !ends.includes(text[reader.at]!)) {
    if (isControl(text[reader.at]!))
      throw lineError(
        reader,
        'bad_format',
        'a name or value holds a control character; only texts in quotes may',
      )
    reader.at += text[reader.at] === '\\' && ', ='.includes(text[reader.at + 1] ?? '-') ? 2 : 1
  }
  if (reader.at === start) throw missing(reader, 'a name or value is')
  return text.slice(start, reader.at)
}

/**
 * Reads the text of a field after its opening quote; it may contain line ends.
 * @throws UnreadableError
 */
export function readQuoted(reader: LineReader): string {
  const { text, at: start } = reader
  while (reader.at < text.length && text[reader.at] !== '"')
    reader.at += text[reader.at] === '\\' && '"\\'.includes(text[reader.at + 1] ?? '-') ? 2 : 1
  if (reader.at >= text.length) throw lineError(reader, 'bad_format', 'a text has no closing quote')
  return text.slice(start, reader.at++).replaceAll(/\\(["\\])/g, '$1')
}

/**
 * Skips the character if it is next.
 * @returns whether it was
 */
export function skip(reader: LineReader, character: string): boolean {
  if (reader.text[reader.at] !== character) return false
  reader.at++
  return true
}

/** @throws UnreadableError */
export function expectCharacter(reader: LineReader, character: string): void {
  if (!skip(reader, character)) throw missing(reader, `${character} is`)
}

/**
 * Skips one or more spaces.
 * @throws UnreadableError
 */
export function expectSpaces(reader: LineReader): void {
  if (!skip(reader, ' ')) throw missing(reader, 'the fields are')
  while (skip(reader, ' '));
}

/**
 * Reads the rest of the line, which must be empty or start with a space.
 * @throws UnreadableError
 */
export function readRest(reader: LineReader): string {
  const { text, at: start } = reader
  if (!isLineEnd(reader) && text[start] !== ' ') throw missing(reader, 'a space is')
  while (!isLineEnd(reader)) reader.at++
  return text.slice(start, reader.at)
}

export function lineError(reader: LineReader, reason: DeadLetterReason, what: string): UnreadableError {
  return new UnreadableError(reason, `Line ${currentLine(reader)}: ${printable(what)}.`)
}

/** From 1. */
export function currentLine(reader: LineReader): number {
  for (; reader.countedTo < reader.at; reader.countedTo++)
    if (reader.text[reader.countedTo] === '\n') reader.line++
  return reader.line
}

const missing = (reader: LineReader, what: string) => {
  const found = isLineEnd(reader) ? 'the line ends' : `${reader.text[reader.at]} is`
  return lineError(reader, 'bad_format', `${what} missing where ${found}`)
}

function isLineEnd({ text, at }: LineReader): boolean {
  if (at >= text.length || text[at] === '\n') return true
  return text[at] === '\r' && (at + 1 === text.length || text[at + 1] === '\n')
}

/** Detects control characters of ASCII; line protocol allows other control characters of Unicode. */
const isControl = (character: string) => character < ' ' || character === '\x7f'
