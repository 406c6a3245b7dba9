/** The connection pool. It reconnects by itself after an outage of the database. */
import { Kysely, PostgresDialect } from 'kysely'
import type { Logger } from 'pino'
import type { ClientConfig, CustomTypesConfig, PoolConfig } from 'pg'
import { Pool, types as builtIn } from 'pg'
import { withAfterCommit } from './after-commit.ts'
import type { Tables } from './tables.ts'
import { createSilenceWatch } from './watch-silence.ts'

/** A `date` is read as text, since a Date would shift it to the local time zone. Other types are pg's: int8 and numeric as text. */
const dateOid = 1082
const types: CustomTypesConfig = {
  getTypeParser: (oid, format) =>
    oid === dateOid
      ? (text: string) => text
      : (builtIn.getTypeParser(oid, format) as (text: string) => unknown),
}

export const commonOptions = (applicationName: string): ClientConfig => ({
  application_name: applicationName,
  // An external server may have another time zone; day boundaries are UTC.
  // Keepalives: the server detects a lost client within half a minute and releases the locks of its sessions.
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
    // A message waits at most 30 s for its commit.
    statement_timeout: 30_000,
    idle_in_transaction_session_timeout: 60_000,
    ...connection,
    ...overrides,
  }
  const pool = new Pool(config)
  // A lost connection emits 'error' on its client, and an 'error' without a listener ends the process. The caller that
  // used the connection gets the error from its query.
  pool.on('error', (error) => {
    // While the pool is closing, the database may close connections first.
    if (!pool.ending) log.warn({ reason: error.message }, 'a database connection was lost')
  })
  const watchSilence = createSilenceWatch(config, log)
  pool.on('connect', (client) => {
    client.on('error', () => {})
    watchSilence(client)
  })
  return pool
}

export const createKysely = (pool: Pool) =>
  new Kysely<Tables>({ dialect: withAfterCommit(new PostgresDialect({ pool })) })
