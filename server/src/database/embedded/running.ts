/** The embedded PostgreSQL of a server that runs in another process. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Sealer } from '../../lib/seal.ts'
import type { Connection } from './connection.ts'
import { EmbeddedDatabaseError } from './error.ts'
import { findPassword } from './password.ts'
import type { Place } from './place.ts'
import { port } from './socket-directory.ts'

/** Lines of `postmaster.pid`, counted from 0. */
const SOCKET_DIRECTORY_LINE = 4
const STATUS_LINE = 7

/**
 * Finds the connection; the caller knows that the data directory is locked.
 * @param sealer undefined if the secret key is missing
 * @throws EmbeddedDatabaseError if PostgreSQL is not ready, or the key does not open its password
 */
export async function findRunning(place: Place, sealer: Sealer | undefined): Promise<Connection> {
  const lines = (await readFile(join(place.cluster, 'postmaster.pid'), 'utf8').catch(() => '')).split('\n')
  const password = await findPassword(place, sealer)
  const host = lines[SOCKET_DIRECTORY_LINE]
  if (!host || !password || lines[STATUS_LINE]?.trim() !== 'ready')
    throw new EmbeddedDatabaseError(
      `The server in ${place.directory} is starting or stopping. Try again when it runs, or when it has stopped.`,
    )
  return { host, port, user: 'gangway', password, database: 'gangway' }
}
