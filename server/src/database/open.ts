/**
 * The database, ready to use: the one at DATABASE_URL, or else the embedded one in the data directory. It comes with the
 * keys that its secrets are sealed with, since neither is of use without the other.
 */
import type { Kysely } from 'kysely'
import type { Logger } from 'pino'
import type pg from 'pg'
import { requireFreeSpace } from '../lib/disk-space.ts'
import { createSealer } from '../lib/seal.ts'
import { findSecretKeys, makeSecretKeys, secretKeyFile } from '../lib/secret-key.ts'
import { checkSecretKeys } from './check-secret-keys.ts'
import { cleanUp } from './clean-up.ts'
import { lockDirectory } from './directory-lock.ts'
import type { ProgramsPackage } from './embedded/programs.ts'
import type { Settings } from './embedded/settings.ts'
import { type EmbeddedDatabase, startEmbeddedDatabase } from './embedded/start.ts'
import { migrate } from './migrate.ts'
import { createKysely, createPool } from './pool.ts'
import { createQueryPool } from './query-pool.ts'
import { holdServerLock } from '../nodes/server-lock.ts'
import type { Tables } from './tables.ts'
import { refuseUnfinishedRestore } from './unfinished-restore.ts'
import { waitUntilAnswers } from './wait-until-answers.ts'

export interface Database extends AsyncDisposable {
  pool: pg.Pool
  db: Kysely<Tables>
  /** For `createQueries` alone. */
  queryPool: pg.Pool
  /** For libraries that connect by themselves. */
  connection: pg.ClientConfig
  /** The installation's secret keys, the newest first. */
  keys: Buffer[]
  /** Absent where DATABASE_URL names another one. */
  embedded: EmbeddedDatabase | undefined
}

export interface DatabaseOptions {
  databaseUrl?: string | undefined
  dataDir: string
  secretKey?: Buffer | undefined
  newDatabase?: boolean
  log: Logger
  /** Ends the wait for a database that does not answer. */
  abort?: AbortSignal
  /** Of the embedded PostgreSQL, for tests. */
  settings?: Settings
  programs?: ProgramsPackage
}

/**
 * @throws DirectoryInUseError, DiskFullError, EmbeddedDatabaseError, DatabaseUnusableError, MigrationError,
 *   SecretKeyError, ServersRunningError, UnfinishedRestoreError
 */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const { databaseUrl, dataDir, secretKey, newDatabase = false, log } = options
  await using started = cleanUp()
  if (!databaseUrl) {
    started.use(await lockDirectory(dataDir))
    await requireFreeSpace(dataDir)
  }
  const found = await findSecretKeys(options)
  const embedded = databaseUrl ? undefined : started.use(await startEmbedded(options, found))
  const connection = embedded?.connection ?? { connectionString: databaseUrl }

  const pool = createPool(connection, log)
  started.use({ [Symbol.asyncDispose]: () => pool.end() })
  await waitUntilAnswers(pool, log, options)
  started.use(await holdServerLock(connection, log))
  await refuseUnfinishedRestore(pool)
  const file = secretKey ? undefined : secretKeyFile(dataDir)
  await checkSecretKeys(pool, { keys: found, file, newDatabase })
  await migrate(pool, { log })
  const queryPool = createQueryPool(connection, log, !databaseUrl)
  started.use({ [Symbol.asyncDispose]: () => queryPool.end() })
  // After the database: a start that is cut off between the two leaves no key without a database.
  const keys = found ?? (await makeSecretKeys(dataDir))
  if (embedded && !embedded.isPasswordKept) await embedded.keepPassword(createSealer(keys))
  return { pool, db: createKysely(pool), queryPool, connection, keys, embedded, ...started.keep() }
}

const startEmbedded = (options: DatabaseOptions, keys: Buffer[] | undefined) =>
  startEmbeddedDatabase({ ...options, sealer: keys && createSealer(keys) })
