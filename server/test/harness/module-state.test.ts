/** The check that no module keeps state, which `isolate: false` of the tests relies on. */
import { expect, test } from 'vitest'

// Scripts of the repository, not of the server's program.
const scripts = '../../../scripts'
const { findModuleState } = (await import(`${scripts}/module-state.mjs`)) as {
  findModuleState(modules: unknown[]): string[]
}
const { parseModule } = (await import(`${scripts}/parse.mjs`)) as {
  parseModule(file: string, text: string): unknown
}

const problemsIn = (...texts: string[]) =>
  findModuleState(texts.map((text, index) => parseModule(`${index}.ts`, text)))

test.each([
  ['a variable', 'let count = 0\n'],
  ['variables', 'let [a, b] = [0, 0]\n'],
  ['an exported variable', 'export let count = 0\n'],
  ['a map that is filled', 'const known = new Map<string, number>()\nconst f = () => known.set("a", 1)\n'],
  [
    'a set with a type',
    'const seen: Set<string> = new Set()\nexport const f = () => {\n  seen.add("a")\n}\n',
  ],
  ['a list', 'const all: string[] = []\nexport const f = () => all.push("a")\n'],
  ['a place of a list', 'const all = [1]\nexport const f = () => {\n  all[0] = 2\n}\n'],
  ['a field', 'const state = { open: 0 }\nexport const f = () => {\n  state.open = 1\n}\n'],
  ['a count', 'const state = { open: 0 }\nexport const f = () => {\n  state.open++\n}\n'],
  ['a sum', 'const state = { open: 0 }\nexport const f = () => {\n  state.open += 2\n}\n'],
  ['a field that is deleted', 'const state = { a: 1 }\nexport const f = () => delete state.a\n'],
  ['a memory of its own', 'const known = createBoundedCache<string, string>(10)\n'],
  ['a memory in an object', 'export const memories = { known: createBoundedCache<string, string>(10) }\n'],
  ['a variable of a closure', 'export const next = (() => {\n  let n = 0\n  return () => ++n\n})()\n'],
  ['a static field', 'class A {\n  static open = 0\n}\nexport const f = () => A.open++\n'],
  [
    'a list that is nested and typed otherwise',
    'const state = { all: [] as unknown[] }\nexport const f = () => (state.all as string[])!.push("a")\n',
  ],
  ['a list in a list of constants', 'const a = 1,\n  b: number[] = []\nexport const f = () => b.push(a)\n'],
  ['calls that are gathered', 'export const find = coalesce(run, { maxBatch: 1, concurrency: 1 })\n'],
])('finds %s', (_what, text) => {
  expect(problemsIn(text)).toHaveLength(1)
})

test('finds a module that changes an export of another', () => {
  const shown = 'export const known = new Map<string, number>()\n'
  const changing = "import { known } from './0.ts'\nexport const f = () => known.delete('a')\n"
  expect(problemsIn(shown, changing)).toEqual([expect.stringContaining('1.ts changes known')])
  // Under another name, too.
  const renamed = "import { known as all } from './0.ts'\nexport const f = () => all.clear()\n"
  expect(problemsIn(shown, renamed)).toEqual([expect.stringContaining('1.ts changes known')])
  // Another thing of the same name is no concern.
  expect(problemsIn(shown, 'const f = (known: Map<string, number>) => known.clear()\n')).toEqual([])
})

test.each([
  ['what is only read', 'const known = new Set(["a"])\nexport const has = (a: string) => known.has(a)\n'],
  [
    'what a function makes',
    'export function f() {\n  let count = 0\n  const all: number[] = []\n  all.push(++count)\n}\n',
  ],
  [
    'what goes with its object',
    'const ids = new WeakMap<object, string>()\nconst f = (o: object) => ids.set(o, "")\n',
  ],
  [
    'a comparison',
    'const limits = { most: 1 }\nexport const f = (n: number) => limits.most === n || limits.most <= n\n',
  ],
  [
    'a local of the same name',
    'const all = [1]\nexport const f = () => {\n  const all: number[] = []\n  all.push(1)\n}\n',
  ],
  ['code in a text', 'const all = [1]\nexport const shown = `\nlet count = 0\nall.push(2)\n`\n'],
  ['a copy', 'const all = [2, 1]\nexport const sorted = () => all.toSorted()\n'],
])('accepts %s', (_what, text) => {
  expect(problemsIn(text)).toEqual([])
})
