/** `npm start` as an ordinary user on read-only source, after each step of an installation. */
import { readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  type Checkout,
  freshCheckout,
  makeReadOnly,
  ordinaryUser,
  writableDirectory,
} from '../../harness/checkout.ts'
import { isUp, runProgram, serverEnvironment } from '../../harness/running-program.ts'
import { canHaveReadOnlyRoot, withReadOnlyRoot } from '../../harness/read-only-root.ts'
import { unitEnvironment, readUnitFile } from '../../harness/unit-file.ts'
import type { TemporaryDirectory } from '../../harness/temporary-directory.ts'

let checkout: Checkout
beforeAll(async () => {
  checkout = await freshCheckout()
})
afterAll(() => checkout[Symbol.asyncDispose]())

/** @returns the exit code and what was written by the program itself, not by npm */
async function failedNpmStart(account?: typeof ordinaryUser) {
  await using home = await writableDirectory()
  const environment = { ...serverEnvironment(join(home.path, 'data')), HOME: home.path }
  await using running = runProgram(['npm', 'start', '--silent'], { cwd: checkout.path, environment, account })
  return {
    code: await running.ended,
    lines: running
      .output()
      .trim()
      .split('\n')
      .filter((line) => !line.startsWith('npm ')),
  }
}

/** @returns the milliseconds until the server was ready */
async function expectStart(account?: typeof ordinaryUser, given?: TemporaryDirectory): Promise<number> {
  await using own = await writableDirectory()
  const { path } = given ?? own
  const environment = { ...serverEnvironment(join(path, 'data')), HOME: path }
  const before = performance.now()
  await using running = runProgram(['npm', 'start'], { cwd: checkout.path, environment, account })
  await isUp(running)
  const milliseconds = performance.now() - before
  running.child.kill('SIGTERM')
  await running.ended
  return milliseconds
}

test('a clone without packages ends with one line', async () => {
  const { code, lines } = await failedNpmStart()
  expect(lines).toEqual([expect.stringMatching(/^There are no packages in .*node_modules: run `npm ci`\.$/)])
  expect(code).toBe(1)
})

test('source that was never built ends with one line', async () => {
  await checkout.run('npm ci --ignore-scripts')
  await makeReadOnly(checkout.path)
  const { code, lines } = await failedNpmStart(ordinaryUser)
  expect(lines).toEqual([
    expect.stringMatching(
      /server is not built, and .*server cannot be written \(E\w+\): run `npm run build` as the user who owns it/,
    ),
  ])
  expect(code).toBe(1)
  await checkout.run('chmod -R u+w .')
})

test('a fresh clone builds itself at its first start, and the second start builds nothing', async () => {
  await using directory = await writableDirectory()
  const first = await expectStart(undefined, directory)
  const second = await expectStart(undefined, directory)
  console.log(
    `npm start of a fresh clone: ${Math.round(first)} ms with the build, ${Math.round(second)} ms without`,
  )
  expect(second).toBeLessThan(first)
})

test('a current build starts from source that is read-only', async () => {
  await checkout.run('npm run build')
  await makeReadOnly(checkout.path)
  await expectStart(ordinaryUser)
})

test('the systemd unit starts it on a file system that is read-only but for the data, and stops it', async () => {
  await using directory = await writableDirectory()
  const unit = await readUnitFile(join(checkout.path, 'deploy/gangway.service'))
  const environment = {
    ...serverEnvironment(''),
    ...unitEnvironment(unit),
    GANGWAY_DATA_DIR: directory.path,
    HOME: '/nonexistent',
  }
  const command = unit.get('ExecStart')[0]!.split(' ')
  const how = { cwd: checkout.path, environment }
  await using running = canHaveReadOnlyRoot(ordinaryUser)
    ? runProgram(withReadOnlyRoot(command, directory.path, ordinaryUser), how)
    : runProgram(command, { ...how, account: ordinaryUser })
  await isUp(running)
  // KillMode=mixed: only the main process receives the signal.
  running.child.kill('SIGTERM')
  expect(await running.ended).toBe(0)
  expect(await readdir(join(directory.path, 'postgres'))).not.toContain('postmaster.pid')
})

test('a stale build ends with one line', async () => {
  await checkout.run('chmod -R u+w .')
  await writeFile(join(checkout.path, 'server/src/new.ts'), 'export const added = 1\n')
  await makeReadOnly(checkout.path)
  const { code, lines } = await failedNpmStart(ordinaryUser)
  expect(lines).toEqual([
    expect.stringMatching(/server has changed since it was built, and .*server\/dist cannot be written/),
  ])
  expect(code).toBe(1)
  await checkout.run('chmod -R u+w . && rm server/src/new.ts')
})

test('without development packages the server starts from what was built before', async () => {
  await checkout.run('npm ci --omit=dev --ignore-scripts')
  await makeReadOnly(checkout.path)
  await expectStart(ordinaryUser)
  await checkout.run('chmod -R u+w .')
})

test('without development packages and a build it ends with one line', async () => {
  await rm(join(checkout.path, 'server/dist'), { recursive: true })
  const { code, lines } = await failedNpmStart()
  expect(lines).toEqual([
    expect.stringMatching(
      /server is not built, and the development package \S+ is not installed: run `npm ci --include=dev && npm run build`/,
    ),
  ])
  expect(code).toBe(1)
})
