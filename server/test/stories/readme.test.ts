/** Runs the examples of README.md and of the guide in docs/ on one server, unchanged except for the ports. */
import { execFile } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { codeBlocks } from '../harness/code-blocks.ts'
import { findPythonWithPaho, missingPrograms, root } from '../harness/example-programs.ts'
import { expectAnswers, joinScripts, readExamples } from '../harness/guide-examples.ts'
import { adminPassword, apiAt } from '../harness/platform.ts'
import { type ServerProcess, startServerProcess } from '../harness/server-process.ts'

const run = promisify(execFile)
const missing = missingPrograms(['bash', 'curl', 'openssl'])
if (missing.length > 0)
  console.log(`Skipped: the examples of README.md and docs/mqtt.md (${missing.join(', ')} is not installed)`)
const missingMosquitto = missingPrograms(['mosquitto_pub', 'mosquitto_sub'], '--help')
const python = findPythonWithPaho()
if (missingMosquitto.length > 0)
  console.log(`Skipped: the examples of docs/mqtt.md (${missingMosquitto.join(', ')} is not installed)`)
if (!python) console.log('Skipped: the Python of docs/mqtt.md (python3 with paho-mqtt is not installed)')

let server: ServerProcess
beforeAll(async () => {
  if (missing.length === 0) server = await startServerProcess()
})
afterAll(() => server?.[Symbol.asyncDispose]())

/** Replaces the default addresses by those of the test's server. */
function withOwnAddresses(text: string): string {
  const { http, https, mqtt, mqtts } = server.endpoints
  const own = new Map([
    ['http://localhost:8080', http],
    ['https://localhost:8443', https.replace('127.0.0.1', 'localhost')],
    ['1883', new URL(mqtt).port],
    ['8883', new URL(mqtts).port],
  ])
  return text.replaceAll(/http:\/\/localhost:8080|https:\/\/localhost:8443|\b[18]883\b/g, (found) =>
    own.get(found)!,
  )
}

/** These have tests of their own, or no examples that could be run here. */
const ownTest = ['mqtt.md', 'operating.md', 'backup.md']
const pages = readdirSync(join(root, 'docs')).filter(
  (name) => name.endsWith('.md') && !ownTest.includes(name),
)
const readPage = async (name: string) => withOwnAddresses(await readFile(join(root, 'docs', name), 'utf8'))
const runScript = (script: string) =>
  run('bash', ['-c', `set -euo pipefail\n${script}`], { cwd: root, env: environment(), timeout: 200_000 })

describe.skipIf(missing.length > 0)('the examples of the guide work:', () => {
  /** The script that the pages share: the variables and functions of the first example. */
  let setUp: string
  beforeAll(async () => {
    const [first] = readExamples(await readPage('getting-started.md'))
    const names = 'GANGWAY TOKEN ORGANIZATION; declare -f field api'
    setUp = (await runScript(`${first!.script}\ndeclare -p ${names}`)).stdout
  })

  test.concurrent.for(pages)('docs/%s', async (name) => {
    const examples = readExamples(await readPage(name))
    const { stdout } = await runScript(`${setUp}\n${joinScripts(examples)}`)
    expectAnswers(examples, stdout)
  })
})

const environment = () => ({
  PATH: process.env.PATH!,
  HOME: server.dataDir,
  GANGWAY_ADMIN_PASSWORD: adminPassword,
})

/** @param end runs after the examples */
function runExamples(
  markdown: string,
  end: string,
  options: { cwd?: string; env?: Record<string, string> } = {},
) {
  const script = `set -euo pipefail\n${withOwnAddresses(codeBlocks(markdown, 'bash'))}\necho; ${end}`
  return run('bash', ['-c', script], { cwd: root, env: environment(), ...options })
}

async function runModule(source: string, env: Record<string, string>) {
  // Next to the packages, where `mqtt` and `@gangway/device` are found.
  const folder = await mkdtemp(join(root, 'node_modules', '.readme-'))
  try {
    const path = join(folder, 'device.mjs')
    await writeFile(path, source.replace('localhost:8080', new URL(server.endpoints.http).host))
    await run(process.execPath, [path], { env: { ...environment(), ...env } })
  } finally {
    await rm(folder, { recursive: true })
  }
}

test.skipIf(missing.length > 0)('the examples of README.md work', async () => {
  const readme = await readFile(join(root, 'README.md'), 'utf8')
  const { http } = server.endpoints
  const { stdout } = await runExamples(readme, 'echo "BOOTSTRAP_KEY=$BOOTSTRAP_KEY TOKEN=$TOKEN"')
  expect(stdout).toContain('"value":21.5')
  expect(stdout).toContain('"name":"temperature_avg"')
  expect(stdout).toContain('"intervalSeconds":5')
  expect(stdout).toContain('"state":"active_unacknowledged"')
  expect(stdout).toContain('"value":194')
  expect(stdout).toContain(
    '"keptUnder":[{"remoteEndpointId":"pump-7/-/telemetry/temperature","assetId":"hall-pump"',
  )
  expect(stdout).toContain('"status":"queued"')
  await expect
    .poll(() => getClient(http, stdout, 'pump-7'))
    .toMatchObject({
      connection: { connected: false, disconnectReason: 'client_disconnected' },
    })

  const bootstrapKey = /BOOTSTRAP_KEY=(\S+)/.exec(stdout)![1]!
  await runModule(codeBlocks(readme, 'ts'), { GANGWAY: http, BOOTSTRAP_KEY: bootstrapKey })
  expect(server.output()).not.toMatch(/"level":(50|60)/)
})

test.skipIf(missing.length > 0)('the examples of README.md show reasons of refusals', async () => {
  const readme = await readFile(join(root, 'README.md'), 'utf8')
  const env = { ...environment(), GANGWAY_ADMIN_PASSWORD: 'wrong password' }
  await expect(runExamples(readme, 'true', { env })).rejects.toMatchObject({
    stdout: '',
    stderr: expect.stringContaining('The email or the password is wrong.'),
  })
})

test.skipIf(missing.length > 0 || missingMosquitto.length > 0)(
  'the examples of docs/mqtt.md work, including the minimal device in Python',
  async () => {
    const page = await readFile(join(root, 'docs', 'mqtt.md'), 'utf8')
    const { stdout } = await runExamples(page, 'echo "KEY=$KEY TOKEN=$TOKEN"', {
      cwd: server.dataDir,
    })
    expect(stdout).toContain('"name":"pump.temperature","value":21.5,"timestamp":"2025-01-31T08:00:00.000Z"')
    expect(stdout).toContain('"reason":"not_json"')
    expect(stdout).toMatch(/\{(?=.*"intervalSeconds":5)(?=.*"firmware":"1.4.2")/)
    expect(stdout).toContain('{"status":200,"payload":{"blinking":true}}')
    expect(server.output()).toContain('a subscription was refused')
    const [KEY, token] = [/KEY=(\S+)/.exec(stdout)![1]!, /TOKEN=(\S+)/.exec(stdout)![1]!]
    const least = withOwnAddresses(codeBlocks(page, 'python'))
    if (python) await run(python, ['-c', least], { env: { ...environment(), DEVICE: 'pump-8', KEY } })
    await runModule(codeBlocks(page, 'js'), { DEVICE: 'pump-8', KEY })
    await expect
      .poll(() => getClient(server.endpoints.http, stdout, 'pump-8'))
      .toMatchObject({
        connection: {
          refusedReason: 'topic_not_allowed',
          refusedMessage:
            'The device may subscribe to devices/pump-8/# only, not to devices/other/twin/desired.',
        },
      })

    const post = (path: string, body: object) => apiAt(server.endpoints.http)('POST', path, body, { token })
    const timeseries = ['temperature', 'over', 'pressure'].map((name) => ({ name, type: 'telemetry' }))
    const items = [{ assetId: 'pump-8', componentId: null, timeseries }]
    const { body } = await post('/v1/timeseries/get/last', { items })
    const values = body.items.map(({ value }: { value: unknown }) => value)
    expect(values).toEqual([python ? 22.5 : 21.5, 'WebSocket', 2.2])

    for (const [, parser, payload] of page.matchAll(/^\| `([a-z-]+)`(?: \(default\))? \| `(.+?)`/gm)) {
      const options = parser === 'jmespath' ? { expression: '@' } : {}
      const tried = await post('/v1/parsers/try', { parser, options, payload })
      const { deadLetter, samples } = tried.body
      expect({ parser, deadLetter, value: samples?.[0]?.value }).toEqual({
        parser,
        deadLetter: null,
        value: 21.5,
      })
    }
  },
)

/** Waits until the online state is stored. */
async function getClient(http: string, stdout: string, id: string) {
  const token = /TOKEN=(\S+)/.exec(stdout)![1]!
  return (await apiAt(http)('GET', `/v1/providers/mqtt/clients/${id}`, undefined, { token })).body
}

test('the version is the same everywhere', async () => {
  const { version } = await import('../../src/version.ts')
  for (const folder of ['.', 'server', 'device', 'demo'])
    expect(JSON.parse(await readFile(join(root, folder, 'package.json'), 'utf8')).version).toBe(version)
})

test('every variable of the configuration is in README.md, and none that is not', async () => {
  const [config, readme] = await Promise.all(
    ['server/src/config.ts', 'README.md'].map((name) => readFile(join(root, name), 'utf8')),
  )
  const names = (text: string) => new Set(text.match(/\b(GANGWAY_[A-Z_]+|DATABASE_URL)\b/g))
  expect(names(readme!)).toEqual(names(config!))
})

test('every reason for refusing a device is in the guide to MQTT or to certificates', async () => {
  const sources = ['providers/live-sessions.ts', 'mqtt/sessions/presence.ts', 'ingest/unreadable.ts']
  const guides = await Promise.all(
    ['mqtt.md', 'certificates.md'].map((name) => readFile(join(root, 'docs', name), 'utf8')),
  )
  const guide = guides.join('\n')
  for (const source of sources) {
    const text = await readFile(join(root, 'server/src', source), 'utf8')
    const reasons = [...text.matchAll(/^  (?:\| )?'([a-z_]+)',?$/gm)].map(([, reason]) => reason!)
    expect(reasons.length).toBeGreaterThan(4)
    expect(reasons.filter((reason) => !guide.includes(`\`${reason}\``))).toEqual([])
  }
})
