/** PostgreSQL's stderr, line by line, into our log. */
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import type { Logger } from 'pino'

export interface ServerLog {
  /** Resolves when it accepts connections. */
  ready: Promise<void>
  /** What it said last, to explain why it ended. */
  lastWords(): string
}

// Our prefix from settings.ts, or PostgreSQL's own until it has read ours.
const shape =
  /^(?:\[\d+ (?<process>[^\]]*)\] |\d{4}-\S+ \S+ \S+ \[\d+\] )?(?<severity>[A-Z]+\d?): +(?<text>.*)$/

const remembered = 8

export function readServerLog(stderr: Readable, log: Logger): ServerLog {
  const last: string[] = []
  const ready = new Promise<void>((resolve) => {
    createInterface({ input: stderr }).on('line', (line) => {
      // A line of no shape goes on from the one before, or comes from the loader of programs.
      const { severity = 'WARNING', text = line.trim(), process } = shape.exec(line)?.groups ?? {}
      if (text === 'database system is ready to accept connections') resolve()
      if (severity !== 'LOG' && last.push(text) > remembered) last.shift()
      log[logLevel(severity, process)]({ process: process ?? 'postmaster' }, `postgres: ${text}`)
    })
  })
  return { ready, lastWords: () => last.join(' ') }
}

/** What a client did wrong is told to that client, which logs it with more context; the rest is the operator's. */
function logLevel(severity: string, process: string | undefined) {
  if (process === 'client backend' && severity !== 'PANIC') return 'debug'
  if (severity === 'FATAL' || severity === 'PANIC') return 'error'
  return severity === 'ERROR' || severity === 'WARNING' ? 'warn' : 'debug'
}
