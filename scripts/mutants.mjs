// Puts small faults into a copy of the sources, one at a time, and runs the tests that ought to notice each.
//
//     npm run mutants                    a sample of every room
//     npm run mutants -- alarms --sample 50
//     npm run mutants -- alarms --skip 20    the faults after those of the first sample
//
// A fault that no test notices has to stand in scripts/mutants/survivors.json with the reason.
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { root } from './build.mjs'
import { makeTestCheckout, deleteTestCheckout, runTests, stopRunner } from './mutants/checkout.mjs'
import { insertProbes } from './mutants/probes.mjs'
import { rooms } from './mutants/rooms.mjs'
import { findFaultsOfRoom, findOutdated, reasonOf } from './mutants/survivors.mjs'

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

const testsOf = (room) => room.tests.map((folder) => `server/src/${folder}/`)

const sampleFaults = (room) =>
  findFaultsOfRoom(room)
    .toSorted((one, other) => one.order - other.order)
    .slice(Number(values.skip), Number(values.skip) + Number(values.sample))
    .map((fault) => ({ ...fault, room: room.name }))

/**
 * Runs all tests of the rooms once, without any fault: a test that fails then would count every fault as noticed.
 *
 * @returns the test files that run each fault's code, by the id of the fault
 */
async function findTestsOfFaults(copy) {
  const changedFiles = [...new Set(faults.map((fault) => fault.file))]
  for (const file of changedFiles) {
    const ofFile = faults.filter((fault) => fault.file === file)
    const original = readFileSync(join(root, file), 'utf8')
    writeFileSync(join(copy.checkout, file), insertProbes(file, original, ofFile))
  }
  writeFileSync(copy.probes, '')
  const tests = [...new Set(chosen.flatMap(testsOf))]
  await requirePassing(copy, await runTests(copy, { tests, changedFiles, bail: 0 }))
  for (const file of changedFiles) writeFileSync(join(copy.checkout, file), readFileSync(join(root, file)))
  const testsOfFaults = faults.map(() => [])
  for (const line of readFileSync(copy.probes, 'utf8').split('\n').filter(Boolean)) {
    const [id, test] = line.split(' ')
    testsOfFaults[Number(id)].push(test)
  }
  return testsOfFaults
}

/** Tests that failed in the run of all tests are repeated alone: on a busy machine tests may fail without a fault. */
async function requirePassing(copy, failures) {
  const files = [...new Set(failures.map(({ name }) => name.split(': ', 1)[0]))]
  const broken = failures.find(({ name }) => !/^\S+\.test\.ts(?:: |$)/.test(name))
  if (broken) throw new Error(`The tests did not run: ${broken.name}: ${broken.message}`)
  for (const { name, message } of await runTests(copy, { tests: files }))
    throw new Error(`This test fails without any fault; mend it first: ${name}: ${message}`)
}

/** Lists the tests in the fault's own folder first: they notice most faults. */
function testsOfFault({ id, file, room, hasProbe }, testsOfFaults) {
  const folders = testsOf(rooms.find(({ name }) => name === room))
  if (!hasProbe) return [[`${dirname(file)}/`], folders]
  const reached = testsOfFaults[id].filter((test) => folders.some((folder) => test.startsWith(folder)))
  const isBeside = (test) => dirname(test) === dirname(file)
  return [reached.filter(isBeside), reached.filter((test) => !isBeside(test))]
}

/** @returns the failure by which a test noticed the fault */
async function findFailure(copy, { file, text }, groups) {
  const path = join(copy.checkout, file)
  writeFileSync(path, text)
  try {
    for (const tests of groups) {
      const failure = await confirmedFailure(copy, { tests, changedFiles: [file] })
      if (failure) return failure
    }
    return undefined
  } finally {
    writeFileSync(path, readFileSync(join(root, file)))
  }
}

/** A timeout counts only if it happens twice: a busy machine causes some without any fault. */
async function confirmedFailure(copy, request) {
  const [failure] = await runTests(copy, request)
  return failure?.isTimeout ? (await runTests(copy, request))[0] : failure
}

for (const outdated of findOutdated()) throw new Error(outdated)
const faults = chosen.flatMap(sampleFaults).map((fault, id) => ({ ...fault, id }))
const survivors = []
const waiting = [...faults]
async function work(copy, testsOfFaults) {
  for (let fault = waiting.shift(); fault; fault = waiting.shift()) {
    // A survivor takes the longest: all tests that run its code. One with a reason would only show the same again.
    const isKnown = reasonOf(fault) !== undefined
    const failure = isKnown ? undefined : await findFailure(copy, fault, testsOfFault(fault, testsOfFaults))
    if (!failure) survivors.push(fault)
    const verdict = failure ? 'killed  ' : isKnown ? 'known   ' : 'SURVIVED'
    console.log(`${verdict} ${fault.file}:${fault.line}\n    - ${fault.before}\n    + ${fault.after}`)
    if (failure) console.log(`    ${failure.name}\n      ${failure.message.split('\n', 1)[0]}`)
  }
}

const copies = Array.from({ length: Number(values.workers) }, makeTestCheckout)
try {
  const testsOfFaults = await findTestsOfFaults(copies[0])
  await Promise.all(copies.map((copy) => work(copy, testsOfFaults)))
} finally {
  await Promise.all(copies.map(stopRunner))
  copies.forEach(deleteTestCheckout)
}

const unknown = survivors.filter((fault) => !reasonOf(fault))
const share = (faults.length - survivors.length) / faults.length
for (const { name } of chosen) {
  const all = faults.filter(({ room }) => room === name).length
  const alive = survivors.filter(({ room }) => room === name).length
  console.log(`${name}: ${all - alive} of ${all} killed`)
}
console.log(`${(share * 100).toFixed(1)}% killed; ${unknown.length} survivors without a reason`)
if (share < SMALLEST_SHARE_KILLED || unknown.length > 0) process.exitCode = 1
