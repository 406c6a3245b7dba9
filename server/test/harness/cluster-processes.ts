/**
 * The cluster of compose.cluster.yaml and of deploy/cluster as processes on loopback, without containers: the same commands,
 * variables and configuration files, with ports and paths of this machine in place of their own.
 *
 *     await using cluster = await prepareCluster(database.url)
 *     await cluster.start('nats-1')
 *     await cluster.stop('nats-1', 'SIGKILL')
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { vi } from 'vitest'
import { parse } from 'yaml'
import { isUp, type Running, runProgram } from './running-program.ts'
import { findFreePort } from './free-port.ts'
import { temporaryDirectory } from './temporary-directory.ts'
import { readUnitFile, unitEnvironment } from './unit-file.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const read = (path: string) => readFile(join(root, path), 'utf8')

const nodePorts = [8080, 8443, 1883, 8883]
const natsPorts = [4222, 6222, 8222]
/** The ports that each service listens on. */
const ports: Record<string, number[]> = {
  'node-1': nodePorts,
  'node-2': nodePorts,
  'node-3': nodePorts,
  'nats-1': natsPorts,
  'nats-2': natsPorts,
  'nats-3': natsPorts,
  balancer: [...nodePorts, 8404],
}

export interface ClusterProcesses extends AsyncDisposable {
  /** Starts a service of compose.cluster.yaml. @returns once its health check passes */
  start(name: string): Promise<void>
  /** Starts the units of deploy/ in the place of a service. @returns once it accepts connections */
  startUnit(name: string): Promise<void>
  /** @returns the exit code, or the signal that ended it */
  stop(name: string, signal?: NodeJS.Signals): Promise<number | string>
  /** `127.0.0.1:port` of a port that compose.cluster.yaml names. */
  address(name: string, port: number): string
  /** The folder that deploy/cluster/prepare.sh made. */
  settings: string
  output(name: string): string
}

/** How a service is started, in the words of its container or machine. */
interface Plan {
  command: string[]
  environment: Record<string, string>
  /** Paths there, and what they are here. */
  paths: [there: string, here: string][]
}

/** Prints the reason if a program is missing. */
export function skipWithoutCluster(subject: string): boolean {
  const missing = ['nats-server', 'haproxy', 'openssl'].filter((program) => spawnSync(program, ['-v']).error)
  if (missing.length > 0) console.log(`Skipped: ${subject} (not installed: ${missing.join(', ')})`)
  return missing.length > 0
}

export async function prepareCluster(databaseUrl: string): Promise<ClusterProcesses> {
  const directory = await temporaryDirectory()
  const settings = join(directory.path, 'cluster')
  execFileSync(join(root, 'deploy/cluster/prepare.sh'), ['localhost', settings])
  const chosen = new Map<string, number>()
  for (const [name, all] of Object.entries(ports))
    for (const port of all) chosen.set(`${name}:${port}`, await findFreePort())
  const running = new Map<string, Running>()
  const { services } = parse(await read('compose.cluster.yaml'), { merge: true })

  const findPort = (name: string, port: string | number) => {
    const found = chosen.get(`${name}:${port}`)
    if (found === undefined) throw new Error(`${name} has no port ${port}`)
    return found
  }
  const address = (name: string, port: string | number) => `127.0.0.1:${findPort(name, port)}`
  /** Replaces each `host:port`; the wildcard and the loopback address are those of the service itself. */
  const withPorts = (self: string, text: string) =>
    text.replaceAll(
      /(\b(?:node|nats)-\d|localhost|0\.0\.0\.0|127\.0\.0\.1|(?<=bind )):(\d+)(?: port (\d+))?/g,
      (_, host: string, port: string, checked?: string) => {
        // The public address is that of the load balancer.
        const name = host === 'localhost' ? 'balancer' : host in ports ? host : self
        return address(name, port) + (checked ? ` port ${findPort(name, checked)}` : '')
      },
    )

  /** A configuration file is replaced by a copy with the ports of this machine. */
  async function toArgument(self: string, { paths }: Plan, word: string) {
    const here = toPath(paths, word)
    if (!/\.(cfg|conf)$/.test(here)) return here
    const copy = join(directory.path, `${self}-${basename(here)}`)
    await writeFile(copy, withPorts(self, await readFile(here, 'utf8')))
    return copy
  }

  async function launch(name: string, plan: Plan) {
    const environment = Object.fromEntries(
      Object.entries(plan.environment).map(([key, value]) => [
        key,
        toPath(plan.paths, withPorts(name, value)),
      ]),
    )
    const command = await Promise.all(plan.command.map((word) => toArgument(name, plan, word)))
    const own = name.startsWith('node-') ? nodeEnvironment(name) : {}
    running.set(name, runProgram(command, { cwd: root, environment: { ...environment, ...own } }))
    return { ...environment, ...own }
  }
  const nodeEnvironment = (name: string) => ({
    DATABASE_URL: databaseUrl,
    GANGWAY_HTTP_HOST: '127.0.0.1',
    GANGWAY_HTTP_PORT: `${findPort(name, 8080)}`,
    GANGWAY_HTTPS_PORT: `${findPort(name, 8443)}`,
    GANGWAY_MQTT_PORT: `${findPort(name, 1883)}`,
    GANGWAY_MQTTS_PORT: `${findPort(name, 8883)}`,
    GANGWAY_RATE_LIMIT_STANDARD: '999999999',
  })
  /** An address that the health check of a container asks, or the script of the image. */
  const isHealthy = async (name: string, environment: Record<string, string>) => {
    const [, ...command] = services[name].healthcheck.test
    const url = withPorts(name, command.at(-1))
    if (url.startsWith('http:')) return (await fetch(url).catch(() => undefined))?.ok === true
    await using check = runProgram(command, { cwd: root, environment })
    return (await check.ended) === 0
  }

  return {
    settings,
    address,
    output: (name) => running.get(name)?.output() ?? '',
    async start(name) {
      const environment = await launch(name, await readService(services, name, directory.path))
      if (name.startsWith('node-')) await isUp(running.get(name)!)
      const { ended, output } = running.get(name)!
      const isOver = ended.then(() => true)
      await vi.waitUntil(
        async () => {
          if (await Promise.race([isOver, false])) throw new Error(`${name} ended:\n${output()}`)
          return isHealthy(name, environment)
        },
        { interval: 100 },
      )
    },
    async startUnit(name) {
      await launch(name, await readUnit(name, directory.path))
      if (name.startsWith('node-')) await isUp(running.get(name)!)
    },
    async stop(name, signal = 'SIGTERM') {
      const { child, ended } = running.get(name)!
      child.kill(signal)
      return ended
    },
    [Symbol.asyncDispose]: async () => {
      for (const each of [...running.values()].toReversed()) await each[Symbol.asyncDispose]()
      await directory[Symbol.asyncDispose]()
    },
  }
}

const toPath = (paths: Plan['paths'], word: string) => {
  const found = paths.find(([there]) => word === there || word.startsWith(`${there}/`))
  return found ? found[1] + word.slice(found[0].length) : word
}

const readVariables = (text: string) =>
  Object.fromEntries([...text.matchAll(/^([A-Z_]+)=(.*)$/gm)].map(([, name, value]) => [name!, value!]))

interface Service {
  command?: string[]
  environment?: Record<string, string>
  env_file?: string[]
  volumes: string[]
}

/** The command of its image, its variables and its volumes. */
async function readService(
  services: Record<string, Service>,
  name: string,
  directory: string,
): Promise<Plan> {
  const service = services[name]!
  const files = await Promise.all(
    (service.env_file ?? []).map((path) => readFile(join(directory, path), 'utf8')),
  )
  const image = await readImage(name, service)
  return {
    command: image.command,
    environment: {
      ...image.environment,
      ...Object.assign({}, ...files.map(readVariables)),
      ...service.environment,
    },
    paths: await mount(service.volumes, directory),
  }
}

/** Returns the start command and the environment of a container image. HAProxy stays in the foreground. */
async function readImage(name: string, { command = [] }: Service) {
  if (name.startsWith('nats-')) return { command: ['nats-server', ...command], environment: {} }
  if (name === 'balancer')
    return { command: ['haproxy', '-db', '-f', '/usr/local/etc/haproxy/haproxy.cfg'], environment: {} }
  const dockerfile = await read('Dockerfile')
  const last = dockerfile.slice(dockerfile.lastIndexOf('\nFROM '))
  const variables = [.../^ENV (.*)$/m.exec(last)![1]!.matchAll(/(\w+)=(\S+)/g)]
  return {
    command: JSON.parse(/^CMD (.*)$/m.exec(last)![1]!) as string[],
    environment: Object.fromEntries(variables.map(([, key, value]) => [key!, value!])),
  }
}

/** Makes the folders of volumes; one that is mounted into another becomes a link there. */
async function mount(volumes: string[], directory: string): Promise<Plan['paths']> {
  const paths: Plan['paths'] = []
  for (const volume of volumes) {
    const [source, there] = volume.split(':') as [string, string]
    const here = source.startsWith('./cluster/')
      ? join(directory, source)
      : source.startsWith('./')
        ? join(root, source)
        : join(directory, 'volumes', source)
    if (!source.startsWith('./')) await mkdir(here, { recursive: true })
    const parent = paths.find(([path]) => there.startsWith(`${path}/`))
    if (parent) await symlink(here, parent[1] + there.slice(parent[0].length)).catch(() => {})
    else paths.push([there, here])
  }
  return paths
}

/** The unit, and what deploy/cluster adds to it. */
async function readUnit(name: string, directory: string): Promise<Plan> {
  const names = name.startsWith('nats-')
    ? ['deploy/cluster/gangway-nats.service']
    : ['deploy/gangway.service', 'deploy/cluster/gangway-cluster.conf']
  const units = await Promise.all(names.map((path) => readUnitFile(join(root, path))))
  const state = join(directory, 'volumes', name)
  await mkdir(state, { recursive: true })
  const paths: Plan['paths'] = [
    ['/opt/gangway', root.replace(/\/$/, '')],
    ['/etc/gangway', join(directory, 'cluster')],
    [`/var/lib/${units[0]!.get('StateDirectory')[0]}`, state],
  ]
  await writeFile(join(directory, 'cluster/nats-name.env'), `NATS_NAME=${name}\n`)
  const files = units
    .flatMap((unit) => unit.get('EnvironmentFile'))
    // With a dash the file may be missing.
    .filter((path) => !path.startsWith('-'))
    .map((path) => readFile(toPath(paths, path), 'utf8'))
  return {
    command: units[0]!.get('ExecStart')[0]!.split(' '),
    environment: Object.assign(
      {},
      ...units.map(unitEnvironment),
      ...(await Promise.all(files)).map(readVariables),
    ),
    paths,
  }
}
