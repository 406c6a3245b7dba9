/** The Dockerfile, executed without a container: built, started as the image's user, and checked by its health check. */
import { mkdir, readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parse } from 'yaml'
import {
  type Checkout,
  freshCheckout,
  makeReadOnly,
  ordinaryUser,
  runIn,
  writableDirectory,
} from '../../harness/checkout.ts'
import { type Image, inStage, performDockerfile } from '../../harness/dockerfile.ts'
import { canHaveReadOnlyRoot, withReadOnlyRoot } from '../../harness/read-only-root.ts'
import { isUp, runProgram, serverEnvironment } from '../../harness/running-program.ts'
import type { TemporaryDirectory } from '../../harness/temporary-directory.ts'

let directory: TemporaryDirectory
let checkout: Checkout
let image: Image
beforeAll(async () => {
  directory = await writableDirectory()
  checkout = await freshCheckout()
  const stages = join(directory.path, 'stages')
  await mkdir(stages)
  image = await performDockerfile(checkout.path, stages, ordinaryUser)
})
afterAll(async () => {
  await runIn('/', `chmod -R u+w '${directory.path}'`)
  await directory[Symbol.asyncDispose]()
  await checkout[Symbol.asyncDispose]()
})

const inImage = (path: string) => join(image.root, path)

test('the base images are named without a registry, and the user by a number that is not root', () => {
  expect(new Set(image.baseImages)).toEqual(new Set([expect.stringMatching(/^node:\d+-bookworm-slim$/)]))
  expect(image.user).toMatch(/^[1-9]\d*:[1-9]\d*$/)
})

test('the image has no development packages, no compiler, no sources and no tests', async () => {
  const lock = JSON.parse(await readFile(join(checkout.path, 'package-lock.json'), 'utf8'))
  const installed = await readInstalled()
  expect(installed.length).toBeGreaterThan(100)
  expect(installed.filter((path) => lock.packages[path]?.dev)).toEqual([])
  expect(installed).not.toContain('node_modules/typescript')
  const files = await readdir(inImage('app/server'), { recursive: true })
  expect(
    files.filter((file) => /\.test\.|(?<!\.d)\.ts$/.test(file) && !file.startsWith('node_modules')),
  ).toEqual([])
  const kilobytes = Number.parseInt(await runIn(inImage('.'), 'du -sk .'), 10)
  console.log(`The image holds ${Math.round(kilobytes / 1024)} MiB on top of its base.`)
  expect(kilobytes).toBeLessThan(256 * 1024)
})

/** @returns paths as in package-lock.json */
async function readInstalled() {
  const notes = await readFile(inImage('app/node_modules/.package-lock.json'), 'utf8')
  const paths = Object.keys(JSON.parse(notes).packages)
  const isThere = await Promise.all(
    paths.map((path) =>
      stat(inImage(`app/${path}`)).then(
        () => true,
        () => false,
      ),
    ),
  )
  return paths.filter((_, index) => isThere[index])
}

test('the server starts as an ordinary user, its health check passes when it is ready, and it ends at SIGTERM', async () => {
  await makeReadOnly(inImage('app'))
  const environment = { ...serverEnvironment(''), ...own(image.environment), HOME: directory.path }
  const how = { cwd: inImage(image.workdir), environment, account: ordinaryUser }
  const check = async (command: string[]) => {
    await using running = runProgram(command, how)
    return { code: await running.ended, says: running.output() }
  }
  const compose = parse(await readFile(join(checkout.path, 'compose.yaml'), 'utf8'))
  const checks = [image.healthCheck, compose.services.gangway.healthcheck.test.slice(1)]

  expect((await check(image.healthCheck)).code).toBe(1)
  // Like `docker run --read-only`.
  const readOnly = withReadOnlyRoot(image.command, inImage(image.volumes[0]!), ordinaryUser)
  await using server = canHaveReadOnlyRoot(ordinaryUser)
    ? runProgram(readOnly, { ...how, account: undefined })
    : runProgram(image.command, how)
  await isUp(server)
  for (const command of checks)
    expect(await check(command)).toEqual({ code: 0, says: expect.stringContaining('"status":"ok"') })
  // All its data is in the volume.
  expect(await readdir(inImage(image.volumes[0]!))).toEqual(
    expect.arrayContaining(['endpoints.json', 'postgres', 'secret.key', 'tls']),
  )
  server.child.kill('SIGTERM')
  expect(await server.ended).toBe(0)
  expect(await check(image.healthCheck)).toEqual({
    code: 1,
    says: expect.stringContaining('does not answer'),
  })
})

const own = (environment: Record<string, string>) =>
  Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, inStage(image, value)]))
