/**
 * The built server as a process of its own, as `npm start` runs it: for stories that kill it.
 *
 *     await using server = await startServerProcess()
 *     await server.kill('SIGKILL')
 *     await server.start()
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { inject } from 'vitest'
import type { Endpoints } from '../../src/runtime.ts'
import { adminPassword } from './first-administrator.ts'
import { findFreePort } from './free-port.ts'
import { copyPreparedDirectory } from './prepared-data-directory.ts'

const mainFile = fileURLToPath(new URL('../../dist/bundle/main.js', import.meta.url))
/** The options of `npm start`, for which the bundle was compiled. */
const nodeOptions = ['--max-semi-space-size=64']
/** Longer than the server's own limit for stopping; only a hanging server reaches it. */
const STOP_MS = 60_000

export interface ServerProcess extends AsyncDisposable {
  dataDir: string
  endpoints: Required<Pick<Endpoints, 'http' | 'onboarding' | 'https' | 'mqtt' | 'mqtts'>>
  pid(): number
  /** Its output so far, of both streams. */
  output(): string
  /** @returns once it accepts connections, at the same addresses as before */
  start(): Promise<void>
  /** @returns the exit code, or the signal that ended it */
  kill(signal: NodeJS.Signals): Promise<number | NodeJS.Signals>
}

/**
 * @param environment on top of free ports, a data directory of its own and the administrator's password
 * @param options.isFirstStart whether it makes its database itself, instead of starting on a prepared one
 */
export async function startServerProcess(
  environment: Record<string, string> = {},
  { isFirstStart = false } = {},
): Promise<ServerProcess> {
  if (!inject('isBuilt')) throw new Error('The server does not compile; the compiler said why above.')
  const given = environment.GANGWAY_DATA_DIR
  const dataDir = given ?? (await mkdtemp(join(tmpdir(), 'gangway-story-')))
  await chmod(dataDir, 0o711)
  if (!given && !environment.DATABASE_URL && !isFirstStart) await prepareDataDir(dataDir)
  const [http, https, mqtt, mqtts] = await Promise.all([
    findFreePort(),
    findFreePort(),
    findFreePort(),
    findFreePort(),
  ])
  const env = {
    PATH: process.env.PATH,
    GANGWAY_DATA_DIR: dataDir,
    GANGWAY_HTTP_HOST: '127.0.0.1',
    GANGWAY_HTTP_PORT: `${http}`,
    GANGWAY_HTTPS_PORT: `${https}`,
    GANGWAY_MQTT_PORT: `${mqtt}`,
    GANGWAY_MQTTS_PORT: `${mqtts}`,
    GANGWAY_ADMIN_PASSWORD: adminPassword,
    GANGWAY_LOG_LEVEL: 'warn',
    GANGWAY_RATE_LIMIT_STANDARD: '999999999',
    ...environment,
  }
  let child: ChildProcess
  let output = ''

  const server: ServerProcess = {
    dataDir,
    endpoints: {} as ServerProcess['endpoints'],
    pid: () => child.pid!,
    output: () => output,
    start: async () => {
      child = spawn(process.execPath, [...nodeOptions, mainFile], { env, stdio: ['ignore', 'pipe', 'pipe'] })
      await untilUp(child, (text) => (output += text))
      server.endpoints = JSON.parse(await readFile(join(dataDir, 'endpoints.json'), 'utf8'))
    },
    kill: async (signal) => {
      if (child.exitCode !== null || child.signalCode !== null) return child.exitCode ?? child.signalCode!
      const exited = once(child, 'exit')
      child.kill(signal)
      const [code, by] = await exited
      return code ?? by
    },
    [Symbol.asyncDispose]: async () => {
      const cut = setTimeout(() => child.kill('SIGKILL'), STOP_MS)
      await server.kill('SIGTERM')
      clearTimeout(cut)
      if (given === undefined) await rm(dataDir, { recursive: true, force: true })
    },
  }
  await server.start()
  return server
}

/** Makes an empty data directory one in which a server has started before, which is faster than a first start. */
export const prepareDataDir = (dataDir: string): Promise<void> => copyPreparedDirectory(dataDir, startOnce)

async function startOnce(dataDir: string) {
  await (await startServerProcess({ GANGWAY_DATA_DIR: dataDir }))[Symbol.asyncDispose]()
}

function untilUp(child: ChildProcess, onOutput: (text: string) => void) {
  return new Promise<void>((resolve, reject) => {
    let seen = ''
    const read = (chunk: Buffer) => {
      seen += chunk
      onOutput(`${chunk}`)
      if (seen.includes('Gangway is running.')) resolve()
    }
    child.stdout!.on('data', read)
    child.stderr!.on('data', read)
    child.once('exit', (code, signal) => reject(new Error(`the server ended (${code ?? signal}):\n${seen}`)))
  })
}
