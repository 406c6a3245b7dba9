import { defineConfig } from 'vitest/config'
import { WAIT_MS } from './server/test/wait-ms.ts'

/** The tests of the console in a browser, on a real server: `npm run test:console`. */
export default defineConfig({
  // Node 20 does not know `await using` yet.
  oxc: { target: 'es2022' },
  test: {
    include: ['console/test/**/*.test.ts'],
    pool: 'forks',
    maxWorkers: 2,
    // A long limit, which only a hanging test reaches: the appearance of all pages of a room is one test.
    testTimeout: 1_200_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: WAIT_MS, interval: 50 } },
    setupFiles: ['server/test/patience.ts'],
    globalSetup: ['console/test/global-setup.ts', 'server/test/global-setup.ts'],
  },
})
