/** `npm start` as an ordinary user on source that this user cannot write: after each step of an installation. */
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  type Account,
  type Checkout,
  freshCheckout,
  makeReadOnly,
  writableDirectory,
} from '../../harness/checkout.ts'
import { isUp, runProgram, serverEnvironment } from '../../harness/running-program.ts'
import type { TemporaryDirectory } from '../../harness/temporary-directory.ts'

let checkout: Checkout
beforeAll(async () => {
  checkout = await freshCheckout()
})
afterAll(() => checkout[Symbol.asyncDispose]())

/** @returns the exit code and what was written by the program itself, not by npm */
async function failedNpmStart(account?: Account) {
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

/** @returns how many milliseconds it took until the server was up */
async function expectStart(account?: Account, given?: TemporaryDirectory): Promise<number> {
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

test('source that was never built ends with one line', async () => {
  await checkout.run('npm ci --ignore-scripts')
  const account = await makeReadOnly(checkout.path)
  const { code, lines } = await failedNpmStart(account)
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
  await expectStart(await makeReadOnly(checkout.path))
})

test('a stale build ends with one line', async () => {
  await checkout.run('chmod -R u+w .')
  await writeFile(join(checkout.path, 'server/src/new.ts'), 'export const added = 1\n')
  const { code, lines } = await failedNpmStart(await makeReadOnly(checkout.path))
  expect(lines).toEqual([
    expect.stringMatching(/server has changed since it was built, and .*server\/dist cannot be written/),
  ])
  expect(code).toBe(1)
  await checkout.run('chmod -R u+w . && rm server/src/new.ts')
})

test('without development packages the server starts from what was built before', async () => {
  await checkout.run('npm ci --omit=dev --ignore-scripts')
  await expectStart(await makeReadOnly(checkout.path))
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
