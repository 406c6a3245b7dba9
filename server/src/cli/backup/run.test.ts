import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { readArguments } from './run.ts'

test.each([
  [[]],
  [['']],
  [['-']],
  [['a', 'b']],
  [['--force', 'a']],
  [['--replace']],
  [['--replace=no', 'a']],
])('arguments %j are refused', (args) => {
  expect(readArguments(args)).toBeUndefined()
})

test('a path is relative to the directory in which npm was started', () => {
  const from = process.env.INIT_CWD ?? ''
  expect(readArguments(['a.backup'])).toEqual({ path: resolve(from, 'a.backup'), replace: false })
  expect(readArguments(['--replace', '/tmp/a'])).toEqual({ path: '/tmp/a', replace: true })
  expect(readArguments(['--', '-a'])).toEqual({ path: resolve(from, '-a'), replace: false })
})
