// Puts small faults into a copy of the sources, one at a time, and runs the tests that ought to notice each.
//
//     npm run mutants                    a sample of every room
//     npm run mutants -- alarms --sample 50
//
// A fault that no test notices has to stand in scripts/mutants/survivors.json with the reason.
import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { root } from './build.mjs'
import { copyCheckout } from './copy-checkout.mjs'
import { findFaults } from './mutants/faults.mjs'
import { rooms } from './mutants/rooms.mjs'

const SMALLEST_SHARE_KILLED = 0.9
const TEST_RUN_TIMEOUT_MS = 300_000
const WHOLE_RUN_TIMEOUT_MS = 1_800_000

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { sample: { type: 'string', default: '20' }, workers: { type: 'string', default: '2' } },
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

function sampleFaults({ name, sources, tests }) {
  const files = sourceFiles.filter((file) =>
    sources.some((source) => file.startsWith(`server/src/${source}/`)),
  )
  return files
    .flatMap((file) => findFaults(file, readFileSync(join(root, file), 'utf8')))
    .toSorted((one, other) => one.order - other.order)
    .slice(0, Number(values.sample))
    .map((fault) => ({ ...fault, room: name, tests: testsOf({ tests }) }))
}

/** A copy of the checkout, with the packages of this one. */
function copyWithPackages() {
  const copy = mkdtempSync(join(tmpdir(), 'gangway-mutants-'))
  copyCheckout(copy)
  for (const folder of ['', 'server', 'device', 'demo', 'bench']) {
    const modules = join(root, folder, 'node_modules')
    if (existsSync(modules)) symlinkSync(modules, join(copy, folder, 'node_modules'))
  }
  return copy
}

/** @returns {Promise<boolean>} whether they passed; a run that does not end has noticed the fault */
const passes = (copy, tests, { timeoutMs, stdio } = { timeoutMs: TEST_RUN_TIMEOUT_MS, stdio: 'ignore' }) =>
  new Promise((resolve) => {
    const vitest = join(root, 'node_modules/vitest/vitest.mjs')
    const child = spawn(process.execPath, [vitest, 'run', '--bail=1', '--maxWorkers=1', ...tests], {
      cwd: copy,
      stdio,
      detached: true,
    })
    const timer = setTimeout(() => process.kill(-child.pid, 'SIGKILL'), timeoutMs)
    child.on('exit', (code) => {
      clearTimeout(timer)
      resolve(code === 0)
    })
  })

/** @returns {Promise<boolean>} whether a test noticed the fault */
async function isKilled(copy, fault) {
  const original = readFileSync(join(copy, fault.file), 'utf8')
  writeFileSync(join(copy, fault.file), fault.text)
  try {
    // The tests of the same folder notice most faults, and take a fraction of the time.
    const beside = `${dirname(fault.file)}/`
    return !(await passes(copy, [beside])) || !(await passes(copy, fault.tests))
  } finally {
    writeFileSync(join(copy, fault.file), original)
  }
}

const faults = chosen.flatMap(sampleFaults)
const survivors = []
const waiting = [...faults]
async function work(_, index) {
  const copy = copyWithPackages()
  try {
    // A test that fails without any fault would count every fault as noticed.
    const unhurried = { timeoutMs: WHOLE_RUN_TIMEOUT_MS, stdio: 'inherit' }
    if (index === 0 && !(await passes(copy, chosen.flatMap(testsOf), unhurried)))
      throw new Error('The tests fail as they are: run them and mend that first.')
    for (let fault = waiting.shift(); fault; fault = waiting.shift()) {
      const killed = await isKilled(copy, fault)
      if (!killed) survivors.push(fault)
      const verdict = killed ? 'killed  ' : reasonOf(fault) ? 'known   ' : 'SURVIVED'
      console.log(`${verdict} ${fault.file}:${fault.line}\n    - ${fault.before}\n    + ${fault.after}`)
    }
  } finally {
    rmSync(copy, { recursive: true, force: true })
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
