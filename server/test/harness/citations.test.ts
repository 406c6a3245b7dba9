/** The check of citations that `npm run lint` runs. */
import { expect, test } from 'vitest'

// A script of the repository, not of the server's program.
const script = '../../../scripts/citations.mjs'
const { anchorsIn, findWrongCitations } = (await import(script)) as {
  anchorsIn(markdown: string): Set<string>
  findWrongCitations(file: string, text: string, anchors: Map<string, Set<string>>): string[]
}

const page = '# Alarms\n\n## States\n\n### Key slots, and `more`\n\n```\n# no heading\n```\n'
const anchors = new Map([['docs/alarms.md', anchorsIn(page)]])
const problemsIn = (text: string) => findWrongCitations('some.ts', text, anchors)

test('headings become the anchors that GitHub makes of them', () => {
  expect([...anchorsIn(page)]).toEqual(['alarms', 'states', 'key-slots-and-more'])
})

test.each(['// [docs/alarms#states]', '/** Pages. [docs/alarms] */', '// [RFC 4180]', '// [1], [a, b]'])(
  'nothing is wrong with %s',
  (text) => expect(problemsIn(text)).toEqual([]),
)

test.each([
  '// [docs/alarms#nowhere]',
  '// [docs/nowhere#states]',
  '// [docs/nowhere]',
  '// [contract §4]',
  '// [interface: Events 5]',
  '// [Events, 1]',
  '// [Alarm states, row 3]',
  '// see contract.md',
])('%s leads nowhere', (text) => {
  const [problem, ...others] = problemsIn(`\n${text}`)
  expect(problem).toMatch(/^some\.ts:2 cites/)
  expect(others.every((other) => other.startsWith('some.ts:2'))).toBe(true)
})
