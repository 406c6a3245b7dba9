/**
 * A NATS server with JetStream, which a test can kill and start again:
 *
 *     const skip = skipWithoutNats('messages between nodes')
 *     test.skipIf(skip)('…', async () => {
 *       await using nats = await startNats()
 *       await nats.kill()
 *       await nats.start()
 *     })
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { findFreePort } from './free-port.ts'
import { temporaryDirectory } from './temporary-directory.ts'

export interface NatsServer extends AsyncDisposable {
  url: string
  kill(): Promise<void>
  /** It does nothing until it is thawed, and keeps its connections. */
  freeze(): void
  thaw(): void
  /** @returns once it accepts connections, at the same address as before */
  start(): Promise<void>
  /** Keeps a copy of what the server, which must not run, has stored. */
  saveStore(): Promise<void>
  /** Puts the copy back, as if what came after it had not reached the disk. */
  restoreStore(): Promise<void>
}

/** Prints the reason if NATS is missing. */
export function skipWithoutNats(subject: string): boolean {
  const isInstalled = spawnSync('nats-server', ['--version']).status === 0
  if (!isInstalled) console.log(`Skipped: ${subject} (nats-server is not installed)`)
  return !isInstalled
}

/** @param port -1 for any free one @param config further settings, in the server's own language */
export async function startNats({ port = -1, config = '', hasJetStream = true } = {}): Promise<NatsServer> {
  const directory = await temporaryDirectory()
  const configFile = join(directory.path, 'nats.conf')
  const [store, copy] = [join(directory.path, 'store'), join(directory.path, 'copy')]
  let child: ChildProcess | undefined
  const kill = async () => {
    if (!child) return
    const exited = once(child, 'exit')
    child.kill('SIGKILL')
    child = undefined
    await exited
  }
  const server: NatsServer = {
    url: '',
    kill,
    freeze: () => void child?.kill('SIGSTOP'),
    thaw: () => void child?.kill('SIGCONT'),
    start: async () => {
      const jetStream = hasJetStream ? `jetstream { store_dir: "${store}" }` : ''
      await writeFile(configFile, `${jetStream}\n${config}\n`)
      child = spawn('nats-server', ['-a', '127.0.0.1', '-p', `${port}`, '-c', configFile], {
        stdio: ['ignore', 'ignore', 'pipe'],
      })
      const address = await listening(child)
      port = Number(address.split(':')[1])
      server.url = `nats://${address}`
    },
    saveStore: () => cp(store, copy, { recursive: true }),
    restoreStore: async () => {
      await rm(store, { recursive: true })
      await cp(copy, store, { recursive: true })
    },
    [Symbol.asyncDispose]: async () => {
      await kill()
      await directory[Symbol.asyncDispose]()
    },
  }
  await server.start()
  return server
}

/** Three servers with one JetStream; each may be killed and started. */
export interface NatsCluster extends AsyncDisposable {
  servers: NatsServer[]
  /** The addresses of all. */
  url: string
}

/** Clients know the servers whose addresses they are given, and no others. */
export async function startNatsCluster(config = ''): Promise<NatsCluster> {
  const routePorts = await Promise.all([findFreePort(), findFreePort(), findFreePort()])
  const routes = routePorts.map((port) => `nats-route://127.0.0.1:${port}`).join(', ')
  const servers = await Promise.all(
    routePorts.map(async (port, index) =>
      startNats({
        port: await findFreePort(),
        config: `server_name: "nats-${index}"\ncluster { name: "test", listen: "127.0.0.1:${port}", routes: [${routes}], no_advertise: true }\n${config}`,
      }),
    ),
  )
  return {
    servers,
    url: servers.map(({ url }) => url).join(','),
    [Symbol.asyncDispose]: async () => {
      await Promise.all(servers.map((server) => server[Symbol.asyncDispose]()))
    },
  }
}

function listening(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = ''
    child.stderr!.on('data', (chunk) => {
      output += chunk
      const address = /Listening for client connections on (127\.0\.0\.1:\d+)/.exec(output)?.[1]
      if (address && output.includes('Server is ready')) resolve(address)
    })
    child.once('exit', () => reject(new Error(`nats-server ended:\n${output}`)))
  })
}

/** For `describe.each`: what carries the messages between nodes. CI has NATS, so there a missing one fails. */
export const carriers = (subject: string): { carrier: string; start: () => Promise<Carrier> }[] => [
  {
    carrier: 'the database',
    start: async () => ({ environment: {}, [Symbol.asyncDispose]: async () => {} }),
  },
  ...(skipWithoutNats(subject) && !process.env.CI ? [] : [{ carrier: 'NATS', start: startCarrier }]),
]

export interface Carrier extends AsyncDisposable {
  /** Variables of the nodes. */
  environment: Record<string, string>
}

async function startCarrier(): Promise<Carrier> {
  const nats = await startNats()
  return {
    environment: { GANGWAY_NATS_URL: nats.url },
    [Symbol.asyncDispose]: () => nats[Symbol.asyncDispose](),
  }
}
