/** Names each test that was skipped. In CI, where what they need is installed, a skipped test is a failure unless it is expected. */
import type { Reporter, TestModule } from 'vitest/node'

/** Files whose tests may be skipped in CI, and why. */
export const expected: Record<string, string> = {
  'server/test/stories/cluster/faults.test.ts': 'Only `npm run faults` asks for it.',
  'server/test/stories/stop.test.ts': 'Not every machine lets a test make a process 1 of its own.',
  'server/src/start-up/explain-failed-start.test.ts':
    'Not every machine lets a test mount, or act as another user.',
}

const listSkipped = (modules: readonly TestModule[]) =>
  modules.flatMap((module) =>
    [...module.children.allTests('skipped')].map(({ fullName }) => ({
      file: module.relativeModuleId,
      name: fullName,
    })),
  )

/** @returns the tests that must not be skipped here */
export const findUnexpected = (modules: readonly TestModule[]): string[] =>
  listSkipped(modules)
    .filter(({ file }) => process.env.CI && !Object.hasOwn(expected, file))
    .map(({ file, name }) => `${file}: ${name}`)

let isFiltered = false

const skipReporter: Reporter = {
  /** With a pattern of names all other tests are skipped. */
  onInit: ({ config }) => void (isFiltered = config.testNamePattern !== undefined),
  onTestRunEnd(modules) {
    if (isFiltered) return
    for (const { file, name } of listSkipped(modules)) console.log(`Skipped: ${file}: ${name}`)
    const unexpected = findUnexpected(modules)
    if (unexpected.length === 0) return
    console.log(`CI has to run ${unexpected.length} of them; server/test/skip-reporter.ts lists the others.`)
    process.exitCode = 1
  },
}

export default skipReporter
