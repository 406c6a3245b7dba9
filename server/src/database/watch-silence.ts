/**
 * A connection can go silent without being closed: a firewall drops it, a network breaks, a server freezes. The kernel
 * then retransmits for a quarter of an hour, and a query would wait for as long. This watch closes connections whose
 * answer will not arrive; their queries fail, and the callers retry.
 *
 * A slow answer looks the same as a lost one. So before a connection is closed, the server is queried over another one:
 * if the server waits for the client while the client waits for the server, a message was lost.
 */
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import type { Logger } from 'pino'
import { createSessionQueries, type SessionQueries, type SessionState } from './ask-server.ts'

/** After this time an idle connection is probed, and the state of a waiting one is queried. */
const SILENT_MS = 5_000
/** Limit if the server does not answer over a new connection either: it may be frozen or overloaded. */
const UNKNOWN_MS = 15_000
/** Added to the time after which the server itself ends a statement. */
const GRACE_MS = 5_000
const DEFAULT_STATEMENT_MS = 60_000

/** Properties that pg's types lack. */
interface Connected {
  processID: number
  /** False while an answer is outstanding. */
  readyForQuery: boolean
  connection: { stream: Socket }
}

class DatabaseSilentError extends Error {
  override name = 'DatabaseSilentError'
  readonly code = 'ETIMEDOUT'
}

/** Connections whose statements have no time limit while the server works on them. */
const withoutTimeout = new WeakSet<pg.ClientBase>()

/** For migrations: waiting for another node and rewriting a large table can take long. */
export async function allowLongStatements(client: pg.ClientBase): Promise<void> {
  withoutTimeout.add(client)
  await client.query('set statement_timeout = 0; set idle_in_transaction_session_timeout = 0')
}

/**
 * @param config configuration of the watched connections, used to query the server
 * @returns a function that watches a connected client until it ends
 */
export function createSilenceWatch(config: pg.ClientConfig, log: Logger): (client: pg.ClientBase) => void {
  const server = createSessionQueries(config)
  const deadlineMs = (Number(config.statement_timeout) || DEFAULT_STATEMENT_MS) + GRACE_MS
  return (client) => {
    const { connection } = client as unknown as Connected
    let isChecking = false
    connection.stream.setTimeout(SILENT_MS).on('timeout', async () => {
      if (isChecking) return
      isChecking = true
      await checkSilentConnection(client, { server, deadlineMs, log })
      isChecking = false
    })
  }
}

interface Watch {
  server: SessionQueries
  deadlineMs: number
  log: Logger
}

async function checkSilentConnection(
  client: pg.ClientBase,
  { server, deadlineMs, log }: Watch,
): Promise<void> {
  const { processID, readyForQuery, connection } = client as unknown as Connected
  const { stream } = connection
  // An idle transaction has its own time limit, which a query would extend.
  if (readyForQuery) return client.getTransactionStatus() === 'I' ? probeConnection(client) : undefined
  const { bytesRead } = stream
  const startedAtMs = performance.now() - SILENT_MS
  for (;;) {
    const state = await server.readState(processID)
    if (stream.destroyed || stream.bytesRead !== bytesRead) return
    const silentMs = performance.now() - startedAtMs
    if (silentMs >= limitMs(state, withoutTimeout.has(client) ? Infinity : deadlineMs)) {
      const silentSeconds = Math.round(silentMs / 1000)
      log.warn({ silentSeconds, state }, 'a database connection did not answer and was closed')
      stream.destroy(new DatabaseSilentError(`The database did not answer for ${silentSeconds} s.`))
      return void server.endSession(processID)
    }
    await sleep(SILENT_MS, undefined, { ref: false })
  }
}

/** Sends a query, so that the watch sees whether it is answered. It also keeps firewalls from dropping the connection. */
function probeConnection(client: pg.ClientBase): void {
  const { stream } = (client as unknown as Connected).connection
  // Fails at once on a connection that is being closed and whose end the server does not answer.
  client.query('select 1').catch(() => stream.destroy())
}

const limitMs = (state: SessionState, deadlineMs: number) =>
  state === 'waits' ? 0 : state === 'works' ? deadlineMs : Math.min(UNKNOWN_MS, deadlineMs)
