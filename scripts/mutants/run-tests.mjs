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
  bail: 1,
  maxWorkers: 1,
  reporters: [reporter],
})

/** @param changedFile differs in this run from what it was before and will be afterwards */
async function runTests({ tests, except, changedFile }) {
  failures = []
  const path = join(process.cwd(), changedFile)
  vitest.invalidateFile(path)
  const specifications = await vitest.globTestSpecifications(tests)
  const wanted = specifications.filter(({ moduleId }) => !except || !moduleId.includes(`/${except}`))
  if (wanted.length > 0) await vitest.runTestSpecifications(wanted)
  vitest.invalidateFile(path)
  process.send({ failures })
}

process.on('message', runTests)
process.on('disconnect', () => vitest.close().finally(() => process.exit()))
process.send('ready')
