/** Watches the server under test for a crash, for errors in its log, and for what is left when all connections are closed. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { World } from '../world.ts'

/** pino's level of errors. */
const ERROR_LEVEL = 50
const MAX_PROBLEMS = 20
const SETTLE_MS = 15_000

export interface ServerWatch {
  /** Aborted when the server process has ended. */
  ended: AbortSignal
  problems: string[]
}

export function watchServer({ server: { process: child } }: World): ServerWatch {
  const ended = new AbortController()
  const problems: string[] = []
  const report = (problem: string) => problems.length < MAX_PROBLEMS && problems.push(problem)
  for (const stream of [child.stdout!, child.stderr!]) {
    // The log is read here and not printed: it warns of thousands of refusals.
    stream.removeAllListeners('data')
    let rest = ''
    stream.on('data', (chunk: Buffer) => {
      const lines = `${rest}${chunk.toString()}`.split('\n')
      rest = lines.pop()!
      for (const line of lines) if (isFailure(line)) report(`the server logged: ${line}`)
    })
  }
  child.once('exit', (code, signal) => {
    report(`the server ended with ${code ?? signal}`)
    ended.abort()
  })
  return { ended: ended.signal, problems }
}

/** An error of the log, or output that is none of the log: an unhandled rejection, or a warning of Node. */
function isFailure(line: string): boolean {
  if (line.trim() === '') return false
  try {
    return JSON.parse(line).level >= ERROR_LEVEL
  } catch {
    return true
  }
}

/** The gauges that count what belongs to connections. */
const gauges = ['gangway_mqtt_connections', 'gangway_ingest_backlog_messages']

/** Waits until the server has forgotten all connections. @returns a description of what is left */
export async function findLeftovers({ url }: World, openFiles: number): Promise<string[]> {
  for (const untilMs = performance.now() + SETTLE_MS; ; await sleep(100)) {
    const read = await readMetrics(url)
    const left = gauges
      .filter((name) => read(name) !== 0)
      .map((name) => `${name} is ${read(name)} after all connections closed`)
    const files = read('process_open_fds')
    if (files > openFiles)
      left.push(`${files} files are open after all connections closed, ${openFiles} before`)
    if (left.length === 0 || performance.now() > untilMs) return left
  }
}

export async function readMetrics(url: string): Promise<(name: string) => number> {
  const text = await (await fetch(`${url}/metrics`)).text()
  return (name) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1])
}
