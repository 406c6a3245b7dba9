/**
 * Examples of the guide: a block of bash, and after it a block of JSON or text with the answer to its last line. An answer
 * shows the fields that matter; "…" stands for any value.
 */
import { expect } from 'vitest'

interface Example {
  script: string
  /** Absent if the page shows no answer. */
  answer?: { language: 'json' | 'text'; text: string }
}

const SEPARATOR = '\x1e'
const BLOCKS = /^```bash\n([\s\S]*?)^```$(?:\n+```(json|text)\n([\s\S]*?)^```$)?/gm

export const readExamples = (markdown: string): Example[] =>
  Array.from(markdown.matchAll(BLOCKS), ([, script, language, text]) => ({
    script: script!,
    ...(text !== undefined && { answer: { language: language as 'json' | 'text', text } }),
  }))

/** One script for all examples of a page, whose output `expectAnswers` reads. */
export const joinScripts = (examples: Example[]): string =>
  examples.map(({ script }) => `${script}\nprintf '${SEPARATOR}'\n`).join('')

/** Compares what the examples printed with the answers that the page shows. A refusal that it does not show is an error. */
export function expectAnswers(examples: Example[], output: string) {
  const printed = output.split(SEPARATOR)
  for (const [index, { script, answer }] of examples.entries()) {
    const lines = printed[index]!.split('\n').filter((line) => line.trim() !== '')
    const last = lines.at(-1) ?? ''
    const refusals = lines.filter((line) => line.startsWith('{"error":'))
    if (answer?.language === 'json') {
      const shown = withAnyValues(JSON.parse(answer.text))
      expect({ script, answer: JSON.parse(last) }).toMatchObject({ script, answer: shown })
      if (last.startsWith('{"error":')) refusals.pop()
    } else if (answer)
      expect({ script, printed: lines.join('\n') }).toMatchObject({
        printed: expect.stringContaining(answer.text.trim()),
      })
    expect({ script, refusals }).toEqual({ script, refusals: [] })
  }
}

/** "…" matches any value, null included. */
function withAnyValues(shown: unknown): unknown {
  if (shown === '…') return expect.toSatisfy(() => true)
  if (Array.isArray(shown)) return shown.map(withAnyValues)
  if (typeof shown !== 'object' || shown === null) return shown
  return Object.fromEntries(Object.entries(shown).map(([key, value]) => [key, withAnyValues(value)]))
}
