// Puts small faults into a copy of the sources, one at a time, and runs the tests that ought to notice each.
//
//     npm run mutants                    a sample of every room
//     npm run mutants -- alarms --sample 50
//     npm run mutants -- alarms --skip 20    the faults after those of the first sample
//
// A fault that no test notices has to stand in scripts/mutants/survivors.json with the reason.
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { root } from './build.mjs'
import { copyCheckout, deleteCheckout, runTests, stopRunner } from './mutants/checkout.mjs'
import { findFaults } from './mutants/faults.mjs'
import { rooms } from './mutants/rooms.mjs'

const SMALLEST_SHARE_KILLED = 0.9

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sample: { type: 'string', default: '20' },
    skip: { type: 'string', default: '0' },
    workers: { type: 'string', default: '2' },
  },
})
const chosen = positionals.length > 0 ? rooms.filter(({ name }) => positionals.includes(name)) : rooms
if (chosen.length === 0) throw new Error(`The rooms are ${rooms.map(({ name }) => name).join(', ')}.`)

const listed = JSON.parse(readFileSync(join(root, 'scripts/mutants/survivors.json'), 'utf8'))
const reasonOf = ({ file, before, after }) =>
  listed.find((one) => one.file === file && one.before === before && one.after === after)

const sourceFiles = execFileSync('git', ['ls-files', 'server/src'], { cwd: root, encoding: 'utf8' })
  .split('\n')
  .filter((file) => file.endsWith('.ts') && !/\.test\.ts$|\/schema\.ts$/.test(file))

const testsOf = (room) => room.tests.map((folder) => `server/src/${folder}/`)

function sampleFaults({ name, sources, except = [], tests }) {
  const isIn = (folders, file) => folders.some((folder) => file.startsWith(`server/src/${folder}/`))
  const files = sourceFiles.filter((file) => isIn(sources, file) && !isIn(except, file))
  return files
    .flatMap((file) => findFaults(file, readFileSync(join(root, file), 'utf8')))
    .toSorted((one, other) => one.order - other.order)
    .slice(Number(values.skip), Number(values.skip) + Number(values.sample))
    .map((fault) => ({ ...fault, room: name, tests: testsOf({ tests }) }))
}

/**
 * The tests of the same folder notice most faults, and take a fraction of the time.
 *
 * @returns the failure by which a test noticed the fault
 */
async function findFailure(copy, { file, text, tests }) {
  const path = join(copy.checkout, file)
  const original = readFileSync(path, 'utf8')
  writeFileSync(path, text)
  try {
    const beside = `${dirname(file)}/`
    const request = { changedFile: file }
    return (
      (await confirmedFailure(copy, { ...request, tests: [beside] })) ??
      (await confirmedFailure(copy, { ...request, tests, except: beside }))
    )
  } finally {
    writeFileSync(path, original)
  }
}

/** A timeout counts only if it happens twice: a busy machine causes some without any fault. */
async function confirmedFailure(copy, request) {
  const [failure] = await runTests(copy, request)
  return failure?.isTimeout ? (await runTests(copy, request))[0] : failure
}

/** A test that fails without any fault would count every fault as noticed. */
async function requirePassing(copy) {
  const failure = await confirmedFailure(copy, {
    tests: chosen.flatMap(testsOf),
    changedFile: 'package.json',
  })
  if (failure)
    throw new Error(`This test fails without any fault; mend it first: ${failure.name}: ${failure.message}`)
}

const faults = chosen.flatMap(sampleFaults)
const survivors = []
const waiting = [...faults]
async function work(_, index) {
  const copy = copyCheckout()
  try {
    if (index === 0) await requirePassing(copy)
    for (let fault = waiting.shift(); fault; fault = waiting.shift()) {
      // A survivor takes the longest: all tests of its room. One with a reason would only show the same again.
      const isKnown = reasonOf(fault) !== undefined
      const failure = isKnown ? undefined : await findFailure(copy, fault)
      if (!failure) survivors.push(fault)
      const verdict = failure ? 'killed  ' : isKnown ? 'known   ' : 'SURVIVED'
      console.log(`${verdict} ${fault.file}:${fault.line}\n    - ${fault.before}\n    + ${fault.after}`)
      if (failure) console.log(`    ${failure.name}\n      ${failure.message.split('\n', 1)[0]}`)
    }
  } finally {
    await stopRunner(copy)
    deleteCheckout(copy)
  }
}
await Promise.all(Array.from({ length: Number(values.workers) }, work))

const unknown = survivors.filter((fault) => !reasonOf(fault))
const share = (faults.length - survivors.length) / faults.length
for (const { name } of chosen) {
  const all = faults.filter(({ room }) => room === name).length
  const alive = survivors.filter(({ room }) => room === name).length
  console.log(`${name}: ${all - alive} of ${all} killed`)
}
console.log(`${(share * 100).toFixed(1)}% killed; ${unknown.length} survivors without a reason`)
if (share < SMALLEST_SHARE_KILLED || unknown.length > 0) process.exitCode = 1
