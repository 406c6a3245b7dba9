/**
 * The pool as graphile-worker gets it. It puts a job away again and again only where an error has one of its codes; any
 * other error is a rejection that nobody handles, and ends the process. Here all trouble with the connection has one.
 */
import type pg from 'pg'

/** One of graphile-worker's `RETRYABLE_ERROR_CODES`. */
const TRY_AGAIN = 'ETIMEDOUT'

/** It tries deadlocks again by itself, and tells by 42P01 that its tables are missing. */
const isItsOwn = (code = '') => /^(40|42)/.test(code)

/** Looking for a job is repeated anyway, and soon. */
const isLookingForJob = (query: unknown) =>
  ((query as { name?: string } | undefined)?.name ?? '').startsWith('get_job')

/** @param onTrouble called at each failure: an answer may have been lost */
export function patientPool(pool: pg.Pool, onTrouble: () => void): pg.Pool {
  const fail = (error: unknown, query: unknown): never => {
    onTrouble()
    const { message, code } = error as Error & { code?: string }
    if (isItsOwn(code)) throw error
    throw Object.assign(new Error(message, { cause: error }), !isLookingForJob(query) && { code: TRY_AGAIN })
  }
  type Query = Parameters<pg.PoolClient['query']>
  const patient = (client: pg.PoolClient): pg.PoolClient =>
    Object.create(client, {
      query: {
        value: (...query: Query) =>
          (client.query(...query) as unknown as Promise<unknown>).catch((error) => fail(error, query[0])),
      },
      release: { value: (error?: Error | boolean) => client.release(error) },
    }) as pg.PoolClient
  /** Fails at its first query, which tells how patient to be. */
  const unconnected = (error: unknown) =>
    ({
      query: async (...query: Query) => fail(error, query[0]),
      release: () => {},
    }) as unknown as pg.PoolClient
  const connect = (callback?: Parameters<pg.Pool['connect']>[0]) =>
    callback ? pool.connect(callback) : pool.connect().then(patient, unconnected)
  return Object.create(pool, { connect: { value: connect } }) as pg.Pool
}
