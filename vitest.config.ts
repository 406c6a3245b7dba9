import { defineConfig } from 'vitest/config'
import countReporter from './server/test/count-reporter.ts'
import { WAIT_MS } from './server/test/wait-ms.ts'
import { StoriesFirst } from './server/test/stories-first.ts'

export default defineConfig({
  // Node 20 does not know `await using` yet.
  oxc: { target: 'es2022' },
  test: {
    include: ['{server,device,bench,attack,client}/**/*.test.ts'],
    // What installs packages has a configuration of its own.
    exclude: ['**/node_modules/**', '**/dist/**', '**/dist-test/**', 'server/test/packaging/steps/**'],
    pool: 'forks',
    // Two more than the two cores that a small machine has: many stories wait for deadlines most of the time.
    maxWorkers: 4,
    // No module keeps state (the linter looks), so files can share them: loading the server again for each file took half of the time.
    isolate: false,
    sequence: { sequencer: StoriesFirst },
    // What hangs is told by these; on a machine that is busy with other things, a test takes ten times as long as alone.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: WAIT_MS, interval: 20 } },
    setupFiles: ['server/test/patience.ts'],
    globalSetup: ['server/test/global-setup.ts'],
    reporters: ['default', countReporter],
  },
})
