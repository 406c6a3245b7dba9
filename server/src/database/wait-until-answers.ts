/** Waits for a database that is starting at the same time (compose, a reboot). */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type pg from 'pg'
import { StoppedError, waitUnlessStopped } from '../lib/unless-stopped.ts'

export class DatabaseUnusableError extends Error {
  override name = 'DatabaseUnusableError'
}

const patienceMs = 60_000
const pauseMs = 500
const oldestVersion = 15

/** Errors of a database that is not ready yet: 57P03 is "the database system is starting up". */
const temporaryCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENOENT',
  '57P03',
])

export interface WaitOptions {
  forMs?: number
  abort?: AbortSignal | undefined
}

/** @throws DatabaseUnusableError, StoppedError */
export async function waitUntilAnswers(
  pool: pg.Pool,
  log: Logger,
  { forMs = patienceMs, abort }: WaitOptions = {},
) {
  for (
    let until = performance.now() + forMs, isLogged = false;
    ;
    await waitUnlessStopped(sleep(Math.min(pauseMs, forMs)), abort)
  ) {
    try {
      return await waitUnlessStopped(checkServer(pool), abort)
    } catch (error) {
      const code = (error as { code?: string }).code
      if (error instanceof DatabaseUnusableError || error instanceof StoppedError) throw error
      const reason = readReason(error)
      if (UNSUPPORTED_PARAMETER.test(reason)) throw new DatabaseUnusableError(POOLER, { cause: error })
      if (!(code && temporaryCodes.has(code)) && !/timeout|terminated/i.test(reason))
        throw new DatabaseUnusableError(`The database refuses: ${reason}. Check DATABASE_URL.`, {
          cause: error,
        })
      if (performance.now() > until)
        throw new DatabaseUnusableError(`The database does not answer: ${reason}. Check DATABASE_URL.`, {
          cause: error,
        })
      if (!isLogged) log.warn({ reason }, 'the database does not answer yet, waiting')
      isLogged = true
    }
  }
}

/** Locks of a session, `listen` and the session's settings would apply to whoever gets the connection next. */
const POOLER =
  'DATABASE_URL leads to a connection pooler, such as PgBouncer. A server keeps locks, subscriptions and settings in its ' +
  'connections, and has pools of its own: give it the address of the database itself.'

/** PgBouncer's refusal of parameters of a session that it would not keep. */
const UNSUPPORTED_PARAMETER = /unsupported startup parameter/

async function checkServer(pool: pg.Pool) {
  const { version, encoding } = await readServer(pool)
  if (version < oldestVersion)
    throw new DatabaseUnusableError(
      `PostgreSQL ${version} is too old; Gangway needs ${oldestVersion} or newer.`,
    )
  if (encoding !== 'UTF8')
    throw new DatabaseUnusableError(`The database's encoding is ${encoding}; create it with ENCODING 'UTF8'.`)
}

/** @throws DatabaseUnusableError if the process that answers is not the one that accepted the connection */
async function readServer(pool: pg.Pool) {
  const client = await pool.connect()
  try {
    const { rows } = await client.query<{ pid: number; version: number; encoding: string }>(
      `select pg_backend_pid() as pid, current_setting('server_version_num')::int / 10000 as version,
         current_setting('server_encoding') as encoding`,
    )
    const { pid, ...server } = rows[0]!
    if (pid !== (client as unknown as { processID: number }).processID)
      throw new DatabaseUnusableError(POOLER)
    return server
  } finally {
    client.release()
  }
}

/** A host name with several addresses fails with one error for each. */
function readReason(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map((each) => readReason(each)).join(', ')
  return error instanceof Error ? error.message : String(error)
}
