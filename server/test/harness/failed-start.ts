/** Runs the built server in an environment in which it cannot start, and returns its error message. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { inject } from 'vitest'

const mainFile = fileURLToPath(new URL('../../dist/bundle/main.js', import.meta.url))

/** A user of the machine that is not root. */
export const nobody = { uid: 65534, gid: 65534 }

interface HowToRun {
  uid?: number
  gid?: number
  /** A command that runs the server's command. */
  wrap?: string[]
}

/**
 * @param environment in addition to free ports and loopback addresses
 * @returns its stderr; throws if it started
 */
export async function failedStart(
  environment: Record<string, string>,
  { wrap = [], ...account }: HowToRun = {},
): Promise<string> {
  if (!inject('isBuilt')) throw new Error('The server does not compile; the compiler said why above.')
  const env = {
    PATH: process.env.PATH,
    GANGWAY_HTTP_HOST: '127.0.0.1',
    GANGWAY_MQTT_HOST: '127.0.0.1',
    GANGWAY_HTTP_PORT: '0',
    GANGWAY_MQTT_PORT: '0',
    GANGWAY_MQTTS_PORT: '0',
    GANGWAY_HTTPS_PORT: '0',
    GANGWAY_LOG_LEVEL: 'silent',
    ...environment,
  }
  const [program, ...args] = [...wrap, process.execPath, mainFile]
  const child = spawn(program!, args, { ...account, env, stdio: ['ignore', 'pipe', 'pipe'] })
  child.stdout.on('data', (chunk: Buffer) => {
    if (chunk.includes('Gangway is running.')) child.kill()
  })
  const [said, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')])
  if (code !== 1) throw new Error(`the server started, or ended with ${code}: ${said}`)
  return said
}
