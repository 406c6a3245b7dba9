/**
 * Where the cluster lives: in the data directory, or, where `nobody` cannot enter that (a checkout under /root), in a
 * directory of its own under /var/lib. The choice is written into the data directory and kept from then on.
 */
import { randomBytes } from 'node:crypto'
import { chmod, mkdir, open, rename, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { Logger } from 'pino'
import { findTextFile } from '../../lib/find-text-file.ts'
import { accountFor } from './account.ts'
import { EmbeddedDatabaseError } from './error.ts'
import { type Account, run } from './run.ts'

export interface Place {
  /** Holds the cluster and, where needed, a copy of PostgreSQL's programs. */
  directory: string
  cluster: string
  account: Account | undefined
}

const fallbackRoot = '/var/lib/gangway'

const noteIn = (dataDir: string) => join(dataDir, 'postgres-location')

/** @returns undefined where there is no cluster yet */
export async function findPlace(dataDir: string): Promise<Place | undefined> {
  const remembered = (await findTextFile(noteIn(dataDir)))?.trim()
  const place = remembered ? await rememberedPlace(remembered, noteIn(dataDir)) : await placeIn(dataDir)
  return (await exists(place.cluster)) ? place : undefined
}

export async function choosePlace(dataDir: string, log: Logger, fallback = fallbackRoot): Promise<Place> {
  const note = noteIn(dataDir)
  const remembered = (await findTextFile(note))?.trim()
  if (remembered) return rememberedPlace(remembered, note)

  const here = await placeIn(dataDir)
  if (await enters(here.account, dataDir)) return here
  // A cluster is here already, so a new empty one elsewhere would look like lost data.
  if (await exists(here.cluster)) throw unreachable(here)

  const elsewhere = await makeFallback(dataDir, fallback)
  if (!(await enters(elsewhere.account, elsewhere.directory))) throw unreachable(here)
  await writeDurably(note, `${elsewhere.directory}\n`)
  log.info(
    { directory: elsewhere.directory },
    'PostgreSQL cannot enter the data directory, its files go elsewhere',
  )
  return elsewhere
}

async function rememberedPlace(directory: string, note: string) {
  const place = await placeIn(directory)
  if (!(await exists(directory)))
    throw new EmbeddedDatabaseError(
      `The database was kept in ${directory}, as ${note} says, but that directory is gone. ` +
        `Perhaps its disk is not mounted. To restore a backup, remove ${note} and run npm run restore -- FILE; ` +
        'to start with an empty database, remove it and set GANGWAY_NEW_DATABASE=yes for one start.',
    )
  if (!(await enters(place.account, directory))) throw unreachable(place)
  return place
}

async function placeIn(directory: string): Promise<Place> {
  const cluster = join(directory, 'postgres')
  return { directory, cluster, account: await accountFor(cluster) }
}

/** The name is random: a data directory that was deleted and made anew must not find its old database again. */
async function makeFallback(dataDir: string, root: string) {
  const directory = join(root, `${basename(dataDir)}-${randomBytes(4).toString('hex')}`)
  await mkdir(directory, { recursive: true }).catch(() => {})
  // The umask may have closed what mkdir made.
  for (const made of [root, directory]) await chmod(made, 0o755).catch(() => {})
  return placeIn(directory)
}

/** Tried rather than computed from modes: access lists, user namespaces and network mounts have their say too. */
export const enters = async (account: Account | undefined, directory: string) =>
  account === undefined || (await run('/bin/sh', ['-c', 'cd "$1"', 'sh', directory], account)).ok

const unreachable = ({ directory, account }: Place) =>
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
