/** The check of citations that `npm run lint` runs. */
import { expect, test } from 'vitest'
import { root } from './example-programs.ts'

// A script of the repository, not of the server's program.
const script = '../../../scripts/citations.mjs'
const { findCitationProblems } = (await import(script)) as {
  findCitationProblems(texts: Map<string, string>, root: string): string[]
}

const page = '# Alarms\n\n## States\n\n### Key slots, and `more`\n\n```\n# no heading\n```\n'
const problemsIn = (text: string, file = 'some.ts') =>
  findCitationProblems(new Map([[file, text]]).set('docs/alarms.md', page), root)

test.each([
  '// [docs/alarms#states]',
  '// [docs/alarms#key-slots-and-more]',
  '/** Pages. [docs/alarms] */',
  '// [RFC 4180]',
  '// [1], [a, b]',
])('%s is a valid citation', (text) => expect(problemsIn(text)).toEqual([]))

test.each([
  '// [docs/alarms#nowhere]',
  '// [docs/alarms#no-heading]',
  '// [docs/nowhere#states]',
  '// [docs/nowhere]',
  '// [contract §4]',
  '// [interface: Events 5]',
  '// [Events, 1]',
  '// [Alarm states, row 3]',
  '// see contract.md',
])('%s is an unresolved citation', (text) => {
  expect(problemsIn(`\n${text}`)).toEqual([expect.stringMatching(/^some\.ts:2 cites/)])
})

test('links between pages lead to files and headings', () => {
  const links = '[a](alarms.md#states) [b](../README.md) [c](#own) [d](https://example.com)\n\n# Own\n'
  expect(problemsIn(links, 'docs/other.md')).toEqual([])
  const wrong = problemsIn('[a](alarms.md#nowhere)\n[b](nowhere.md)\n[c](#nowhere)\n', 'docs/other.md')
  expect(wrong).toEqual([1, 2, 3].map((line) => expect.stringContaining(`docs/other.md:${line} links to`)))
})
