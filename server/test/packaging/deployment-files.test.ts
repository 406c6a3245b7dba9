/** compose.yaml, the Dockerfile and the systemd unit agree with each other, with `npm start` and with the configuration. */
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { readConfig } from '../../src/config.ts'
import { temporaryDirectory } from '../harness/temporary-directory.ts'
import { unitEnvironment, readUnitFile } from '../harness/unit-file.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const read = (name: string) => readFile(join(root, name), 'utf8')

const { services, volumes } = parse(await read('compose.yaml'))
const { gangway, postgres } = services
const dockerfile = await read('Dockerfile')
const unit = await readUnitFile(join(root, 'deploy/gangway.service'))
const startCommand = JSON.parse(await read('package.json')).scripts.start.replace(/^exec /, '')
const defaults = readConfig({})

test('the image and the unit start what npm start starts', () => {
  expect(JSON.parse(/^CMD (.*)$/m.exec(dockerfile)![1]!).join(' ')).toBe(startCommand)
  expect(unit.get('ExecStart')).toEqual([startCommand])
})

test('compose.yaml runs one server by default, whose data is in a named volume', () => {
  expect(gangway.profiles).toBeUndefined()
  expect(postgres.profiles).toEqual(['postgres'])
  expect(gangway.depends_on.postgres).toEqual({ condition: 'service_healthy', required: false })
  expect(gangway.init).toBe(true)
  const [volume, folder] = gangway.volumes[0].split(':')
  expect(volumes).toHaveProperty(volume)
  expect(dockerfile).toContain(`GANGWAY_DATA_DIR=${folder}\n`)
  expect(dockerfile).toContain(`VOLUME ${folder}\n`)
})

test('the published ports are the defaults of the configuration', () => {
  const ports = [defaults.httpPort, defaults.httpsPort, defaults.mqttPort, defaults.mqttsPort]
  expect(gangway.ports).toEqual(ports.map((port) => `${port}:${port}`))
  expect(dockerfile).toContain(`EXPOSE ${ports.join(' ')}\n`)
})

test('the health check of compose.yaml is that of the image, and asks /readyz', async () => {
  const command = /^HEALTHCHECK .*CMD (.*)$/m.exec(dockerfile)![1]!
  expect(gangway.healthcheck.test).toEqual(['CMD', ...JSON.parse(command)])
  expect(await read('scripts/check-ready.mjs')).toContain("'/readyz'")
})

test('every variable that these files set is one of the configuration', () => {
  const inImage = Object.fromEntries(
    [...dockerfile.matchAll(/\b((?:GANGWAY|DATABASE)_\w+)=(\S+)/g)].map(([, name, value]) => [name, value]),
  )
  for (const environment of [inImage, gangway.environment ?? {}, unitEnvironment(unit)])
    expect(() => readConfig(environment)).not.toThrow()
  expect(unitEnvironment(unit).GANGWAY_DATA_DIR).toBe(`/var/lib/${unit.get('StateDirectory')[0]}`)
})

test('the settings that docs/operating.md makes for a PostgreSQL beside the server fit compose.yaml', async () => {
  await using directory = await temporaryDirectory()
  const commands = (await read('docs/operating.md')).match(/^(?:password|printf).*$/gm)!
  execFileSync('sh', ['-ec', commands.join('\n').replace('openssl rand -hex 24', 'echo secret')], {
    cwd: directory.path,
  })
  const [settings, password] = await Promise.all(
    [gangway, postgres].map((service) => readFile(join(directory.path, service.env_file[0].path), 'utf8')),
  )
  expect(password).toBe('POSTGRES_PASSWORD=secret\n')
  const [, url] = /^DATABASE_URL=(.*)\n$/.exec(settings!)!
  expect(readConfig({ DATABASE_URL: url }).databaseUrl).toBe(url)
  const { POSTGRES_USER, POSTGRES_DB } = postgres.environment
  expect(url).toBe(`postgresql://${POSTGRES_USER}:secret@postgres/${POSTGRES_DB}`)
})

test('files with settings stay out of the repository', async () => {
  const ignored = await read('.gitignore')
  for (const service of [gangway, postgres]) expect(ignored).toContain(`/${service.env_file[0].path}\n`)
})

test('no package can be published by accident: their names are not registered', async () => {
  const { workspaces } = JSON.parse(await read('package.json'))
  for (const folder of ['.', ...workspaces])
    expect(JSON.parse(await read(`${folder}/package.json`)).private).toBe(true)
})

test('the stop timeout is long enough for a clean stop', () => {
  const seconds = [gangway.stop_grace_period, unit.get('TimeoutStopSec')[0]].map((text) =>
    Number.parseInt(text, 10),
  )
  for (const given of seconds) expect(given).toBeGreaterThan(25)
})

const analyze = (...args: string[]) => spawnSync('systemd-analyze', args, { encoding: 'utf8' })
const hasSystemd = analyze('--version').status === 0
// Where systemd looks for the program of a unit.
const hasNode = ['/usr/local/bin/node', '/usr/bin/node'].some((path) => existsSync(path))
if (!hasSystemd || !hasNode)
  console.log('Skipped: the systemd unit (it needs systemd-analyze, and node in /usr/local/bin or /usr/bin)')

test.skipIf(!hasSystemd || !hasNode)('systemd finds no fault with the unit, and its exposure is low', () => {
  const file = join(root, 'deploy/gangway.service')
  const { status, stderr, stdout } = analyze('verify', file)
  expect({ status, says: stdout + stderr }).toEqual({ status: 0, says: '' })
  const [, exposure] = /exposure level.*: ([\d.]+)/.exec(analyze('security', '--offline=true', file).stdout)!
  expect(Number(exposure)).toBeLessThan(2)
})
