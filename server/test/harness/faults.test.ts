/** Which faults `npm run mutants` puts into a source file. */
import { expect, test } from 'vitest'

// A script of the repository, not of the server's program.
const script = '../../../scripts/mutants/faults.mjs'
interface Fault {
  line: number
  before: string
  after: string
  order: number
  text: string
}
const { findFaults } = (await import(script)) as { findFaults(file: string, text: string): Fault[] }

const faultsIn = (text: string) => findFaults('one.ts', text).map(({ after }) => after)

test.each([
  ['a comparison', 'f(a < b)', [';', 'f(a <= b)']],
  ['both sides of a condition', 'const x = a && b', ['const x = a || b']],
  ['a default', 'const x = a ?? b', ['const x = a']],
  ['a negation', 'const x = !a', ['const x = a']],
  [
    'a check',
    'if (isOpen) throw new Error("closed")',
    ['if (true) throw new Error("closed")', 'if (false) throw new Error("closed")'],
  ],
  ['a call', 'await store(tx)', [';']],
  ['a flag', 'const x = { isOpen: true }', ['const x = { isOpen: false }']],
  ['a limit', 'const limit = 100', ['const limit = 101']],
  ['a single one', 'const limit = 1', ['const limit = 0']],
  [
    'a filter of a query',
    "const q = db.selectFrom('a').where('tenant_id', '=', id)",
    ["const q = db.selectFrom('a')"],
  ],
  [
    'a condition of SQL',
    'const q = sql`select 1 from a where b = ${b} and c is null`',
    [
      'const q = sql`select 1 from a where b = ${b} or c is null`',
      'const q = sql`select 1 from a where b >= ${b} and c is null`',
      'const q = sql`select 1 from a where b = ${b} and c is not null`',
    ],
  ],
])('changes %s', (_what, text, expected) => {
  expect(faultsIn(text)).toEqual(expected)
})

test.each([
  ['types', 'type A = { a: 1 | true }'],
  ['imports', "import { a } from 'a'"],
  ['messages of errors', 'throw new Error(a < b ? "a" : "b")'],
  ['what is logged', 'log.warn({ limit })'],
  ['text that is no SQL', 'const x = `this and that`'],
  ['the statuses of answers', 'const x = { response: { 201: Tuple } }'],
])('makes no fault in %s', (_what, text) => {
  expect(faultsIn(text)).toEqual([])
})

test('a shortcut is only taken too often, never removed', () => {
  expect(faultsIn('const f = () => { if (a.length === 0) return }')).toEqual([
    'const f = () => { if (true) return }',
  ])
  expect(faultsIn('const f = () => { if (a.length > 0) return run(a) }')).toEqual([
    'const f = () => { if (false) return run(a) }',
  ])
})

test('a call on a line of its own is named by that line', () => {
  const text = "const q = db\n  .selectFrom('a')\n  .where('tenant_id', '=', id)\n  .execute()"
  const [fault] = findFaults('one.ts', text)
  expect(fault).toMatchObject({ line: 3, before: ".where('tenant_id', '=', id)", after: '' })
  expect(fault!.text).toBe("const q = db\n  .selectFrom('a')\n  \n  .execute()")
})

test('a call on a line of its own is named by that line', () => {
  const text = "const q = db\n  .selectFrom('a')\n  .where('tenant_id', '=', id)\n  .execute()"
  const [fault] = findFaults('one.ts', text)
  expect(fault).toMatchObject({ line: 3, before: ".where('tenant_id', '=', id)", after: '' })
  expect(fault!.text).toBe("const q = db\n  .selectFrom('a')\n  \n  .execute()")
})

test('each fault names its line, and is ordered by itself alone', () => {
  const [alone] = findFaults('one.ts', 'const x = !a\n')
  const [, below] = findFaults('one.ts', 'const y = true\nconst x = !a\n')
  expect(below).toMatchObject({ line: 2, before: 'const x = !a', after: 'const x = a' })
  expect(below!.order).toBe(alone!.order)
  expect(below!.text).toBe('const y = true\nconst x = a\n')
})
