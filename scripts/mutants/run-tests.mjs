// Runs tests of one copy of the checkout, as a child process of scripts/mutants.mjs. One Vitest with one PostgreSQL
// serves all runs; starting both for each fault would take longer than the tests.
import { join } from 'node:path'
import { createVitest } from 'vitest/node'

let failures = []

/** The parent process is gone when the script is interrupted; then this process ends too. */
const report = (message) => process.connected && process.send(message)

/** A step that took too long; on a busy machine that may happen without any fault. */
const isTimeout = (message) => /timed out in \d+ ?ms/.test(message)

function recordErrors(name, errors) {
  // A fault may throw what is not an error.
  const messages = errors.map((error) => error.message ?? JSON.stringify(error))
  failures.push(...messages.map((message) => ({ name, message, isTimeout: isTimeout(message) })))
}

const reporter = {
  onTestModuleCollected: () => report('progress'),
  onTestCaseResult: (test) => {
    report('progress')
    recordErrors(`${test.module.relativeModuleId}: ${test.fullName}`, test.result().errors ?? [])
  },
  onTestModuleEnd: (module) => {
    const suites = [...module.children.allSuites()]
    recordErrors(module.relativeModuleId, [...module.errors(), ...suites.flatMap((suite) => suite.errors())])
  },
  onTestRunEnd: (_modules, errors) => recordErrors('outside of tests', errors),
}

const vitest = await createVitest('test', {
  watch: false,
  maxWorkers: 1,
  reporters: [reporter],
  setupFiles: [join(import.meta.dirname, 'record-probes.mjs')],
})

/** @param changedFiles differ in this run from what they were before and will be afterwards */
async function runTests({ tests, changedFiles = [], bail = 1 }) {
  failures = []
  const invalidate = () => changedFiles.forEach((file) => vitest.invalidateFile(join(process.cwd(), file)))
  invalidate()
  for (const { config } of vitest.projects) config.bail = bail
  const specifications = tests.length > 0 ? await vitest.globTestSpecifications(tests) : []
  if (specifications.length > 0) await vitest.runTestSpecifications(specifications)
  invalidate()
  report({ failures })
}

process.on('message', runTests)
process.on('disconnect', () => vitest.close().finally(() => process.exit()))
report('ready')
