/** Moves through line protocol. A backslash keeps the next character from ending a word, and is itself otherwise. */
import { printable } from '../../json-object.ts'
import { type DeadLetterReason, UnreadableError } from '../../unreadable.ts'

export interface LineReader {
  /** Moves to the next line that is neither blank nor a comment. */
  nextLine(): boolean
  /** Up to an unescaped one of `ends` or the end of the line, as it was written. @throws UnreadableError where empty */
  word(ends: string): string
  /** Text of a field, its opening quote taken; it may hold line ends. @throws UnreadableError */
  quoted(): string
  /** Whether `character` was next; then it is taken. */
  take(character: string): boolean
  expect(character: string): void
  /** One space, or more. */
  spaces(): void
  /** What is left of the line, which has to be set off by a space. */
  rest(): string
  /** Of the reader, from 1. */
  line(): number
  refuse(reason: DeadLetterReason, text: string): UnreadableError
}

/** ASCII's; those of Unicode above are letters to line protocol. */
const isControl = (character: string) => character < ' ' || character === '\x7f'

export function createLineReader(text: string): LineReader {
  let at = 0
  let line = 1
  let counted = 0

  const refuse = (reason: DeadLetterReason, what: string) =>
    new UnreadableError(reason, `Line ${currentLine()}: ${printable(what)}.`)
  const take = (character: string) => text[at] === character && ++at > 0
  const isLineEnd = () => {
    if (at >= text.length || text[at] === '\n') return true
    return text[at] === '\r' && (at + 1 === text.length || text[at + 1] === '\n')
  }
  const seen = () => (isLineEnd() ? 'the line ends' : `${text[at]} is`)

  function currentLine() {
    for (; counted < at; counted++) if (text[counted] === '\n') line++
    return line
  }

  function rest() {
    if (!isLineEnd() && text[at] !== ' ') throw refuse('bad_format', `a space is missing where ${seen()}`)
    const start = at
    while (!isLineEnd()) at++
    return text.slice(start, at)
  }

  return {
    refuse,
    take,
    rest,
    line: currentLine,
    nextLine() {
      for (;;) {
        while (' \t'.includes(text[at] ?? '-') || (at < text.length && isLineEnd())) at++
        if (at >= text.length) return false
        if (text[at] !== '#') return true
        while (!isLineEnd()) at++
      }
    },
    word(ends) {
      const start = at
      while (!isLineEnd() && !ends.includes(text[at]!)) {
        if (isControl(text[at]!))
          throw refuse('bad_format', 'a name or value holds a control character; only texts in quotes may')
        at += text[at] === '\\' && ', ='.includes(text[at + 1] ?? '-') ? 2 : 1
      }
      if (at === start) throw refuse('bad_format', `a name or value is missing where ${seen()}`)
      return text.slice(start, at)
    },
    quoted() {
      const start = at
      while (at < text.length && text[at] !== '"')
        at += text[at] === '\\' && '"\\'.includes(text[at + 1] ?? '-') ? 2 : 1
      if (at >= text.length) throw refuse('bad_format', 'a text has no closing quote')
      return text.slice(start, at++).replaceAll(/\\(["\\])/g, '$1')
    },
    expect(character) {
      if (!take(character)) throw refuse('bad_format', `${character} is missing where ${seen()}`)
    },
    spaces() {
      if (!take(' ')) throw refuse('bad_format', `the fields are missing where ${seen()}`)
      while (take(' '));
    },
  }
}
