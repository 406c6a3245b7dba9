/** Opens the database for a restore and prevents servers from using it. */
import type { ClientConfig } from 'pg'
import type pg from 'pg'
import type { Logger } from 'pino'
import type { Config } from '../../config.ts'
import { cleanUp } from '../../database/clean-up.ts'
import { lockDirectory } from '../../database/directory-lock.ts'
import { type EmbeddedDatabase, startEmbeddedDatabase } from '../../database/embedded/start.ts'
import { createPool } from '../../database/pool.ts'
import { lockExclusively } from '../../nodes/server-lock.ts'
import { waitUntilAnswers } from '../../database/wait-until-answers.ts'
import { requireFreeSpace } from '../../lib/disk-space.ts'
import { createSealer } from '../../lib/seal.ts'

export interface Target extends AsyncDisposable {
  pool: pg.Pool
  connection: ClientConfig
  embedded: EmbeddedDatabase | undefined
}

const patienceMs = 10_000

/** @param keys present keys of the data directory, which open an existing cluster */
export async function openTarget(
  { databaseUrl, dataDir }: Config,
  keys: Buffer[] | undefined,
  log: Logger,
): Promise<Target> {
  await using started = cleanUp()
  let embedded: EmbeddedDatabase | undefined
  if (!databaseUrl) {
    started.use(await lockDirectory(dataDir))
    await requireFreeSpace(dataDir)
    const sealer = keys && createSealer(keys)
    embedded = started.use(await startEmbeddedDatabase({ dataDir, log, sealer, newDatabase: true }))
  }
  const connection = embedded?.connection ?? { connectionString: databaseUrl }
  const pool = createPool(connection, log)
  started.use({ [Symbol.asyncDispose]: () => pool.end() })
  await waitUntilAnswers(pool, log, { forMs: patienceMs })
  started.use(await lockExclusively(pool))
  return { pool, connection, embedded, ...started.keep() }
}
