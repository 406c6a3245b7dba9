/** A server stops in an orderly way with its PostgreSQL, however it was started. */
import { execFileSync } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import mqtt from 'mqtt'
import { expect, inject, test, vi } from 'vitest'
import { prepareOnboarding } from '../harness/onboarded-device.ts'
import { adminPassword, apiAt, logIn } from '../harness/platform.ts'
import { isUp, type Running, runProgram, says, serverEnvironment } from '../harness/running-program.ts'
import { prepareDataDir, startServerProcess } from '../harness/server-process.ts'
import { temporaryDirectory } from '../harness/temporary-directory.ts'
import { WAIT_MS } from '../wait-ms.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const { scripts } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))

const run = (command: string[], environment: Record<string, string>) => {
  if (!inject('isBuilt')) throw new Error('The server does not compile; the compiler said why above.')
  return runProgram(command, { cwd: root, environment })
}

/** @returns its log of the database's shutdown, and the processes that still run */
async function whatIsLeft(dataDir: string) {
  const { http } = JSON.parse(await readFile(join(dataDir, 'endpoints.json'), 'utf8'))
  return {
    answers: await fetch(`${http}/healthz`).then(
      () => true,
      () => false,
    ),
    // PostgreSQL removes this file after an orderly shutdown.
    postmaster: (await readdir(join(dataDir, 'postgres'))).includes('postmaster.pid'),
  }
}
const nothing = { answers: false, postmaster: false }

async function preparedDirectory() {
  const directory = await temporaryDirectory()
  await prepareDataDir(directory.path)
  return directory
}

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

/** `unshare` stays outside and forwards no signals, so process 1 is signalled by its outer process id. */
const process1 = async ({ child }: Running) => {
  const children = `/proc/${child.pid}/task/${child.pid}/children`
  const pid = await vi.waitUntil(async () => Number(await readFile(children, 'utf8')) || undefined)
  return pid!
}

/** A process that ended a moment ago, and whose parent has not reported it yet, is left alone. */
function terminate(pid: number) {
  try {
    process.kill(pid, 'SIGTERM')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

test('npm start: SIGTERM to npm', async () => {
  await using directory = await preparedDirectory()
  await using running = run(['npm', 'start'], serverEnvironment(directory.path))
  await isUp(running)
  running.child.kill('SIGTERM')
  await running.ended
  expect(await whatIsLeft(directory.path)).toEqual(nothing)
})

test('npm start: Ctrl+C, which both the terminal and npm forward', async () => {
  await using directory = await preparedDirectory()
  await using running = run(['npm', 'start'], serverEnvironment(directory.path))
  await isUp(running)
  process.kill(-running.child.pid!, 'SIGINT')
  await running.ended
  expect(running.output()).not.toContain('stopped at once')
  expect(await whatIsLeft(directory.path)).toEqual(nothing)
})

test('the child of a shell', async () => {
  await using directory = await preparedDirectory()
  await using running = run(['sh', '-c', scripts.start], serverEnvironment(directory.path))
  await isUp(running)
  running.child.kill('SIGTERM')
  expect(await running.ended).toBe(0)
  expect(await whatIsLeft(directory.path)).toEqual(nothing)
})

test.skipIf(!canBeProcess1)('process 1 of a container', async () => {
  await using directory = await preparedDirectory()
  await using running = run([...inPidNamespace, 'sh', '-c', scripts.start], serverEnvironment(directory.path))
  await isUp(running)
  process.kill(await process1(running), 'SIGTERM')
  expect(await running.ended).toBe(0)
  expect(await whatIsLeft(directory.path)).toEqual(nothing)
})

test.skipIf(!canBeProcess1)('process 1 that is still being built or started', async () => {
  await using directory = await temporaryDirectory()
  await using running = run([...inPidNamespace, 'sh', '-c', scripts.start], serverEnvironment(directory.path))
  const pid = await process1(running)
  const comesTooLate = sleep(WAIT_MS, 'too late')
  let ended: unknown
  // The signal is sent repeatedly, since the start of the handler is not visible from outside.
  while (ended === undefined) {
    terminate(pid)
    ended = await Promise.race([running.ended, comesTooLate, sleep(100)])
  }
  // The status shows how far the start had come: it comes from Node.js, the script or the server.
  expect(ended).not.toBe('too late')
  expect(running.output()).not.toContain('Gangway is running.')
})

test('a direct method that is under way when the only server stops is answered by its device', async () => {
  await using server = await startServerProcess()
  const { http, mqtt: broker } = server.endpoints
  const api = apiAt(http)
  const token = await logIn(api, 'admin@example.com', adminPassword)
  const onboarding = await prepareOnboarding(api, token, http, Number(new URL(broker).port))
  const { primaryKey } = await onboarding.onboard('valve')
  const device = await mqtt.connectAsync(broker, {
    username: 'valve',
    password: primaryKey,
    reconnectPeriod: 0,
  })
  await device.subscribeAsync('devices/valve/methods/+/invoke', { qos: 1 })
  const asked = new Promise<string>(
    (resolve) => void device.once('message', (_topic, payload) => resolve(`${payload}`)),
  )
  const answer = api('POST', '/v1/providers/mqtt/clients/valve/methods', { method: 'close' }, { token })
  const { correlationId } = JSON.parse(await asked)
  const ended = server.kill('SIGTERM')
  // New connections are refused once the server stops.
  await vi.waitUntil(() =>
    fetch(`${http}/healthz`)
      .then(({ ok }) => !ok)
      .catch(() => true),
  )
  await device.publishAsync(`devices/valve/methods/close/response/${correlationId}`, '{"status": 200}', {
    qos: 1,
  })
  expect((await answer).body).toMatchObject({ status: 200 })
  expect(await ended).toBe(0)
  await device.endAsync(true)
})

test('npm run demo: SIGTERM to npm', async () => {
  await using server = await startServerProcess()
  await using running = run(['npm', 'run', 'demo', '--', '--url', server.endpoints.http, '--devices', '2'], {
    GANGWAY_ADMIN_PASSWORD: adminPassword,
  })
  await says(running, 'Streaming until Ctrl+C.')
  running.child.kill('SIGTERM')
  await running.ended
  expect(running.output()).toMatch(/\d+ messages acknowledged/)
})

test('a start that still waits for its database', async () => {
  await using directory = await temporaryDirectory()
  await using running = run(['sh', '-c', scripts.start], {
    ...serverEnvironment(directory.path),
    DATABASE_URL: 'postgresql://nobody@127.0.0.1:9/none',
  })
  await says(running, 'the database does not answer yet')
  running.child.kill('SIGTERM')
  expect(await running.ended).toBe(0)
  expect(running.output()).toContain('Gangway was stopped by SIGTERM before it had started.')
})
