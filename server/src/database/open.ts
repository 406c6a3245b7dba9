/** The database, ready to use: the one at DATABASE_URL, or else the embedded one in the data directory. */
import type { Kysely } from 'kysely'
import type { Logger } from 'pino'
import type pg from 'pg'
import { cleanUp } from './clean-up.ts'
import { lockDirectory } from './directory-lock.ts'
import type { Settings } from './embedded/settings.ts'
import { startEmbeddedDatabase } from './embedded/start.ts'
import { migrate } from './migrate.ts'
import { createKysely, createPool } from './pool.ts'
import { createQueryPool } from './query-pool.ts'
import { holdServerLock } from './server-lock.ts'
import type { Tables } from './tables.ts'
import { waitUntilAnswers } from './wait-until-answers.ts'

export interface Database extends AsyncDisposable {
  pool: pg.Pool
  db: Kysely<Tables>
  /** For `createQueries` alone. */
  queryPool: pg.Pool
  /** For libraries that connect by themselves. */
  connection: pg.ClientConfig
}

export interface DatabaseOptions {
  databaseUrl?: string | undefined
  dataDir: string
  log: Logger
  /** Of the embedded PostgreSQL, for tests. */
  settings?: Settings
}

/** @throws DirectoryInUseError, EmbeddedDatabaseError, DatabaseUnusableError, MigrationError, ServersRunningError */
export async function openDatabase({
  databaseUrl,
  dataDir,
  log,
  settings,
}: DatabaseOptions): Promise<Database> {
  await using started = cleanUp()
  const connection = databaseUrl ? { connectionString: databaseUrl } : await embedded()

  async function embedded() {
    started.use(await lockDirectory(dataDir))
    return started.use(await startEmbeddedDatabase({ dataDir, log, settings })).connection
  }

  const pool = createPool(connection, log)
  started.use({ [Symbol.asyncDispose]: () => pool.end() })
  await waitUntilAnswers(pool, log)
  started.use(await holdServerLock(connection, log))
  await migrate(pool, { log })
  const queryPool = createQueryPool(connection, log, !databaseUrl)
  started.use({ [Symbol.asyncDispose]: () => queryPool.end() })
  return { pool, db: createKysely(pool), queryPool, connection, ...started.keep() }
}
