/** The examples of README.md are run, word for word but for the ports. */
import { execFile, spawnSync } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { codeBlocks } from '../harness/code-blocks.ts'
import { adminPassword, apiAt } from '../harness/platform.ts'
import { startServerProcess } from '../harness/server-process.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const run = promisify(execFile)
const missing = ['bash', 'curl'].filter((program) => spawnSync(program, ['--version']).status !== 0)
if (missing.length > 0)
  console.log(`Skipped: the examples of README.md (${missing.join(', ')} is not installed)`)

test.skipIf(missing.length > 0)('the examples of README.md work', { timeout: 60_000 }, async () => {
  const readme = await readFile(join(root, 'README.md'), 'utf8')
  await using server = await startServerProcess()
  const { http, mqtt } = server.endpoints
  const ownPorts = (text: string) =>
    text.replaceAll('http://localhost:8080', http).replaceAll('1883', new URL(mqtt).port)

  const script = ownPorts(
    `set -euo pipefail\n${codeBlocks(readme, 'bash')}\necho; echo "BOOTSTRAP_KEY=$BOOTSTRAP_KEY TOKEN=$TOKEN"`,
  )
  const env = { PATH: process.env.PATH, GANGWAY_ADMIN_PASSWORD: adminPassword, HOME: server.dataDir }
  const { stdout } = await run('bash', ['-c', script], { cwd: root, env })
  expect(stdout).toContain('"value":21.5')
  expect(stdout).toContain('"name":"temperature_avg"')
  expect(stdout).toContain('"intervalSeconds":5')
  expect(stdout).toContain('"state":"active_unacknowledged"')
  expect(stdout).toContain('"value":194')
  expect(stdout).toContain('"status":"queued"')
  await expect
    .poll(() => clientOf(http, stdout))
    .toMatchObject({
      connection: { connected: false, disconnectReason: 'client_disconnected' },
    })

  // Beside the packages, where `@gangway/device` is found.
  const folder = await mkdtemp(join(root, 'node_modules', '.readme-'))
  try {
    await writeFile(join(folder, 'device.mjs'), codeBlocks(readme, 'ts'))
    const bootstrapKey = /BOOTSTRAP_KEY=(\S+)/.exec(stdout)![1]!
    await run(process.execPath, [join(folder, 'device.mjs')], {
      env: { ...env, GANGWAY: http, BOOTSTRAP_KEY: bootstrapKey },
    })
  } finally {
    await rm(folder, { recursive: true })
  }
  expect(server.output()).not.toMatch(/"level":(50|60)/)
})

/** As the last example but one reads it: online state follows within a moment. */
async function clientOf(http: string, stdout: string) {
  const token = /TOKEN=(\S+)/.exec(stdout)![1]!
  return (await apiAt(http)('GET', '/v1/providers/mqtt/clients/pump-7', undefined, { token })).body
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
