/**
 * Wraps the pool for graphile-worker, which retries completing a job only for certain error codes; any other error is an
 * unhandled rejection and ends the process. The wrapper gives all connection errors such a code.
 */
import type pg from 'pg'

/** One of graphile-worker's `RETRYABLE_ERROR_CODES`. */
const RETRYABLE_CODE = 'ETIMEDOUT'

/** graphile-worker retries deadlocks (40…) itself, and detects missing tables by 42P01. */
const isHandledByWorker = (code = '') => /^(40|42)/.test(code)

/** Polling for jobs is repeated anyway. */
const isLookingForJob = (query: unknown) =>
  ((query as { name?: string } | undefined)?.name ?? '').startsWith('get_job')

/** @param onTrouble called at each failure, since an answer may have been lost */
export function createRetryingPool(pool: pg.Pool, onTrouble: () => void): pg.Pool {
  const fail = (error: unknown, query: unknown): never => {
    onTrouble()
    const { message, code } = error as Error & { code?: string }
    if (isHandledByWorker(code)) throw error
    throw Object.assign(
      new Error(message, { cause: error }),
      !isLookingForJob(query) && { code: RETRYABLE_CODE },
    )
  }
  type Query = Parameters<pg.PoolClient['query']>
  const wrapClient = (client: pg.PoolClient): pg.PoolClient =>
    Object.create(client, {
      query: {
        value: (...query: Query) =>
          (client.query(...query) as unknown as Promise<unknown>).catch((error) => fail(error, query[0])),
      },
      release: { value: (error?: Error | boolean) => client.release(error) },
    }) as pg.PoolClient
  /** A client that fails at its first query: only the query tells whether to retry. */
  const unconnected = (error: unknown) =>
    ({
      query: async (...query: Query) => fail(error, query[0]),
      release: () => {},
    }) as unknown as pg.PoolClient
  const connect = (callback?: Parameters<pg.Pool['connect']>[0]) =>
    callback ? pool.connect(callback) : pool.connect().then(wrapClient, unconnected)
  return Object.create(pool, { connect: { value: connect } }) as pg.Pool
}
