import { defineConfig } from 'vitest/config'
import countReporter from './server/test/count-reporter.ts'
import skipReporter from './server/test/skip-reporter.ts'
import { StartOrder } from './server/test/start-order.ts'
import { WAIT_MS } from './server/test/wait-ms.ts'

export default defineConfig({
  // Node 20 does not know `await using` yet.
  oxc: { target: 'es2022' },
  test: {
    include: ['{server,device,bench,attack,client}/**/*.test.ts', 'console/src/**/*.test.ts'],
    // What installs packages has a configuration of its own.
    exclude: ['**/node_modules/**', '**/dist/**', '**/dist-test/**', 'server/test/packaging/steps/**'],
    pool: 'forks',
    // Four more than the two cores that a small machine has: a third of the time of all files is waiting.
    maxWorkers: 6,
    // No module keeps state (the linter looks), so files can share them: loading the server again for each file took half of the time.
    isolate: false,
    sequence: { sequencer: StartOrder },
    // A long limit, which only a hanging test reaches: on a busy machine, a test takes ten times as long as alone.
    testTimeout: process.env.GANGWAY_TEST_ROUNDS === 'all' ? 1_800_000 : 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: WAIT_MS, interval: 50 } },
    setupFiles: ['server/test/patience.ts'],
    globalSetup: ['server/test/global-setup.ts'],
    reporters: ['default', skipReporter, countReporter],
  },
})
