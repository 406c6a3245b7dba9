// Runs tests of one copy of the checkout, as a child process of scripts/mutants.mjs. One Vitest with one PostgreSQL
// serves all runs; starting both anew for each fault would take longer than the tests.
import { join } from 'node:path'
import { createVitest } from 'vitest/node'

let failures = []

/** A step that took too long; on a busy machine that may happen without any fault. */
const isTimeout = ({ message }) => /timed out in \d+ ?ms/.test(message)

const recordErrors = (name, errors) =>
  failures.push(...errors.map((error) => ({ name, message: error.message, isTimeout: isTimeout(error) })))

const reporter = {
  onTestModuleCollected: () => process.send('progress'),
  onTestCaseResult: (test) => {
    process.send('progress')
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
  process.send({ failures })
}

process.on('message', runTests)
process.on('disconnect', () => vitest.close().finally(() => process.exit()))
process.send('ready')
