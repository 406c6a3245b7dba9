/** A server is asked to stop, however it was started: it goes in good order, and takes its PostgreSQL along. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { expect, inject, test, vi } from 'vitest'
import { adminPassword } from '../harness/platform.ts'
import { startServerProcess } from '../harness/server-process.ts'
import { temporaryDirectory } from '../harness/temporary-directory.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const { scripts } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
const STOP_MS = 20_000

interface Running extends AsyncDisposable {
  child: ChildProcess
  output(): string
  /** Resolves with the exit code, or the signal that ended it. */
  ended: Promise<number | string>
}

function run(command: string[], environment: Record<string, string>): Running {
  if (!inject('isBuilt')) throw new Error('The server does not compile; the compiler said why above.')
  const [program, ...args] = command
  const child = spawn(program!, args, {
    cwd: root,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
    // A process group of its own, as a terminal makes one for each command.
    detached: true,
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk))
  const ended = once(child, 'exit').then(([code, signal]) => code ?? signal)
  return {
    child,
    output: () => output,
    ended,
    [Symbol.asyncDispose]: async () => {
      // The whole group: what a failed test leaves may have lost its leader.
      try {
        process.kill(-child.pid!, 'SIGKILL')
      } catch {
        // Nothing is left.
      }
      await ended
    },
  }
}

const serverEnvironment = (dataDir: string) => ({
  GANGWAY_DATA_DIR: dataDir,
  GANGWAY_HTTP_HOST: '127.0.0.1',
  GANGWAY_MQTT_HOST: '127.0.0.1',
  GANGWAY_HTTP_PORT: '0',
  GANGWAY_MQTT_PORT: '0',
  GANGWAY_MQTTS_PORT: '0',
  GANGWAY_ADMIN_PASSWORD: adminPassword,
})

const says = (running: Running, text: string) =>
  vi.waitUntil(() => running.output().includes(text), { timeout: 60_000, interval: 50 })

/** @returns what it says of the database's shutdown and who still answers */
async function whatIsLeft(dataDir: string) {
  const { http } = JSON.parse(await readFile(join(dataDir, 'endpoints.json'), 'utf8'))
  return {
    answers: await fetch(`${http}/healthz`).then(
      () => true,
      () => false,
    ),
    // PostgreSQL removes it when it has shut down in good order.
    postmaster: (await readdir(join(dataDir, 'postgres'))).includes('postmaster.pid'),
  }
}
const nothing = { answers: false, postmaster: false }

const inPidNamespace = ['unshare', '--pid', '--fork', '--mount-proc']
const canBeProcess1 = (() => {
  try {
    execFileSync(inPidNamespace[0]!, [...inPidNamespace.slice(1), 'true'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
})()
if (!canBeProcess1) console.log('Skipped: a server as process 1 (unshare --pid is not permitted)')

/** `unshare` stays outside and passes no signal on, so process 1 gets it by its number out here. */
const process1 = async ({ child }: Running) => {
  const children = `/proc/${child.pid}/task/${child.pid}/children`
  const pid = await vi.waitUntil(async () => Number(await readFile(children, 'utf8')) || undefined)
  return pid!
}

test('npm start: SIGTERM to npm', { timeout: 120_000 }, async () => {
  await using directory = await temporaryDirectory()
  await using running = run(['npm', 'start'], serverEnvironment(directory.path))
  await says(running, 'Gangway is up.')
  running.child.kill('SIGTERM')
  await running.ended
  expect(await whatIsLeft(directory.path)).toEqual(nothing)
})

test('npm start: Ctrl+C, which the terminal and npm both pass on', { timeout: 120_000 }, async () => {
  await using directory = await temporaryDirectory()
  await using running = run(['npm', 'start'], serverEnvironment(directory.path))
  await says(running, 'Gangway is up.')
  process.kill(-running.child.pid!, 'SIGINT')
  await running.ended
  expect(running.output()).not.toContain('stopped at once')
  expect(await whatIsLeft(directory.path)).toEqual(nothing)
})

test('the child of a shell', { timeout: 120_000 }, async () => {
  await using directory = await temporaryDirectory()
  await using running = run(['sh', '-c', scripts.start], serverEnvironment(directory.path))
  await says(running, 'Gangway is up.')
  running.child.kill('SIGTERM')
  expect(await running.ended).toBe(0)
  expect(await whatIsLeft(directory.path)).toEqual(nothing)
})

test.skipIf(!canBeProcess1)('process 1 of a container', { timeout: 120_000 }, async () => {
  await using directory = await temporaryDirectory()
  await using running = run([...inPidNamespace, 'sh', '-c', scripts.start], serverEnvironment(directory.path))
  await says(running, 'Gangway is up.')
  process.kill(await process1(running), 'SIGTERM')
  expect(await running.ended).toBe(0)
  expect(await whatIsLeft(directory.path)).toEqual(nothing)
})

test.skipIf(!canBeProcess1)(
  'process 1 that is still being built or started',
  { timeout: 120_000 },
  async () => {
    await using directory = await temporaryDirectory()
    await using running = run(
      [...inPidNamespace, 'sh', '-c', scripts.start],
      serverEnvironment(directory.path),
    )
    const pid = await process1(running)
    const comesTooLate = sleep(STOP_MS, 'too late')
    let ended: unknown
    // Again and again, since it cannot be seen from outside from when on it listens.
    while (ended === undefined) {
      process.kill(pid, 'SIGTERM')
      ended = await Promise.race([running.ended, comesTooLate, sleep(100)])
    }
    expect(ended).toBe(143)
    expect(running.output()).not.toContain('Gangway is up.')
  },
)

test('npm run demo: SIGTERM to npm', { timeout: 120_000 }, async () => {
  await using server = await startServerProcess()
  await using running = run(['npm', 'run', 'demo', '--', '--url', server.endpoints.http, '--devices', '2'], {
    GANGWAY_ADMIN_PASSWORD: adminPassword,
  })
  await says(running, 'Streaming until Ctrl+C.')
  running.child.kill('SIGTERM')
  await running.ended
  expect(running.output()).toMatch(/\d+ messages acknowledged/)
})

test('a start that still waits for its database', { timeout: 120_000 }, async () => {
  await using directory = await temporaryDirectory()
  await using running = run(['sh', '-c', scripts.start], {
    ...serverEnvironment(directory.path),
    DATABASE_URL: 'postgresql://nobody@127.0.0.1:9/none',
  })
  await says(running, 'the database does not answer yet')
  running.child.kill('SIGTERM')
  expect(await running.ended).toBe(0)
  expect(running.output()).toContain('Gangway was stopped by SIGTERM before it was up.')
})
