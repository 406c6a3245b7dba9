// A copy of the checkout in which tests run, with a process that runs them.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root } from '../build.mjs'
import { copyCheckout } from '../copy-checkout.mjs'

/** A run that has not reported by then is in an endless loop. */
const SILENCE_MS = 300_000
/** The first run compiles the programs and makes the databases, which takes long on a busy machine. */
const FIRST_SILENCE_MS = 1_200_000

export function makeTestCheckout() {
  const directory = mkdtempSync(join(tmpdir(), 'gangway-mutants-'))
  const at = (name) => join(directory, name)
  const copy = { directory, checkout: at('checkout'), temporary: at('tmp'), probes: at('probes') }
  mkdirSync(copy.temporary)
  // PostgreSQL may run as another account.
  chmodSync(directory, 0o711)
  chmodSync(copy.temporary, 0o1777)
  copyCheckout(copy.checkout)
  for (const folder of ['', 'server', 'device', 'demo', 'bench']) {
    const modules = join(root, folder, 'node_modules')
    if (existsSync(modules)) symlinkSync(modules, join(copy.checkout, folder, 'node_modules'))
  }
  return copy
}

export const deleteTestCheckout = ({ directory }) => rmSync(directory, { recursive: true, force: true })

/** @returns the failures of one run, which ends at the first one unless the request says otherwise */
export async function runTests(copy, request) {
  copy.runner ??= await startRunner(copy)
  const { runner } = copy
  return new Promise((resolve) => {
    const finish = (failures) => {
      clearTimeout(silence)
      copy.isWarm = true
      runner.removeAllListeners()
      resolve(failures)
    }
    const giveUp = (message) => {
      finish([{ name: request.tests.join(' '), message, isTimeout: false }])
      copy.runner = undefined
      copy.isWarm = false
      killGroup(runner)
    }
    const silenceMs = copy.isWarm ? SILENCE_MS : FIRST_SILENCE_MS
    const silence = setTimeout(() => giveUp('The tests do not react any more.'), silenceMs)
    runner.on('message', (message) => (message.failures ? finish(message.failures) : silence.refresh()))
    runner.on('exit', () => giveUp('The process of the tests ended.'))
    runner.send(request)
  })
}

export async function stopRunner(copy) {
  if (!copy.runner) return
  copy.runner.disconnect()
  await once(copy.runner, 'exit')
}

async function startRunner({ checkout, temporary, probes }) {
  const runner = fork(join(checkout, 'scripts/mutants/run-tests.mjs'), {
    cwd: checkout,
    env: { ...process.env, TMPDIR: temporary, MUTANTS_PROBES: probes },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    detached: true,
  })
  await once(runner, 'message')
  return runner
}

/** With the PostgreSQL and the workers that it started. */
function killGroup({ pid }) {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // It has ended already.
  }
}
