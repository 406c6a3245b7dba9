/** The device SDK as users install it: the packed file in an empty project, against a real server. */
import { execFile } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freshCheckout, runIn, writableDirectory } from '../../harness/checkout.ts'
import { codeBlocks } from '../../harness/code-blocks.ts'
import { prepareOnboarding } from '../../harness/onboarded-device.ts'
import { adminPassword, type Api, apiAt, logIn } from '../../harness/platform.ts'
import { type ServerProcess, startServerProcess } from '../../harness/server-process.ts'
import type { TemporaryDirectory } from '../../harness/temporary-directory.ts'

const execute = promisify(execFile)
const inProject = (name: string) => join(directory.path, 'project', name)
const run = (command: string) => runIn(inProject('.'), command)

let directory: TemporaryDirectory
let packed: { filename: string; files: { path: string }[] }
let server: ServerProcess
beforeAll(async () => {
  directory = await writableDirectory()
  await using checkout = await freshCheckout()
  await checkout.run('npm ci --ignore-scripts')
  await checkout.run('npm pack --workspace device --json >packed.json')
  ;[packed] = JSON.parse(await readFile(join(checkout.path, 'packed.json'), 'utf8'))
  await mkdir(inProject('.'))
  await run(
    `npm init --yes && npm install --ignore-scripts '${join(checkout.path, packed.filename)}' typescript@7.0.2`,
  )
  server = await startServerProcess()
})
afterAll(async () => {
  await server?.[Symbol.asyncDispose]()
  await directory?.[Symbol.asyncDispose]()
})

test('the package has the output, the README and the licence, and neither tests nor build records', () => {
  const paths = packed.files.map(({ path }) => path)
  expect(paths).toEqual(expect.arrayContaining(['LICENSE', 'README.md', 'package.json']))
  const others = paths.filter(
    (path) =>
      !/^(?:LICENSE|README\.md|package\.json|dist\/.*\.(?:js|d\.ts|js\.map)|dist\/cjs\/package\.json)$/.test(
        path,
      ),
  )
  expect(others).toEqual([])
  expect(paths.filter((path) => /test/.test(path))).toEqual([])
})

test('import and require give the same names, without a warning', async () => {
  const imported = await run(
    `node --input-type=module -e "console.log(Object.keys(await import('@gangway/device')).sort())"`,
  )
  const required = await run(
    `node --input-type=commonjs -e "console.log(Object.keys(require('@gangway/device')).sort())"`,
  )
  expect(required).toBe(imported)
  expect(imported).toContain("'connect'")
})

const consumer = `import { connect, type ConnectOptions, type Device } from '@gangway/device'
const options: ConnectOptions = { host: 'localhost', port: 1883, deviceId: 'pump-7', primaryKey: 'key' }
export const device: Device = connect(options)
device.on('connected', ({ credential }) => credential.startsWith('primary'))
export const later = async () => {
  await using closing = device
  await closing.sendTelemetry({ temperature: 1 })
}
// @ts-expect-error The host is required.
connect({ port: 1883, deviceId: 'pump-7' })
`

test.each([
  ['ES modules and CommonJS of Node', '--module nodenext'],
  ['a strict look into the types of the package', '--module nodenext --skipLibCheck false'],
  ['a bundler', '--module esnext --moduleResolution bundler'],
])('types resolve for %s', async (_name, options) => {
  await writeFile(inProject('consumer.mts'), consumer)
  await writeFile(inProject('consumer.cts'), consumer)
  await writeFile(inProject('readme.mts'), codeBlocks(await readme(), 'ts'))
  const files = 'consumer.mts consumer.cts readme.mts'
  const says = await run(
    `node_modules/.bin/tsc --noEmit --strict --target es2022 --lib es2022 ${options} ${files}`,
  )
  expect(says).toBe('')
})

test('the example of its README runs against a server, and so does CommonJS', async () => {
  const { http, mqtt } = server.endpoints
  const port = Number(new URL(mqtt).port)
  const api = apiAt(http)
  const token = await logIn(api, 'admin@example.com', adminPassword)
  const onboarding = await prepareOnboarding(api, token, http, port)
  for (const deviceId of ['pump-7', 'pump-8']) await onboarding.onboard(deviceId)
  const text = await readme()
  const [, template] = /^\/\/ (\{"host".*\})$/m.exec(text)!
  const path = `/api/enrollment-groups/${onboarding.groupId}`
  const { status } = await api('PUT', path, { response_template: JSON.parse(template!) }, { token })
  expect(status).toBe(200)

  await writeFile(inProject('readme.mjs'), codeBlocks(text, 'ts').replaceAll('http://localhost:8080', http))
  await writeFile(
    inProject('device.cjs'),
    `${codeBlocks(text, 'js')}
    onboard({ onboardingUrl: '${http}', deviceId: 'pump-8', bootstrapKey: process.env.BOOTSTRAP_KEY })
      .then(async ({ host, port, primary }) => {
        const device = connect({ host, port: Number(port), deviceId: 'pump-8', primaryKey: primary })
        await device.sendTelemetry({ temperature: 22.5 })
        await device.close()
      })`,
  )
  for (const [deviceId, file, temperature] of [
    ['pump-7', 'readme.mjs', 21.5],
    ['pump-8', 'device.cjs', 22.5],
  ] as const) {
    const env = { PATH: process.env.PATH, BOOTSTRAP_KEY: onboarding.bootstrapKey }
    await execute(process.execPath, [inProject(file)], { cwd: inProject('.'), env })
    expect(await lastTemperature(api, token, deviceId)).toBe(temperature)
  }
})

const readme = () => readFile(inProject('node_modules/@gangway/device/README.md'), 'utf8')

async function lastTemperature(api: Api, token: string, assetId: string) {
  const items = [{ assetId, componentId: null, timeseries: [{ name: 'temperature', type: 'telemetry' }] }]
  const { body } = await api('POST', '/v1/timeseries/get/last', { items }, { token })
  return JSON.stringify(body)
    .match(/"value":([\d.]+)/)
    ?.slice(1)
    .map(Number)[0]
}
