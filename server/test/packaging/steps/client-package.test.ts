/** The client as users install it: the packed file in an empty project, against a real server. */
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freshCheckout, runIn, writableDirectory } from '../../harness/checkout.ts'
import { codeBlocks } from '../../harness/code-blocks.ts'
import { adminPassword, apiAt, logIn } from '../../harness/platform.ts'
import { type ServerProcess, startServerProcess } from '../../harness/server-process.ts'
import type { TemporaryDirectory } from '../../harness/temporary-directory.ts'

const inProject = (name: string) => join(directory.path, 'project', name)
const run = (command: string) => runIn(inProject('.'), command)

let directory: TemporaryDirectory
let packed: { filename: string; files: { path: string }[] }
let server: ServerProcess
beforeAll(async () => {
  directory = await writableDirectory()
  await using checkout = await freshCheckout()
  await checkout.run('npm ci --ignore-scripts')
  await checkout.run('npm pack --workspace client --json >packed.json')
  ;[packed] = JSON.parse(await readFile(join(checkout.path, 'packed.json'), 'utf8'))
  await mkdir(inProject('.'))
  const packages = 'ws@8.23.0 @types/ws@8.18.2 @types/node@20.19.43 typescript@7.0.2'
  await run(
    `npm init --yes && npm install --ignore-scripts '${join(checkout.path, packed.filename)}' ${packages}`,
  )
  server = await startServerProcess()
})
afterAll(async () => {
  await server?.[Symbol.asyncDispose]()
  await directory?.[Symbol.asyncDispose]()
})

test('the package has the output, the README and the licence, and depends on nothing', async () => {
  const paths = packed.files.map(({ path }) => path)
  expect(paths).toEqual(expect.arrayContaining(['LICENSE', 'README.md', 'package.json', 'dist/index.js']))
  const expected = /^(?:LICENSE|README\.md|package\.json|dist\/.*\.(?:js|d\.ts|js\.map))$/
  expect(paths.filter((path) => !expected.test(path) || /test/.test(path))).toEqual([])
  const { dependencies } = JSON.parse(
    await readFile(inProject('node_modules/@gangway/client/package.json'), 'utf8'),
  )
  expect(dependencies).toBeUndefined()
})

test.each([
  ['Node.js', '--module nodenext --lib es2022 --types node'],
  ['a bundler and a browser', '--module esnext --moduleResolution bundler --lib es2022,dom --types node'],
  [
    'a strict look into the types of the package',
    '--module nodenext --lib es2022,dom --types node --skipLibCheck false',
  ],
])('types resolve for %s', async (_name, options) => {
  await writeFile(inProject('readme.mts'), codeBlocks(await readme(), 'ts'))
  expect(await run(`node_modules/.bin/tsc --noEmit --strict --target es2022 ${options} readme.mts`)).toBe('')
})

test('the script of its README runs against a server', async () => {
  const { http } = server.endpoints
  const token = await logIn(apiAt(http), 'admin@example.com', adminPassword)
  const call = (method: string, path: string, body: object) => apiAt(http)(method, path, body, { token })
  const { body: me } = await call('GET', '/v1/auth/me', undefined as never)
  const organizationId =
    me.organizationId ?? (await call('GET', '/v1/organizations', undefined as never)).body[0].id
  await call('PUT', '/v1/providers/live', { type: 'import', displayName: 'Live', organizationId })
  await call('POST', '/v1/providers/live/clients', { id: 'pump-7', displayName: 'Pump 7' })
  await call('POST', '/v1/providers/live/clients/pump-7/telemetry', { temperature: 21.5 })
  const script = codeBlocks(await readme(), 'ts')
    .replaceAll('http://localhost:8080', http)
    .replace("process.env.TOKEN ?? ''", `'${token}'`)
  await writeFile(inProject('readme.mjs'), script)
  const output = await run('node readme.mjs')
  expect(output).toContain('404 not_found: There is no asset no-such-asset.')
  expect(output).toContain('temperature is 21.5')
})

const readme = () => readFile(inProject('node_modules/@gangway/client/README.md'), 'utf8')
