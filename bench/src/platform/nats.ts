/** Servers of NATS with JetStream, as processes: one alone, or a cluster. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { cleanUp } from '@gangway/server/dist/database/clean-up.js'

export interface Nats extends AsyncDisposable {
  /** The addresses of all servers. */
  url: string
  pids: number[]
}

/** @param count 1, or 3 for a cluster @throws if nats-server is not installed, or does not start */
export async function startNats(count: 1 | 3): Promise<Nats> {
  await using started = cleanUp()
  const directory = await mkdtemp(join(tmpdir(), 'gangway-bench-nats-'))
  started.use({ [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true }) })
  const routePorts = count === 1 ? [] : await Promise.all([freePort(), freePort(), freePort()])
  const servers: NatsServer[] = []
  for (let index = 0; index < count; index++) {
    const config = { name: `nats-${index}`, directory: join(directory, `${index}`), routePorts, index }
    const file = join(directory, `${index}.conf`)
    await writeFile(file, writeConfig(config))
    servers.push(started.use(await startServer(file)))
  }
  return {
    url: servers.map(({ url }) => url).join(','),
    pids: servers.map(({ process }) => process.pid!),
    ...started.keep(),
  }
}

interface ServerConfig {
  name: string
  directory: string
  /** Ports for the routes between the servers of the cluster; empty for a single server. */
  routePorts: number[]
  index: number
}

function writeConfig({ name, directory, routePorts, index }: ServerConfig): string {
  const routes = routePorts.map((port) => `nats-route://127.0.0.1:${port}`).join(', ')
  return [
    `server_name: "${name}"`,
    `jetstream { store_dir: "${directory}" }`,
    'max_payload: 2MB',
    ...(routes
      ? [`cluster { name: "bench", listen: "127.0.0.1:${routePorts[index]}", routes: [${routes}] }`]
      : []),
  ].join('\n')
}

interface NatsServer extends AsyncDisposable {
  url: string
  process: ChildProcess
}

async function startServer(configFile: string): Promise<NatsServer> {
  const child = spawn('nats-server', ['-a', '127.0.0.1', '-p', '-1', '-c', configFile], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const ended = once(child, 'exit').catch(() => {})
  const address = await untilReady(child)
  return {
    url: `nats://${address}`,
    process: child,
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL')
      await ended
    },
  }
}

/** @returns the address for clients */
const untilReady = (child: ChildProcess): Promise<string> =>
  new Promise((resolve, reject) => {
    let output = ''
    child.stderr!.on('data', (chunk) => {
      output += chunk
      const address = /Listening for client connections on (127\.0\.0\.1:\d+)/.exec(output)?.[1]
      if (address && output.includes('Server is ready')) resolve(address)
    })
    child.once('error', (error) => reject(new Error(`nats-server does not start: ${error.message}`)))
    child.once('exit', () => reject(new Error(`nats-server ended:\n${output}`)))
  })

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
