/** Creates the cluster (PostgreSQL's term for its data directory), completely or not at all. */
import { chmod, chown, mkdtemp, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Logger } from 'pino'
import { EmbeddedDatabaseError } from './error.ts'
import type { Place } from './place.ts'
import { exists } from './place.ts'
import type { Programs } from './programs.ts'
import { run } from './run.ts'

const unfinished = 'postgres-new-'

/** The superuser, which only the supervisor uses. */
export const superuser = 'postgres'

export interface ClusterOptions {
  programs: Programs
  /** Whether files are synced to the disk. */
  sync: boolean
  /** Files that prove that there was a cluster. */
  traces: string[]
  log: Logger
}

/** @returns whether the cluster was created now. @throws EmbeddedDatabaseError if an earlier cluster is missing */
export async function prepareCluster(place: Place, options: ClusterOptions): Promise<boolean> {
  for (const name of await readdir(place.directory))
    if (name.startsWith(unfinished)) await rm(join(place.directory, name), { recursive: true, force: true })

  if (await exists(place.cluster)) {
    await changeOwner(place)
    await checkVersion(place.cluster, options.programs)
    return false
  }
  for (const trace of options.traces) if (await exists(trace)) throw missingCluster(place, trace)
  options.log.info({ cluster: place.cluster }, 'creating a new PostgreSQL cluster')
  await makeCluster(place, options)
  return true
}

const missingCluster = ({ cluster }: Place, trace: string) =>
  new EmbeddedDatabaseError(
    `The database in ${cluster} is gone, though ${trace} is there. Perhaps a volume is not mounted, or DATABASE_URL is not set. ` +
      'To restore a backup, run npm run restore -- FILE; to start with an empty database, set GANGWAY_NEW_DATABASE=yes for one start.',
  )

async function makeCluster(place: Place, { programs, sync }: ClusterOptions) {
  const newCluster = await mkdtemp(join(place.directory, unfinished))
  await chmod(newCluster, 0o700)
  if (place.account) await chown(newCluster, place.account.uid, place.account.gid)
  const access = ['--username', superuser, '--auth-local=reject', '--auth-host=reject']
  // Comparing bytes sorts the same on every machine; the built-in provider still knows upper and lower case.
  const locale = ['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8']
  const args = ['--pgdata', newCluster, ...access, ...locale, ...(sync ? [] : ['--no-sync'])]
  const { ok, output } = await run(programs.initdb, args, place.account)
  if (!ok)
    throw new EmbeddedDatabaseError(`PostgreSQL could not make its files in ${place.directory}: ${output}`)
  await rename(newCluster, place.cluster)
  if (sync) await syncDirectory(place.directory)
}

/** PostgreSQL refuses a cluster that belongs to root, such as a backup that root restored. */
async function changeOwner({ cluster, account }: Place) {
  if (!account || (await stat(cluster)).uid === account.uid) return
  await run('chown', ['-R', `${account.uid}:${account.gid}`, cluster])
}

async function syncDirectory(path: string) {
  const directory = await open(path, 'r')
  await directory.sync()
  await directory.close()
}

async function checkVersion(cluster: string, programs: Programs) {
  const found = Number(await readFile(join(cluster, 'PG_VERSION'), 'utf8').catch(() => Number.NaN))
  if (found === programs.majorVersion) return
  throw new EmbeddedDatabaseError(
    Number.isNaN(found)
      ? `${cluster} is not a PostgreSQL cluster. Move it away and restore a backup: npm run restore -- FILE.`
      : `The database in ${cluster} was made by PostgreSQL ${found}, and this server brings PostgreSQL ${programs.majorVersion}. ` +
          `Back it up with the Gangway version that made it (npm run backup -- FILE), move ${cluster} away, ` +
          'and restore it with this one (npm run restore -- FILE). Or set DATABASE_URL.',
  )
}
