import { expect, test } from 'vitest'

// Scripts of the repository, not of the server's program.
const scripts = '../../../scripts'
const { findImportCycles } = (await import(`${scripts}/import-cycles.mjs`)) as {
  findImportCycles(modules: unknown[]): string[][]
}
const { parseModule } = (await import(`${scripts}/parse.mjs`)) as {
  parseModule(file: string, text: string): unknown
}

const cyclesIn = (texts: Record<string, string>) =>
  findImportCycles(Object.entries(texts).map(([file, text]) => parseModule(`server/src/${file}`, text))).map(
    (cycle) => cycle.map((file) => file.slice('server/src/'.length)),
  )

test.each([
  ['imports', "import { b } from './b.ts'\n"],
  ['types', "import type { B } from './b.ts'\n"],
  ['exports', "export { b } from './b.ts'\n"],
  ['types that are named in place', "export const b = {} as import('./b.ts').B\n"],
  ['modules that are loaded later', "export const load = () => import('./b.ts')\n"],
])('finds a cycle of %s', (_what, text) => {
  expect(cyclesIn({ 'room/a.ts': text, 'room/b.ts': "import { a } from './a.ts'\n" })).toEqual([
    ['room/a.ts', 'room/b.ts', 'room/a.ts'],
  ])
})

test('finds a cycle through folders of a room, and not from the outside', () => {
  const cycles = cyclesIn({
    'room/0.ts': "import { a } from './a.ts'\n",
    'room/a.ts': "import { b } from './inner/b.ts'\n",
    'room/inner/b.ts': "import { c } from '../c.ts'\n",
    'room/c.ts': "import { a } from './a.ts'\n",
  })
  expect(cycles).toEqual([['room/a.ts', 'room/inner/b.ts', 'room/c.ts', 'room/a.ts']])
})

test('finds a cycle across rooms', () => {
  const texts = {
    'room/a.ts': "import { b } from '../b.ts'\n",
    'b.ts': "import type { A } from './room/a.ts'\n",
  }
  expect(cyclesIn(texts)).toEqual([['room/a.ts', 'b.ts', 'room/a.ts']])
})

test('accepts modules that only share a file', () => {
  const texts = {
    'room/a.ts': "import { c } from './c.ts'\nimport { x } from '../other/x.ts'\n",
    'room/b.ts': "import { c } from './c.ts'\n",
    'room/c.ts': "import { Pool } from 'pg'\n",
    'other/x.ts': "import { b } from '../room/b.ts'\n",
  }
  expect(cyclesIn(texts)).toEqual([])
})
