/** compose.yaml, compose.cluster.yaml, the Dockerfile and the systemd units agree with each other, with `npm start` and with the configuration. */
import { execFileSync, spawnSync } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { readConfig } from '../../src/config.ts'
import { HUB_GRACE_MS } from '../../src/providers/kinds/iothub/invoke-method.ts'
import { MAX_TIMEOUT_SECONDS } from '../../src/providers/methods/invocation.ts'
import { ANSWER_MS } from '../../src/system/readiness.ts'
import { temporaryDirectory } from '../harness/temporary-directory.ts'
import { unitEnvironment, readUnitFile } from '../harness/unit-file.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const read = (name: string) => readFile(join(root, name), 'utf8')

const { services, volumes } = parse(await read('compose.yaml'))
const { gangway, postgres } = services
const dockerfile = await read('Dockerfile')
const unit = await readUnitFile(join(root, 'deploy/gangway.service'))
const cluster = parse(await read('compose.cluster.yaml'), { merge: true })
const nodes = ['node-1', 'node-2', 'node-3'].map((name) => cluster.services[name])
const clusterUnit = await readUnitFile(join(root, 'deploy/cluster/gangway-cluster.conf'))
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

test('the nodes of compose.cluster.yaml differ in their volumes alone, and agree with compose.yaml and the unit', () => {
  const [first, ...others] = nodes.map(({ volumes: _, ...node }) => node)
  for (const other of others) expect(other).toEqual(first)
  const { ports: _, volumes: __, env_file: ___, depends_on: ____, shm_size: _____, ...common } = gangway
  expect(first).toMatchObject({ ...common, stop_grace_period: first.stop_grace_period })
  expect(cluster.services.postgres).toMatchObject({
    image: postgres.image,
    healthcheck: postgres.healthcheck,
  })
  expect(cluster.services.balancer.ports).toEqual(gangway.ports)
  // The unit has the same settings, with its own paths; roles have a default.
  const { GANGWAY_ROLES: roles, ...settings } = first.environment
  expect(readConfig({ GANGWAY_ROLES: roles }).roles).toEqual(defaults.roles)
  const ofUnit = Object.entries(unitEnvironment(clusterUnit)).map(([name, value]) => [
    name,
    value.replace(/^\/etc\/gangway\//, '/'),
  ])
  expect(Object.fromEntries(ofUnit)).toEqual(settings)
  const { drainSeconds } = readConfig(settings)
  const grace = [first.stop_grace_period, clusterUnit.get('TimeoutStopSec')[0]]
  for (const seconds of grace) expect(Number.parseInt(seconds, 10)).toBeGreaterThan(25 + drainSeconds)
})

/** The time-outs of a section of the load balancer's configuration, in seconds. */
async function readTimeouts(section: string) {
  const sections = (await read('deploy/cluster/haproxy.cfg')).split(/^(?=\S)/m)
  const lines = sections.find((text) => text.startsWith(`${section}\n`))!
  return Object.fromEntries(
    [...lines.matchAll(/^ {2}timeout (\w+) (\d+)s$/gm)].map(([, name, seconds]) => [name, Number(seconds)]),
  )
}

test('the load balancer waits for /readyz while a part of a node hangs', async () => {
  const { check } = await readTimeouts('defaults')
  expect(check).toBeGreaterThan(ANSWER_MS / 1000)
})

test('the load balancer waits for the longest direct method', async () => {
  const { server } = await readTimeouts('backend http')
  expect(server).toBeGreaterThan(MAX_TIMEOUT_SECONDS + HUB_GRACE_MS / 1000)
})

test('each volume of compose.cluster.yaml is declared, and belongs to one service unless it is shared', () => {
  const named = Object.values<{ volumes?: string[] }>(cluster.services).flatMap(({ volumes: own = [] }) =>
    own.map((volume) => volume.split(':')[0]!).filter((name) => !name.startsWith('.')),
  )
  expect(new Set(named)).toEqual(new Set(Object.keys(cluster.volumes)))
  const shared = named.filter((name, index) => named.indexOf(name) !== index)
  expect(new Set(shared)).toEqual(new Set(['files']))
})

test('what prepare.sh makes is what the services read, and it changes nothing twice', async () => {
  await using directory = await temporaryDirectory()
  const prepare = (host: string, folder: string) =>
    spawnSync(join(root, 'deploy/cluster/prepare.sh'), [host, join(directory.path, folder)], {
      encoding: 'utf8',
    })
  expect(prepare('iot.example.com', 'cluster').status).toBe(0)
  const made = await Promise.all(
    ['node.env', 'nats.env', 'postgres.env'].map((name) =>
      readFile(join(directory.path, 'cluster', name), 'utf8'),
    ),
  )
  const variables = Object.fromEntries(
    made.flatMap((text) => [...text.matchAll(/^(\w+)=(.+)$/gm)].map(([, name, value]) => [name!, value!])),
  )
  const { NATS_PASSWORD, NATS_ROUTES, POSTGRES_PASSWORD, ...ofNodes } = variables
  const config = readConfig(ofNodes)
  expect(config.databaseUrl).toBe(`postgresql://gangway:${POSTGRES_PASSWORD}@postgres/gangway`)
  expect(config.publicUrl).toBe('http://iot.example.com:8080')
  expect(config.secretKey).toHaveLength(32)
  const servers = Object.keys(cluster.services).filter((name) => name.startsWith('nats-'))
  expect(config.natsUrl).toMatchObject({
    addresses: servers.map((name) => `${name}:4222`),
    password: NATS_PASSWORD,
  })
  expect(NATS_ROUTES).toBe(
    `[${servers.map((name) => `nats://gangway:${NATS_PASSWORD}@${name}:6222`).join()}]`,
  )
  expect(await read('.gitignore')).toContain('/cluster/\n')
  const again = prepare('iot.example.com', 'cluster')
  expect([again.status, again.stderr]).toEqual([1, expect.stringContaining('nothing was changed')])
  const certificate = async (folder: string) =>
    new X509Certificate(await readFile(join(directory.path, folder, 'tls/server.crt')))
  expect((await certificate('cluster')).checkHost('iot.example.com')).toBe('iot.example.com')
  expect(prepare('192.0.2.7', 'by-address').status).toBe(0)
  expect((await certificate('by-address')).checkIP('192.0.2.7')).toBe('192.0.2.7')
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

test.skipIf(!hasSystemd || !existsSync('/usr/sbin/nats-server'))(
  'systemd finds no fault with the unit of NATS, and its exposure is low',
  () => {
    const file = join(root, 'deploy/cluster/gangway-nats.service')
    const { status, stderr, stdout } = analyze('verify', file)
    expect({ status, says: stdout + stderr }).toEqual({ status: 0, says: '' })
    const [, exposure] = /exposure level.*: ([\d.]+)/.exec(
      analyze('security', '--offline=true', file).stdout,
    )!
    expect(Number(exposure)).toBeLessThan(2)
  },
)
