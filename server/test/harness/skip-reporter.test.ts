import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { TestModule } from 'vitest/node'
import { afterEach, expect, test, vi } from 'vitest'
import { expected, findUnexpected } from '../skip-reporter.ts'
import { root } from './example-programs.ts'

afterEach(() => vi.unstubAllEnvs())

const skippedIn = (file: string) =>
  ({
    relativeModuleId: file,
    children: { allTests: (state: string) => (state === 'skipped' ? [{ fullName: 'a test' }] : []) },
  }) as unknown as TestModule

test('in CI a test that is skipped without being expected is a failure, elsewhere none is', () => {
  const modules = [skippedIn('server/src/lib/nats.test.ts'), ...Object.keys(expected).map(skippedIn)]
  vi.stubEnv('CI', 'true')
  expect(findUnexpected(modules)).toEqual(['server/src/lib/nats.test.ts: a test'])
  vi.stubEnv('CI', '')
  expect(findUnexpected(modules)).toEqual([])
})

test('the files whose tests may be skipped are there', () => {
  expect(Object.keys(expected).filter((file) => !existsSync(join(root, file)))).toEqual([])
})
