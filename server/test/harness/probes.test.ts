/** Where `npm run mutants` records that a test runs the code around a fault. */
import { expect, test } from 'vitest'

// Scripts of the repository, not of the server's program.
const [faults, probes] = ['../../../scripts/mutants/faults.mjs', '../../../scripts/mutants/probes.mjs']
interface Fault {
  id?: number
  hasProbe?: boolean
}
const { findFaults } = (await import(faults)) as { findFaults(file: string, text: string): Fault[] }
const { insertProbes } = (await import(probes)) as {
  insertProbes(file: string, text: string, faults: Fault[]): string
}

function withProbe(text: string) {
  const [fault] = findFaults('one.ts', text)
  return insertProbes('one.ts', text, [Object.assign(fault!, { id: 7 })])
}

test.each([
  [
    'before the statement that holds it',
    'function f() {\n  const b = a\n  return g(!a)\n}',
    'function f() {\n  const b = a\n  globalThis.probe?.(7);return g(!a)\n}',
  ],
  [
    'before a condition that holds it',
    'const f = () => {\n  if (!a) g()\n}',
    'const f = () => {\n  globalThis.probe?.(7);if (!a) g()\n}',
  ],
  ['within an arrow function', 'const f = () => !a', 'const f = () => (globalThis.probe?.(7), !a)'],
  [
    'within an arrow function that answers an object',
    'const f = () => ({ b: !a })',
    'const f = () => (globalThis.probe?.(7), ({ b: !a }))',
  ],
])('a probe stands %s', (_where, text, expected) => {
  expect(withProbe(text)).toBe(expected)
})

test('a fault outside of functions has no probe', () => {
  const text = 'const limit = 100'
  const found = findFaults('one.ts', text)
  expect(insertProbes('one.ts', text, found)).toBe(text)
  expect(found).toEqual([expect.objectContaining({ hasProbe: false })])
})
