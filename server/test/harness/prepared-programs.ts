/**
 * PostgreSQL's programs with an `initdb` that copies a cluster, for tests that start many embedded databases: making one
 * takes a second of processor time, copying it a tenth. The first call makes the cluster, with the real `initdb`.
 */
import { existsSync } from 'node:fs'
import { chmod, mkdir, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inject } from 'vitest'
import { chooseAccount } from '../../src/database/embedded/account.ts'
import { run } from '../../src/database/embedded/run.ts'
import { platformPackage, type ProgramsPackage } from '../../src/database/embedded/programs.ts'

const directoryFor = (prefix: string) => join(tmpdir(), `${prefix}-programs`)

/** For `startEmbeddedDatabase` and `openDatabase`. */
export function preparedPrograms(): ProgramsPackage {
  const directory = directoryFor(inject('testServer').prefix)
  return existsSync(directory) ? { ...platformPackage(), directory } : platformPackage()
}

export async function prepareProgramsFor(prefix: string): Promise<void> {
  const directory = directoryFor(prefix)
  const [bin, kept] = [join(directory, 'native/bin'), join(directory, 'kept')]
  const real = join(platformPackage().directory, 'native/bin')
  await mkdir(bin, { recursive: true, mode: 0o755 })
  await mkdir(kept)
  // PostgreSQL's user makes the cluster in it.
  await chmod(kept, 0o777)
  await symlink(join(real, 'postgres'), join(bin, 'postgres'))
  await writeFile(join(bin, 'initdb'), script(join(real, 'initdb'), kept), { mode: 0o755 })
  // Where PostgreSQL's user cannot reach the package, a server runs a copy of it; these programs would be of no use there.
  const { ok } = await run(join(bin, 'initdb'), ['--version'], await chooseAccount(kept))
  if (!ok) await removePrograms(prefix)
}

export const removePrograms = (prefix: string): Promise<void> =>
  rm(directoryFor(prefix), { recursive: true, force: true })

/** Two concurrent first calls both make one, and the later one is discarded. */
const script = (initdb: string, kept: string) => `#!/bin/sh
[ "$1" = --pgdata ] || exec "${initdb}" "$@"
target=$2
shift 2
if [ ! -d "${kept}/cluster" ]; then
  "${initdb}" --pgdata "${kept}/new.$$" "$@" || exit
  mv -T "${kept}/new.$$" "${kept}/cluster" 2>/dev/null || rm -rf "${kept}/new.$$"
fi
exec cp -a "${kept}/cluster/." "$target"
`
