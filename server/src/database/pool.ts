/** The connections to PostgreSQL. They come back by themselves after the database was away. */
import { Kysely, PostgresDialect } from 'kysely'
import type { Logger } from 'pino'
import type { ClientConfig, CustomTypesConfig, PoolConfig } from 'pg'
import { Pool, types as builtIn } from 'pg'
import type { Tables } from './tables.ts'
import { createSilenceWatch } from './watch-silence.ts'

/** A `date` has no time zone, and a Date would shift it into ours. Everything else as pg has it: int8, numeric as text. */
const dateOid = 1082
const types: CustomTypesConfig = {
  getTypeParser: (oid, format) =>
    oid === dateOid
      ? (text: string) => text
      : (builtIn.getTypeParser(oid, format) as (text: string) => unknown),
}

export const commonOptions = (applicationName: string): ClientConfig => ({
  application_name: applicationName,
  // An external server may live in another zone, and day boundaries are UTC.
  // The server notices within half a minute that our machine is gone, and frees what its sessions hold.
  options:
    '-c TimeZone=UTC -c jit=off -c tcp_keepalives_idle=10 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=3',
  keepAlive: true,
  connectionTimeoutMillis: 10_000,
  types,
})

export function createPool(connection: PoolConfig, log: Logger, overrides: PoolConfig = {}): Pool {
  const config: PoolConfig = {
    ...commonOptions('gangway'),
    max: 20,
    idleTimeoutMillis: 60_000,
    // A message waits 30 s at most for its commit.
    statement_timeout: 30_000,
    idle_in_transaction_session_timeout: 60_000,
    ...connection,
    ...overrides,
  }
  const pool = new Pool(config)
  // A lost connection raises 'error' on its client, in the pool or checked out of it, and an unheard 'error' ends the
  // process. Whoever used the connection gets the failure from its query.
  pool.on('error', (error) => {
    // Of those that are being closed the database may close some first.
    if (!pool.ending) log.warn({ reason: error.message }, 'a database connection was lost')
  })
  const watchSilence = createSilenceWatch(config, log)
  pool.on('connect', (client) => {
    client.on('error', () => {})
    watchSilence(client)
  })
  return pool
}

export const createKysely = (pool: Pool) => new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) })
