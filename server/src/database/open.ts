/**
 * Opens the database: the one at DATABASE_URL, or the embedded one in the data directory. Also provides the keys of its
 * sealed secrets, since the database cannot be used without them.
 */
import { randomUUID } from 'node:crypto'
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
import { nameConnections } from '../nodes/node-lock.ts'
import { openReplica, type Replica } from './read-replica.ts'
import { holdServerLock } from '../nodes/server-lock.ts'
import type { Tables } from './tables.ts'
import { refuseUnfinishedRestore } from './unfinished-restore.ts'
import { waitUntilAnswers } from './wait-until-answers.ts'

export interface Database extends AsyncDisposable {
  pool: pg.Pool
  db: Kysely<Tables>
  /** Used by `createQueries` only. */
  queryPool: pg.Pool
  /** Used by `createQueries`; undefined if none is configured. */
  replica?: Replica | undefined
  /** For libraries that open their own connections. */
  connection: pg.ClientConfig
  /** Secret keys of the installation, the newest first. */
  keys: Buffer[]
  /** The id of this node, which the names of its connections contain. */
  nodeId: string
  /** Undefined if DATABASE_URL is set. */
  embedded: EmbeddedDatabase | undefined
}

export interface DatabaseOptions {
  databaseUrl?: string | undefined
  databaseReadUrl?: string | undefined
  dataDir: string
  secretKey?: Buffer | undefined
  newDatabase?: boolean
  log: Logger
  /** Aborts waiting for a database that does not answer. */
  abort?: AbortSignal
  /** Settings of the embedded PostgreSQL, for tests. */
  settings?: Settings
  programs?: ProgramsPackage
}

/**
 * @throws DirectoryInUseError, DiskFullError, EmbeddedDatabaseError, DatabaseUnusableError, MigrationError,
 *   SecretKeyError, ServersRunningError, UnfinishedRestoreError
 */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const { databaseUrl, databaseReadUrl, dataDir, secretKey, newDatabase = false, log } = options
  await using started = cleanUp()
  if (!databaseUrl) {
    started.use(await lockDirectory(dataDir))
    await requireFreeSpace(dataDir)
  }
  const found = await findSecretKeys(options)
  const embedded = databaseUrl ? undefined : started.use(await startEmbedded(options, found))
  const connection = embedded?.connection ?? { connectionString: databaseUrl }

  const nodeId = randomUUID()
  const pool = createPool(connection, log, { application_name: nameConnections(nodeId) })
  started.use({ [Symbol.asyncDispose]: () => pool.end() })
  await waitUntilAnswers(pool, log, options)
  started.use(await holdServerLock(connection, log))
  await refuseUnfinishedRestore(pool)
  const file = secretKey ? undefined : secretKeyFile(dataDir)
  await checkSecretKeys(pool, { keys: found, file, newDatabase })
  await migrate(pool, { log })
  const queryPool = createQueryPool(connection, log, !databaseUrl)
  started.use({ [Symbol.asyncDispose]: () => queryPool.end() })
  const replica =
    databaseReadUrl === undefined
      ? undefined
      : started.use(await openReplica(databaseReadUrl, { primary: queryPool, log }))
  // After the database, so that an interrupted start leaves no key without a database.
  const keys = found ?? (await makeSecretKeys(dataDir))
  if (embedded && !embedded.isPasswordKept) await embedded.keepPassword(createSealer(keys))
  return {
    pool,
    db: createKysely(pool),
    queryPool,
    replica,
    connection,
    keys,
    nodeId,
    embedded,
    ...started.keep(),
  }
}

const startEmbedded = (options: DatabaseOptions, keys: Buffer[] | undefined) =>
  startEmbeddedDatabase({ ...options, sealer: keys && createSealer(keys) })
