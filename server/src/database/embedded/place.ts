/**
 * Chooses the directory of the cluster: the data directory, or a directory under /var/lib if the system user `nobody` may
 * not enter the data directory (such as a checkout under /root). The data directory stores the choice for later starts.
 */
import { randomBytes } from 'node:crypto'
import { chmod, mkdir, open, rename, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { Logger } from 'pino'
import { findTextFile } from '../../lib/find-text-file.ts'
import { chooseAccount } from './account.ts'
import { EmbeddedDatabaseError } from './error.ts'
import { type Account, run } from './run.ts'

export interface Place {
  /** Contains the cluster and, if needed, a copy of PostgreSQL's programs. */
  directory: string
  cluster: string
  account: Account | undefined
}

const fallbackRoot = '/var/lib/gangway'

const locationFile = (dataDir: string) => join(dataDir, 'postgres-location')

/** @returns undefined if there is no cluster yet */
export async function findPlace(dataDir: string): Promise<Place | undefined> {
  const storedDirectory = (await findTextFile(locationFile(dataDir)))?.trim()
  const place = storedDirectory
    ? await openStoredPlace(storedDirectory, locationFile(dataDir))
    : await makePlace(dataDir)
  return (await exists(place.cluster)) ? place : undefined
}

export async function choosePlace(dataDir: string, log: Logger, fallback = fallbackRoot): Promise<Place> {
  const note = locationFile(dataDir)
  const remembered = (await findTextFile(note))?.trim()
  if (remembered) return openStoredPlace(remembered, note)

  const here = await makePlace(dataDir)
  if (await canEnter(here.account, dataDir)) return here
  // A cluster exists here, so a new empty one elsewhere would look like lost data.
  if (await exists(here.cluster)) throw unreachableError(here)

  const elsewhere = await makeFallback(dataDir, fallback)
  if (!(await canEnter(elsewhere.account, elsewhere.directory))) throw unreachableError(here)
  await writeDurably(note, `${elsewhere.directory}\n`)
  log.info(
    { directory: elsewhere.directory },
    'PostgreSQL cannot enter the data directory, its files are stored elsewhere',
  )
  return elsewhere
}

async function openStoredPlace(directory: string, note: string) {
  const place = await makePlace(directory)
  if (!(await exists(directory)))
    throw new EmbeddedDatabaseError(
      `The database was kept in ${directory}, as ${note} says, but that directory is gone. ` +
        `Perhaps its disk is not mounted. To restore a backup, remove ${note} and run npm run restore -- FILE; ` +
        'to start with an empty database, remove it and set GANGWAY_NEW_DATABASE=yes for one start.',
    )
  if (!(await canEnter(place.account, directory))) throw unreachableError(place)
  return place
}

async function makePlace(directory: string): Promise<Place> {
  const cluster = join(directory, 'postgres')
  return { directory, cluster, account: await chooseAccount(cluster) }
}

/** The name is random, so that a data directory that was deleted and created again does not find its old database. */
async function makeFallback(dataDir: string, root: string) {
  const directory = join(root, `${basename(dataDir)}-${randomBytes(4).toString('hex')}`)
  await mkdir(directory, { recursive: true }).catch(() => {})
  // The umask may have closed what mkdir made.
  for (const made of [root, directory]) await chmod(made, 0o755).catch(() => {})
  return makePlace(directory)
}

/** Tried instead of computed from modes: access lists, user namespaces and network mounts also matter. */
export const canEnter = async (account: Account | undefined, directory: string) =>
  account === undefined || (await run('/bin/sh', ['-c', 'cd "$1"', 'sh', directory], account)).ok

const unreachableError = ({ directory, account }: Place) =>
  new EmbeddedDatabaseError(
    `PostgreSQL does not run as root, and user id ${account?.uid} cannot enter ${directory}. ` +
      'Make that directory and those above it open to it (chmod o+x), start the server as an ordinary user, or set DATABASE_URL.',
  )

async function writeDurably(path: string, text: string) {
  const file = await open(`${path}.new`, 'w', 0o644)
  await file.writeFile(text)
  await file.sync()
  await file.close()
  await rename(`${path}.new`, path)
}

export const exists = (path: string) =>
  stat(path).then(
    () => true,
    () => false,
  )
