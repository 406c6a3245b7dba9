/** Writes PostgreSQL's stderr to the server's log, line by line. */
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import type { Logger } from 'pino'

export interface ServerLog {
  /** Resolves when PostgreSQL accepts connections. */
  ready: Promise<void>
  /** The last warnings and errors, to explain why PostgreSQL ended. */
  readLastLines(): string
}

// The prefix from settings.ts, or PostgreSQL's default until it has read the settings.
const shape =
  /^(?:\[\d+ (?<process>[^\]]*)\] |\d{4}-\S+ \S+ \S+ \[\d+\] )?(?<severity>[A-Z]+\d?): +(?<text>.*)$/

const MAX_LINES = 8

export function readServerLog(stderr: Readable, log: Logger): ServerLog {
  const last: string[] = []
  const ready = new Promise<void>((resolve) => {
    createInterface({ input: stderr }).on('line', (line) => {
      // Other lines continue the previous line or come from the dynamic linker.
      const { severity = 'WARNING', text = line.trim(), process } = shape.exec(line)?.groups ?? {}
      if (text === 'database system is ready to accept connections') resolve()
      if (severity !== 'LOG' && last.push(text) > MAX_LINES) last.shift()
      log[logLevel(severity, process)]({ process: process ?? 'postmaster' }, `postgres: ${text}`)
    })
  })
  return { ready, readLastLines: () => last.join(' ') }
}

/** Errors of client backends are logged by the client, with more context; all others concern the operator. */
function logLevel(severity: string, process: string | undefined) {
  if (process === 'client backend' && severity !== 'PANIC') return 'debug'
  if (severity === 'FATAL' || severity === 'PANIC') return 'error'
  return severity === 'ERROR' || severity === 'WARNING' ? 'warn' : 'debug'
}
