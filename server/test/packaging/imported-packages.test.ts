/** The check that a workspace lists the packages that it needs at run time, when development packages are missing. */
import { expect, test } from 'vitest'

// A script of the repository, not of the server's program.
const script = '../../../scripts/imported-packages.mjs'
const { findMissingPackages } = (await import(script)) as {
  findMissingPackages(
    sources: { file: string; text: string }[],
    dependencies: Record<string, Record<string, string>>,
  ): string[]
}

const dependencies = { server: { pg: '8', '@scope/one': '1' }, demo: {} }
const findProblems = (text: string, file = 'server/src/main.ts') =>
  findMissingPackages([{ file, text }], dependencies)

test.each([
  ['a value', "import { a } from 'other'\n"],
  ['a value and a type', "import { type A, a } from 'other'\n"],
  ['several lines', "import {\n  a,\n  b,\n} from 'other/part'\n"],
  ['a side effect', "import 'other'\n"],
  ['an export', "export { a } from 'other'\n"],
  ['an import on demand', "const { a } = await import('other')\n"],
])('%s of a package that is not among the dependencies', (_name, text) => {
  expect(findProblems(text)).toEqual([
    'server/src/main.ts imports other: add it to the dependencies in server/package.json',
  ])
})

test.each([
  ['a dependency', "import pg from 'pg'\nimport { x } from '@scope/one/part'\n"],
  ['a type', "import type { A } from 'other'\n"],
  ['a part of Node', "import { join } from 'node:path'\n"],
  ['a file', "import { join } from './join.ts'\n"],
])('%s is accepted', (_name, text) => {
  expect(findProblems(text)).toEqual([])
})

test("another workspace's dependency does not count", () => {
  expect(findProblems("import pg from 'pg'\n", 'demo/src/main.ts')).toHaveLength(1)
})
