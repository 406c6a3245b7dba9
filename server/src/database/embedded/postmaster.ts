/** One run of PostgreSQL's main process, from launch to end. */
import { spawn } from 'node:child_process'
import type { Socket } from 'node:net'
import type { Logger } from 'pino'
import { type Account, cleanEnvironment } from './run.ts'
import { readServerLog } from './server-log.ts'

export interface Postmaster {
  pid: number | undefined
  ready: Promise<void>
  /** Resolves with the reason; never rejects. */
  ended: Promise<string>
  /** Fast shutdown: sessions end and data is written, so that the next start needs no recovery. */
  stop(): Promise<void>
}

const fastShutdownMs = 30_000
const immediateShutdownMs = 10_000

export function launchPostmaster(
  program: string,
  args: string[],
  account: Account | undefined,
  log: Logger,
): Postmaster {
  const child = spawn(program, args, {
    ...account,
    cwd: '/',
    env: cleanEnvironment,
    stdio: ['ignore', 'ignore', 'pipe'],
    // Its own session, so that Ctrl-C in the terminal reaches only the server, which needs the database until its end.
    detached: true,
  })
  const serverLog = readServerLog(child.stderr, log)
  const watchdog = child.pid === undefined ? undefined : startWatchdog(child.pid, account)
  const ended = new Promise<string>((resolve) => {
    child.on('error', (error) => resolve(error.message))
    child.on('close', (code, signal) => {
      watchdog?.kill('SIGKILL')
      resolve(
        [`PostgreSQL ended with ${signal ?? `status ${code}`}`, serverLog.readLastLines()]
          .filter(Boolean)
          .join(': '),
      )
    })
  })

  const stop = async () => {
    child.kill('SIGINT')
    const timers = [
      setTimeout(() => child.kill('SIGQUIT'), fastShutdownMs),
      setTimeout(() => child.kill('SIGKILL'), fastShutdownMs + immediateShutdownMs),
    ]
    await ended
    timers.forEach(clearTimeout)
  }
  return { pid: child.pid, ready: serverLog.ready, ended, stop }
}

/** Stops PostgreSQL when the server process is gone for any reason: the pipe closes and `read` returns. */
function startWatchdog(pid: number, account: Account | undefined) {
  const watchdog = spawn('/bin/sh', ['-c', 'read _; kill -INT "$1"', 'gangway-watchdog', String(pid)], {
    ...account,
    cwd: '/',
    env: cleanEnvironment,
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  })
  watchdog.on('error', () => {})
  watchdog.unref()
  ;(watchdog.stdin as Socket).unref()
  return watchdog
}
