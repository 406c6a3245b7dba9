/** Connects to the database for a backup, whether a server is running or not. */
import { realpath } from 'node:fs/promises'
import type { ClientConfig } from 'pg'
import type { Logger } from 'pino'
import type { Config } from '../../config.ts'
import { cleanUp } from '../../database/clean-up.ts'
import { DirectoryInUseError, lockDirectory } from '../../database/directory-lock.ts'
import { findPlace } from '../../database/embedded/place.ts'
import { findRunning } from '../../database/embedded/running.ts'
import { startEmbeddedDatabase } from '../../database/embedded/start.ts'
import { createSealer } from '../../lib/seal.ts'
import { BackupError } from './error.ts'

export interface Connected extends AsyncDisposable {
  connection: ClientConfig
}

/** If no server is running, starts the embedded PostgreSQL meanwhile and prevents servers from starting. */
export async function connect(
  { databaseUrl, dataDir }: Config,
  keys: Buffer[] | undefined,
  log: Logger,
): Promise<Connected> {
  if (databaseUrl)
    return { connection: { connectionString: databaseUrl }, [Symbol.asyncDispose]: async () => {} }
  const place = await findPlace(await realpath(dataDir).catch(() => dataDir))
  if (!place)
    throw new BackupError(
      `There is no database in ${dataDir}. Set GANGWAY_DATA_DIR, or DATABASE_URL, to what the server has.`,
    )
  const sealer = keys && createSealer(keys)
  await using started = cleanUp()
  try {
    started.use(await lockDirectory(dataDir))
  } catch (error) {
    if (!(error instanceof DirectoryInUseError)) throw error
    return { connection: await findRunning(place, sealer), ...started.keep() }
  }
  const { connection } = started.use(await startEmbeddedDatabase({ dataDir, log, sealer }))
  return { connection, ...started.keep() }
}
