/** The directory of PostgreSQL's socket: the cluster (mode 0700), or a temporary directory if that path is too long. */
import { chown, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fitsSocket } from '../socket-path.ts'
import type { Account } from './run.ts'
import { EmbeddedDatabaseError } from './error.ts'
import type { Place } from './place.ts'
import { canEnter } from './place.ts'

/** PostgreSQL names its socket after a port, even without TCP. */
export const port = 5432

const fits = (directory: string) => fitsSocket(join(directory, `.s.PGSQL.${port}.lock`))

export interface SocketDirectory extends AsyncDisposable {
  path: string
}

export async function chooseSocketDirectory({ cluster, account }: Place): Promise<SocketDirectory> {
  if (fits(cluster)) return { path: cluster, [Symbol.asyncDispose]: async () => {} }
  for (const parent of [tmpdir(), '/tmp']) {
    const path = await makeIn(parent, account)
    if (path) return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) }
  }
  throw new EmbeddedDatabaseError(
    `The path ${cluster} is too long for PostgreSQL's socket. Choose a shorter GANGWAY_DATA_DIR, or set TMPDIR to a short path.`,
  )
}

async function makeIn(parent: string, account: Account | undefined) {
  // mkdtemp uses mode 0700 and a random name that no other user can create beforehand.
  const path = await mkdtemp(join(parent, 'gangway-')).catch(() => undefined)
  if (!path) return undefined
  if (account) await chown(path, account.uid, account.gid)
  if (fits(path) && (await canEnter(account, path))) return path
  await rm(path, { recursive: true, force: true })
  return undefined
}
