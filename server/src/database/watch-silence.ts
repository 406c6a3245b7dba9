/**
 * A connection can go silent without being closed: a firewall forgets it, a network breaks, a server freezes. The
 * kernel then goes on sending for a quarter of an hour, and a query would wait for as long. Here each connection that
 * waits for an answer is watched, and closed when none will come; its query fails, and whoever asked tries again.
 *
 * A slow answer looks the same as a lost one. So before a connection is closed the server is asked over another one:
 * where it waits for us while we wait for it, one of the two messages was lost.
 */
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import type { Logger } from 'pino'
import { createServerQuestions, type ServerQuestions, type SessionState } from './ask-server.ts'

/** A connection that is idle for so long is tried; one that owes an answer for so long is asked about. */
const SILENT_MS = 5_000
/** A server that does not answer over a new connection either may be frozen, or overloaded. */
const UNKNOWN_MS = 15_000
/** On top of the time after which the server itself ends a statement. */
const GRACE_MS = 5_000
const DEFAULT_STATEMENT_MS = 60_000

/** What the types of pg leave out. */
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

/** Connections whose statements may take any time, as long as the server works on them. */
const patient = new WeakSet<pg.ClientBase>()

/** For migrations: waiting for another node, and rewriting a large table, take longer than any request. */
export async function allowLongStatements(client: pg.ClientBase): Promise<void> {
  patient.add(client)
  await client.query('set statement_timeout = 0; set idle_in_transaction_session_timeout = 0')
}

/**
 * @param config of the connections that are to be watched, to ask the server about them
 * @returns watches a connection, which is connected, until it ends
 */
export function createSilenceWatch(config: pg.ClientConfig, log: Logger): (client: pg.ClientBase) => void {
  const server = createServerQuestions(config)
  const deadlineMs = (Number(config.statement_timeout) || DEFAULT_STATEMENT_MS) + GRACE_MS
  return (client) => {
    const { connection } = client as unknown as Connected
    let isAsking = false
    connection.stream.setTimeout(SILENT_MS).on('timeout', async () => {
      if (isAsking) return
      isAsking = true
      await onSilent(client, { server, deadlineMs, log })
      isAsking = false
    })
  }
}

interface Watch {
  server: ServerQuestions
  deadlineMs: number
  log: Logger
}

async function onSilent(client: pg.ClientBase, { server, deadlineMs, log }: Watch): Promise<void> {
  const { processID, readyForQuery, connection } = client as unknown as Connected
  const { stream } = connection
  // A transaction that waits for us has a time limit of its own, which a query would prolong.
  if (readyForQuery) return client.getTransactionStatus() === 'I' ? tryConnection(client) : undefined
  const { bytesRead } = stream
  const startedAtMs = performance.now() - SILENT_MS
  for (;;) {
    const state = await server.stateOf(processID)
    if (stream.destroyed || stream.bytesRead !== bytesRead) return
    const silentMs = performance.now() - startedAtMs
    if (silentMs >= limitMs(state, patient.has(client) ? Infinity : deadlineMs)) {
      const silentSeconds = Math.round(silentMs / 1000)
      log.warn({ silentSeconds, state }, 'a database connection went silent and was closed')
      stream.destroy(new DatabaseSilentError(`The database did not answer for ${silentSeconds} s.`))
      return void server.endSession(processID)
    }
    await sleep(SILENT_MS, undefined, { ref: false })
  }
}

/** Its answer, or the lack of one, is seen by the watch. It also keeps firewalls from forgetting the connection. */
function tryConnection(client: pg.ClientBase): void {
  const { stream } = (client as unknown as Connected).connection
  // It fails at once on a connection that we close, and whose end the server does not answer.
  client.query('select 1').catch(() => stream.destroy())
}

const limitMs = (state: SessionState, deadlineMs: number) =>
  state === 'waits' ? 0 : state === 'works' ? deadlineMs : Math.min(UNKNOWN_MS, deadlineMs)
