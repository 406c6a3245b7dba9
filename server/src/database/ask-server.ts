/** Queries the state of database sessions over a separate connection, and terminates them. */
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { coalesce } from '../lib/coalesce.ts'

/** `waits`: the server waits for the client. `unknown`: the server does not answer or does not know the session. */
export type SessionState = 'works' | 'waits' | 'unknown'

export interface SessionQueries {
  readState(pid: number): Promise<SessionState>
  /** Terminates a session whose connection was closed, once the server answers: the session may hold locks. */
  endSession(pid: number): Promise<void>
}

const ANSWER_MS = 5_000
const TRY_AGAIN_MS = 5_000
/** By then the server itself has detected the closed connection (`tcp_keepalives_idle`). */
const MOST_TRIES = 12
/** An answer that was sent within this time may still be in transit. */
const ON_ITS_WAY_SECONDS = 1

export function createSessionQueries(config: pg.ClientConfig): SessionQueries {
  const readState = coalesce((pids: number[]) => readStates(config, pids), { maxBatch: 200, concurrency: 1 })
  const terminate = coalesce((pids: number[]) => endSessions(config, pids), { maxBatch: 200, concurrency: 1 })
  return {
    readState,
    endSession: async (pid) => {
      for (let tries = 1; !(await terminate(pid)) && tries < MOST_TRIES; tries++)
        await sleep(TRY_AGAIN_MS, undefined, { ref: false })
    },
  }
}

async function readStates(config: pg.ClientConfig, pids: number[]): Promise<SessionState[]> {
  try {
    const { rows } = await queryAlone<{ pid: number; waits: boolean }>(
      config,
      `select pid, wait_event_type is not distinct from 'Client'
         and coalesce(state_change, backend_start) < now() - make_interval(secs => ${ON_ITS_WAY_SECONDS}) as waits
       from pg_stat_activity where pid = any($1) and usename = current_user and datname = current_database()`,
      [pids],
    )
    const states = new Map(rows.map(({ pid, waits }) => [pid, waits ? 'waits' : 'works'] as const))
    return pids.map((pid) => states.get(pid) ?? 'unknown')
  } catch {
    return pids.map(() => 'unknown')
  }
}

/** @returns whether the server answered */
async function endSessions(config: pg.ClientConfig, pids: number[]): Promise<boolean[]> {
  const isAnswered = await queryAlone(
    config,
    `select pg_terminate_backend(pid) from pg_stat_activity
     where pid = any($1) and usename = current_user and datname = current_database()`,
    [pids],
  ).then(
    () => true,
    () => false,
  )
  return pids.map(() => isAnswered)
}

async function queryAlone<R extends pg.QueryResultRow>(
  config: pg.ClientConfig,
  text: string,
  values: unknown[],
): Promise<pg.QueryResult<R>> {
  const client = new pg.Client(config)
  client.on('error', () => {})
  try {
    await client.connect()
    const query = { text, values, query_timeout: ANSWER_MS }
    return await client.query<R>(query)
  } finally {
    // Not awaited: a silent server does not answer this either.
    void client.end().catch(() => {})
  }
}
