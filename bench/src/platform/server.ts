/** The built server in its own process. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Endpoints } from '@gangway/server/dist/runtime.js'
import { type Child, forkChild } from '../child.ts'
import type { Probe } from './probe.ts'

const mainFile = fileURLToPath(import.meta.resolve('@gangway/server/dist/bundle/main.js'))
const probeUrl = new URL('probe.js', import.meta.url).href

/** Like `npm start`. */
export const SERVER_FLAGS = ['--max-semi-space-size=64']

export interface Server extends Child<Probe> {
  endpoints: Required<Pick<Endpoints, 'http' | 'https'>>
  /** 0 where the server is no gateway. */
  mqttPort: number
  mqttsPort: number
}

export interface ServerOptions {
  dataDir: string
  databaseUrl: string
  secretKey: Buffer
  adminPassword: string
  profileDir: string | undefined
  /** Variables beside those of every server. */
  settings: Record<string, string>
}

/** Resolves when the server accepts connections. @throws Error with its output if it does not start */
export async function startServer(options: ServerOptions): Promise<Server> {
  const child = forkChild<Probe>(mainFile, {
    execArgv: [
      ...SERVER_FLAGS,
      '--expose-gc',
      '--import',
      probeUrl,
      ...(options.profileDir ? ['--cpu-prof', `--cpu-prof-dir=${options.profileDir}`] : []),
    ],
    env: { PATH: process.env.PATH, ...listVariables(options) },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  try {
    await untilUp(child)
  } catch (error) {
    await child.stop()
    throw error
  }
  const endpoints = JSON.parse(await readFile(join(options.dataDir, 'endpoints.json'), 'utf8'))
  return {
    ...child,
    endpoints,
    mqttPort: readPort(endpoints.mqtt),
    mqttsPort: readPort(endpoints.mqtts),
  }
}

export const listVariables = (options: Omit<ServerOptions, 'profileDir'>): Record<string, string> => ({
  DATABASE_URL: options.databaseUrl,
  GANGWAY_DATA_DIR: options.dataDir,
  GANGWAY_SECRET_KEY: options.secretKey.toString('base64'),
  GANGWAY_ADMIN_PASSWORD: options.adminPassword,
  GANGWAY_HTTP_HOST: '127.0.0.1',
  GANGWAY_HTTP_PORT: '0',
  GANGWAY_MQTT_PORT: '0',
  GANGWAY_MQTTS_PORT: '0',
  GANGWAY_HTTPS_PORT: '0',
  GANGWAY_LOG_LEVEL: 'warn',
  // Requests are counted, but none is refused.
  GANGWAY_RATE_LIMIT_STANDARD: '999999999',
  ...options.settings,
})

const readPort = (url: string | undefined): number => (url === undefined ? 0 : Number(new URL(url).port))

function untilUp({ process: child }: Child<Probe>): Promise<void> {
  return new Promise((resolve, reject) => {
    let output = ''
    const read = (chunk: Buffer) => {
      if (output.includes('Gangway is running.')) return void console.error(`  server: ${chunk}`.trimEnd())
      output += chunk
      if (output.includes('Gangway is running.')) resolve()
    }
    child.stdout!.on('data', read)
    child.stderr!.on('data', read)
    child.once('exit', (code, signal) =>
      reject(new Error(`the server ended (${code ?? signal}):\n${output}`)),
    )
  })
}
