/**
 * The pool as graphile-worker gets it. It puts a job away again and again only where an error has one of its codes; any
 * other error is a rejection that nobody handles, and ends the process. Here all trouble with the connection has one.
 */
import type pg from 'pg'

/** One of graphile-worker's `RETRYABLE_ERROR_CODES`. */
const TRY_AGAIN = 'ETIMEDOUT'

/** It tries deadlocks again by itself, and tells by 42P01 that its tables are missing. */
const isItsOwn = (code = '') => /^(40|42)/.test(code)

/** @param onTrouble called at each failure: an answer may have been lost */
export function patientPool(pool: pg.Pool, onTrouble: () => void): pg.Pool {
  const tryAgain = (error: unknown): never => {
    onTrouble()
    const thrown = error as Error & { code?: string }
    if (isItsOwn(thrown.code)) throw thrown
    throw Object.assign(new Error(thrown.message, { cause: thrown }), { code: TRY_AGAIN })
  }
  const patientClient = (client: pg.PoolClient): pg.PoolClient =>
    Object.create(client, {
      query: {
        value: (...query: Parameters<pg.PoolClient['query']>) =>
          (client.query(...query) as unknown as Promise<unknown>).catch(tryAgain),
      },
      release: { value: (error?: Error | boolean) => client.release(error) },
    }) as pg.PoolClient
  const connect = (callback?: Parameters<pg.Pool['connect']>[0]) =>
    callback ? pool.connect(callback) : pool.connect().then(patientClient, tryAgain)
  return Object.create(pool, { connect: { value: connect } }) as pg.Pool
}
