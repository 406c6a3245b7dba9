/** The last line of a run is `N passed, N failed, N skipped`; CI reads it. */
import type { Reporter, TestModule } from 'vitest/node'

const counts = { passed: 0, failed: 0, skipped: 0 }

function count(modules: readonly TestModule[], unhandledErrors: readonly unknown[]) {
  for (const module of modules) {
    for (const test of module.children.allTests()) {
      const { state } = test.result()
      counts[state === 'passed' || state === 'failed' ? state : 'skipped'] += 1
    }
    // A file that does not even load has no tests, and one whose hook fails may have none that failed.
    const failedAsWhole =
      module.errors().length + [...module.children.allSuites()].flatMap((suite) => suite.errors()).length
    counts.failed += failedAsWhole
  }
  counts.failed += unhandledErrors.length
}

const countReporter: Reporter = {
  onInit() {
    // At exit, since other reporters and the global teardown may still print.
    process.once('exit', (code) => {
      if (process.env.GANGWAY_TEST_ROUNDS !== 'all')
        process.stdout.write(
          'Repeated tests ran a part of their rounds; GANGWAY_TEST_ROUNDS=all runs all, as CI does.\n',
        )
      // A run that broke off before its tests, or that a global setup ended, is no run without failures.
      if (code !== 0 && counts.failed === 0) counts.failed = 1
      process.stdout.write(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped\n`)
    })
  },
  onTestRunStart: () => void Object.assign(counts, { passed: 0, failed: 0, skipped: 0 }),
  onTestRunEnd: count,
}

export default countReporter
