import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import skipReporter from './server/test/skip-reporter.ts'
import { WAIT_MS } from './server/test/wait-ms.ts'

/** Many pages in four looks take minutes; at the end, such a file would run alone. */
class ManyPagesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- it is the sequencer's method, not the array's
    const sorted = await super.sort(files)
    const hasManyPages = ({ moduleId }: TestSpecification) => /look|walk/.test(moduleId)
    return [...sorted.filter(hasManyPages), ...sorted.filter((file) => !hasManyPages(file))]
  }
}

/** The tests of the console in a browser, on a real server: `npm run test:console`. */
export default defineConfig({
  // Node 20 does not know `await using` yet.
  oxc: { target: 'es2022' },
  test: {
    include: ['console/test/**/*.test.ts'],
    pool: 'forks',
    // One more than the cores of a small machine: some of the time is waiting.
    maxWorkers: 3,
    // No module keeps state that tests change.
    isolate: false,
    sequence: { sequencer: ManyPagesFirst },
    // A long limit, which only a hanging test reaches: the appearance of all pages of a room is one test.
    testTimeout: 1_200_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: WAIT_MS, interval: 50 } },
    setupFiles: ['server/test/patience.ts'],
    globalSetup: ['console/test/global-setup.ts', 'server/test/global-setup.ts'],
    reporters: ['default', skipReporter],
  },
})
