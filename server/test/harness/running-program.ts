/** Any command that keeps running, such as `npm start`, as its own process group. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { vi } from 'vitest'
import { adminPassword } from './first-administrator.ts'

export interface Running extends AsyncDisposable {
  child: ChildProcess
  /** Its output so far, of both streams. */
  output(): string
  /** Resolves with the exit code, or the signal that ended it. */
  ended: Promise<number | string>
}

interface HowToRun {
  cwd: string
  /** In addition to PATH and HOME. */
  environment?: Record<string, string>
  /** Default: the user of the tests. */
  account?: { uid: number; gid: number }
}

export function runProgram(command: string[], { cwd, environment, account }: HowToRun): Running {
  const [program, ...args] = command
  const child = spawn(program!, args, {
    ...account,
    cwd,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
    // A separate process group, as a terminal creates for each command.
    detached: true,
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk))
  const ended = once(child, 'close').then(([code, signal]) => code ?? signal)
  return {
    child,
    output: () => output,
    ended,
    [Symbol.asyncDispose]: async () => {
      // The whole group is killed: after a failed test its leader may have ended.
      try {
        process.kill(-child.pid!, 'SIGKILL')
      } catch {
        // Nothing is left.
      }
      await ended
    },
  }
}

/** Waits until it has written the text; rejects with its output if it ends before. */
export async function says(running: Running, text: string): Promise<void> {
  let isOver = false
  void running.ended.then(() => (isOver = true))
  await vi.waitUntil(() => isOver || running.output().includes(text), { timeout: 900_000, interval: 50 })
  if (!running.output().includes(text)) throw new Error(`the program ended:\n${running.output()}`)
}

export const isUp = (running: Running): Promise<void> => says(running, 'Gangway is running.')

/** Free ports, loopback addresses, and a data directory. */
export const serverEnvironment = (dataDir: string): Record<string, string> => ({
  GANGWAY_DATA_DIR: dataDir,
  GANGWAY_HTTP_HOST: '127.0.0.1',
  GANGWAY_MQTT_HOST: '127.0.0.1',
  GANGWAY_HTTP_PORT: '0',
  GANGWAY_MQTT_PORT: '0',
  GANGWAY_MQTTS_PORT: '0',
  GANGWAY_HTTPS_PORT: '0',
  GANGWAY_ADMIN_PASSWORD: adminPassword,
})
